/** The main directions of many vectors (Jacobi's method on their second moments), to write 384 dimensions in 256. */
export function principalAxes(vectors: Float32Array, from: number, to: number): Float32Array {
  const count = vectors.length / from;
  const moments = new Float64Array(from * from);
  for (let at = 0; at < count; at++) {
    for (let a = 0; a < from; a++) {
      const value = vectors[at * from + a] as number;
      for (let b = a; b < from; b++)
        moments[a * from + b] =
          (moments[a * from + b] as number) + value * (vectors[at * from + b] as number);
    }
  }
  for (let a = 0; a < from; a++) {
    for (let b = a; b < from; b++) {
      const mean = (moments[a * from + b] as number) / count;
      moments[a * from + b] = mean;
      moments[b * from + a] = mean;
    }
  }
  const axes = jacobi(moments, from);
  const order = Array.from({ length: from }, (_, at) => at).sort(
    (a, b) => (moments[b * from + b] as number) - (moments[a * from + a] as number),
  );
  const out = new Float32Array(from * to); // [from, to]
  for (let column = 0; column < to; column++) {
    const axis = order[column] as number;
    for (let row = 0; row < from; row++) out[row * to + column] = axes[row * from + axis] as number;
  }
  return out;
}

export function project(vectors: Float32Array, axes: Float32Array, from: number, to: number): Float32Array {
  const count = vectors.length / from;
  const out = new Float32Array(count * to);
  for (let at = 0; at < count; at++) {
    for (let row = 0; row < from; row++) {
      const value = vectors[at * from + row] as number;
      if (value === 0) continue;
      for (let column = 0; column < to; column++) {
        out[at * to + column] =
          (out[at * to + column] as number) + value * (axes[row * to + column] as number);
      }
    }
  }
  return out;
}

/** Rotates away the largest entries off the diagonal, pair by pair; the diagonal becomes the eigenvalues. */
function jacobi(matrix: Float64Array, n: number): Float64Array {
  const axes = new Float64Array(n * n);
  for (let at = 0; at < n; at++) axes[at * n + at] = 1;
  for (let sweep = 0; sweep < 12; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) off += (matrix[p * n + q] as number) ** 2;
    if (off < 1e-18) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(matrix, axes, n, p, q);
  }
  return axes;
}

function rotate(m: Float64Array, axes: Float64Array, n: number, p: number, q: number): void {
  const pq = m[p * n + q] as number;
  if (Math.abs(pq) < 1e-15) return;
  const theta = ((m[q * n + q] as number) - (m[p * n + p] as number)) / (2 * pq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const kp = m[k * n + p] as number;
    const kq = m[k * n + q] as number;
    m[k * n + p] = c * kp - s * kq;
    m[k * n + q] = s * kp + c * kq;
  }
  for (let k = 0; k < n; k++) {
    const pk = m[p * n + k] as number;
    const qk = m[q * n + k] as number;
    m[p * n + k] = c * pk - s * qk;
    m[q * n + k] = s * pk + c * qk;
    const ap = axes[k * n + p] as number;
    const aq = axes[k * n + q] as number;
    axes[k * n + p] = c * ap - s * aq;
    axes[k * n + q] = s * ap + c * aq;
  }
}
