/**
 * A table of word-piece vectors that learns: a text is the mean of its rows, made unit length. Gradients are written out
 * by hand and only rows that occurred are updated (Adam), so that a step costs what its texts cost.
 */
export interface Encoded {
  readonly texts: readonly (readonly number[])[];
  /** One unit vector per text. */
  readonly vectors: Float32Array;
  readonly lengths: Float32Array;
}

const BETA_1 = 0.9;
const BETA_2 = 0.999;
const EPSILON = 1e-8;

export class BagModel {
  readonly table: Float32Array;
  readonly dimensions: number;
  readonly #first: Float32Array;
  readonly #second: Float32Array;
  readonly #gradients = new Map<number, Float32Array>();
  #steps = 0;

  constructor(table: Float32Array, dimensions: number) {
    this.table = table;
    this.dimensions = dimensions;
    this.#first = new Float32Array(table.length);
    this.#second = new Float32Array(table.length);
  }

  encode(texts: readonly (readonly number[])[]): Encoded {
    const d = this.dimensions;
    const vectors = new Float32Array(texts.length * d);
    const lengths = new Float32Array(texts.length);
    texts.forEach((rows, at) => {
      const to = at * d;
      for (const row of rows) {
        const from = row * d;
        for (let j = 0; j < d; j++)
          vectors[to + j] = (vectors[to + j] as number) + (this.table[from + j] as number);
      }
      let squares = 0;
      const share = rows.length > 0 ? 1 / rows.length : 0;
      for (let j = 0; j < d; j++) {
        const value = (vectors[to + j] as number) * share;
        vectors[to + j] = value;
        squares += value * value;
      }
      const length = Math.max(Math.sqrt(squares), 1e-6);
      lengths[at] = length;
      for (let j = 0; j < d; j++) vectors[to + j] = (vectors[to + j] as number) / length;
    });
    return { texts, vectors, lengths };
  }

  /** Adds what a loss wants of these unit vectors to the gradients of their rows. */
  backward({ texts, vectors, lengths }: Encoded, wanted: Float32Array): void {
    const d = this.dimensions;
    const inner = new Float32Array(d);
    texts.forEach((rows, at) => {
      if (rows.length === 0) return;
      const from = at * d;
      let along = 0;
      for (let j = 0; j < d; j++) along += (wanted[from + j] as number) * (vectors[from + j] as number);
      const scale = 1 / ((lengths[at] as number) * rows.length);
      for (let j = 0; j < d; j++) {
        inner[j] = ((wanted[from + j] as number) - along * (vectors[from + j] as number)) * scale;
      }
      for (const row of rows) {
        let gradient = this.#gradients.get(row);
        if (!gradient) {
          gradient = new Float32Array(d);
          this.#gradients.set(row, gradient);
        }
        for (let j = 0; j < d; j++) gradient[j] = (gradient[j] as number) + (inner[j] as number);
      }
    });
  }

  step(rate: number): void {
    const d = this.dimensions;
    this.#steps++;
    const size = (rate * Math.sqrt(1 - BETA_2 ** this.#steps)) / (1 - BETA_1 ** this.#steps);
    for (const [row, gradient] of this.#gradients) {
      const from = row * d;
      for (let j = 0; j < d; j++) {
        const g = gradient[j] as number;
        const m = BETA_1 * (this.#first[from + j] as number) + (1 - BETA_1) * g;
        const v = BETA_2 * (this.#second[from + j] as number) + (1 - BETA_2) * g * g;
        this.#first[from + j] = m;
        this.#second[from + j] = v;
        this.table[from + j] = (this.table[from + j] as number) - (size * m) / (Math.sqrt(v) + EPSILON);
      }
    }
    this.#gradients.clear();
  }
}
