import { describe, expect, test } from "vitest";
import { animatedPng, changed, cut } from "./animated-png.ts";
import { chunk, chunksOf, header, type Pixels, packed, readPng, SIGNATURE } from "./png-pixels.ts";

/** A picture of one colour, with some pixels of another. */
function picture(width: number, height: number, marks: readonly [x: number, y: number][] = []): Pixels {
  const bytes = Buffer.alloc(width * height * 3, 200);
  for (const [x, y] of marks) bytes.fill(7, (y * width + x) * 3, (y * width + x) * 3 + 3);
  return { width, height, channels: 3, bytes };
}

const png = (pixels: Pixels): Buffer =>
  Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header(pixels)),
    chunk("IDAT", packed(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ]);

test("a picture is read as it was written", () => {
  const pixels = picture(5, 4, [
    [0, 0],
    [4, 3],
    [2, 1],
  ]);
  expect(readPng(png(pixels))).toEqual(pixels);
});

describe("what changed between two pictures", () => {
  test.each<[string, [number, number][], object]>([
    ["nothing", [], { left: 0, top: 0, width: 1, height: 1 }],
    ["one pixel", [[3, 2]], { left: 3, top: 2, width: 1, height: 1 }],
    [
      "two corners",
      [
        [1, 3],
        [6, 0],
      ],
      { left: 1, top: 0, width: 6, height: 4 },
    ],
  ])("%s", (_what, marks, expected) => {
    expect(changed(picture(8, 5), picture(8, 5, marks))).toEqual(expected);
  });

  test("pictures of another size are refused", () => {
    expect(() => changed(picture(8, 5), picture(8, 6))).toThrow("different");
  });
});

test("an animation holds each frame's time and only the pixels that changed", () => {
  const second = picture(8, 5, [[3, 2]]);
  const animation = animatedPng([
    { png: png(picture(8, 5)), ms: 1500 },
    { png: png(second), ms: 20 },
  ]);
  const chunks = [...chunksOf(animation)];
  expect(chunks.map(({ type }) => type)).toEqual(["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"]);
  const controls = chunks.filter(({ type }) => type === "fcTL").map(({ data }) => data);
  expect(controls.map((data) => data.readUInt16BE(20))).toEqual([1500, 20]);
  expect([4, 8, 12, 16].map((at) => controls[1]?.readUInt32BE(at))).toEqual([1, 1, 3, 2]);
  const drawn = chunks.find(({ type }) => type === "fdAT")?.data.subarray(4);
  expect(drawn).toEqual(packed(cut(second, { left: 3, top: 2, width: 1, height: 1 })));
  expect(readPng(animation)).toEqual(picture(8, 5)); // a reader that knows no animations shows the first
});
