import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tuned } from "./minilm-tuning.ts";
import { readSafetensors } from "./safetensors.ts";

/** The half-precision values used here. */
const HALF: Readonly<Record<number, number>> = {
  0: 0,
  1: 0x3c00,
  2: 0x4000,
  3: 0x4200,
  0.5: 0x3800,
  [-1]: 0xbc00,
};

function safetensors(tensors: Readonly<Record<string, { shape: number[]; values: number[] }>>): Uint8Array {
  let at = 0;
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, { shape, values }]) => {
      const entry = { dtype: "F16", shape, data_offsets: [at, at + values.length * 2] };
      at += values.length * 2;
      return [name, entry];
    }),
  );
  const head = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(head.length));
  const values = Object.values(tensors).flatMap((tensor) => tensor.values);
  return Buffer.concat([
    size,
    head,
    Buffer.from(Uint16Array.from(values, (value) => HALF[value] ?? 0).buffer),
  ]);
}

const published = readSafetensors(
  safetensors({
    "bert.a.weight": { shape: [2, 3], values: [1, 0, 0, 0, 1, 0] },
    "bert.b.weight": { shape: [1, 1], values: [0.5] },
  }),
);

const shipped = readSafetensors(
  readFileSync(new URL("../../data/minilm-tuning.safetensors", import.meta.url)),
);

describe("tuned weights", () => {
  test("are the published ones plus up times down", () => {
    const tuning = readSafetensors(
      safetensors({
        "a.weight.down": { shape: [1, 3], values: [1, 2, 0] },
        "a.weight.up": { shape: [2, 1], values: [3, -1] },
      }),
    );
    expect([...tuned(published, tuning).get("a.weight").data]).toEqual([4, 6, 0, -1, -1, 0]);
    expect([...published.get("a.weight").data]).toEqual([1, 0, 0, 0, 1, 0]);
  });

  test("a matrix that is not tuned stays unchanged", () => {
    expect([...tuned(published, readSafetensors(safetensors({}))).get("b.weight").data]).toEqual([0.5]);
  });

  test("tensors that only the tuning has are read from it", () => {
    const tuning = readSafetensors(safetensors({ "a.peaks": { shape: [2], values: [3, 0.5] } }));
    const both = tuned(published, tuning);
    expect([both.has("a.peaks"), both.has("b.peaks")]).toEqual([true, false]);
    expect([...both.get("a.peaks").data]).toEqual([3, 0.5]);
  });

  test("of another model are refused with both sizes", () => {
    const tuning = readSafetensors(
      safetensors({
        "a.weight.down": { shape: [1, 2], values: [1, 2] },
        "a.weight.up": { shape: [2, 1], values: [3, -1] },
      }),
    );
    expect(() => tuned(published, tuning).get("a.weight")).toThrow(
      "MiniLM's tuning does not fit: [2,1] and [1,2] for [2,3]",
    );
  });

  test("a missing tensor is named", () => {
    expect(() => published.get("c")).toThrow('MiniLM\'s weights hold no half-precision tensor "c"');
  });

  test("the shipped file tunes the last three layers, all six matrices of each", () => {
    for (const layer of [3, 4, 5]) {
      const base = `encoder.layer.${layer}`;
      expect(shipped.get(`${base}.attention.self.query.weight.down`).dims).toEqual([16, 384]);
      expect(shipped.get(`${base}.intermediate.dense.weight.up`).dims).toEqual([1536, 16]);
      expect(shipped.get(`${base}.output.dense.weight.down`).dims).toEqual([16, 1536]);
    }
    expect(shipped.has("encoder.layer.2.output.dense.weight.down")).toBe(false);
  });

  test("the shipped file knows the peaks of every layer's wide channels", () => {
    for (const layer of [0, 1, 2, 3, 4, 5]) {
      const { dims, data } = shipped.get(`encoder.layer.${layer}.output.dense.peaks`);
      expect(dims).toEqual([1536]);
      expect(data.every((peak) => peak > 0)).toBe(true);
    }
  });
});
