import { describe, expect, test } from "vitest";
import { staticEmbedding } from "./static-embedding.ts";
import { createWordPieces } from "./word-pieces.ts";

describe("word pieces", () => {
  const words = ["[PAD]", "un", "##aff", "##able", "the", "cafe", "!", "天"];
  const pieces = createWordPieces([...words, ...Array(92).fill("[unused]"), "[UNK]"]);

  test.each<[string, number[]]>([
    ["unaffable", [1, 2, 3]],
    ["The café!", [4, 5, 6]],
    ["天", [7]],
    ["the xyz", [4]],
    ["", []],
  ])("%j is split into rows %j", (text, rows) => {
    expect(pieces.rows(text, 10)).toEqual(rows);
  });

  test("unknown words are kept on request", () => {
    expect(pieces.rows("the xyz", 10, { keepUnknown: true })).toEqual([4, 100]);
  });

  test("no more rows than the limit", () => {
    expect(pieces.rows("unaffable unaffable", 4)).toEqual([1, 2, 3, 1]);
  });
});

describe("the static embedding", () => {
  const embed = staticEmbedding();
  const near = (a: string, b: string) => {
    const [va, vb] = [embed(a), embed(b)];
    return [...(va ?? [])].reduce((sum, value, at) => sum + value * (vb?.[at] ?? 0), 0);
  };

  test("vectors have length 1 and 256 dimensions", () => {
    const vector = embed("send a letter to my landlord") ?? new Float32Array();
    expect(vector).toHaveLength(256);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  test.each([
    ["write a plan for my firm", "draft a business strategy for a company", "boil two eggs"],
    ["how warm is it outside", "current weather temperature", "transfer money to my savings"],
    ["play some jazz", "listen to music", "cancel my hotel reservation"],
  ])("%j is nearer to %j than to %j", (text, like, unlike) => {
    expect(near(text, like)).toBeGreaterThan(near(text, unlike) + 0.1);
  });

  test.each(["", "   "])("knows no word of %j", (text) => {
    expect(embed(text)).toBeUndefined();
  });
});
