/** The safetensors format, as far as MiniLM needs it: half-precision tensors after a JSON header. */
export interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

export interface Tensors {
  has(name: string): boolean;
  /** Throws when there is no such tensor in half precision. */
  get(name: string): Tensor;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

export function readSafetensors(file: Uint8Array): Tensors {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerBytes = Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerBytes))) as Record<
    string,
    Entry
  >;
  const entryOf = (name: string): Entry | undefined => header[name] ?? header[`bert.${name}`];
  return {
    has: (name) => entryOf(name) !== undefined,
    get(name) {
      const entry = entryOf(name);
      if (entry?.dtype !== "F16") throw new Error(`MiniLM's weights hold no half-precision tensor "${name}"`);
      const [from, to] = entry.data_offsets;
      const start = 8 + headerBytes + from;
      const data = new Float32Array((to - from) / 2);
      for (let at = 0; at < data.length; at++) {
        data[at] = HALVES[view.getUint16(start + at * 2, true)] as number;
      }
      return { dims: entry.shape, data };
    },
  };
}

/** All half-precision values: a lookup is ten times as fast as decoding each. */
const HALVES = Float32Array.from({ length: 65_536 }, (_, bits) => halfToNumber(bits));

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  return exponent === 31 ? Number.NaN : sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
