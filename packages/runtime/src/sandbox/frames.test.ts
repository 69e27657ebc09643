import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrame, FrameReader } from "./frames.ts";

const LIMITS = { headBytes: 10_000, fileBytes: 10_000 };

describe("frames", () => {
  test("arrive as sent, however the bytes are split", () => {
    const content = fc.option(fc.uint8Array({ maxLength: 50 }), { nil: null });
    const files = fc.dictionary(fc.string({ minLength: 1 }), content);
    const messages = fc.array(fc.record({ head: fc.record({ text: fc.string() }), files }), { minLength: 1 });
    fc.assert(
      fc.property(messages, fc.integer({ min: 1, max: 40 }), (sent, pieceBytes) => {
        const maps = sent.map((message) => ({ ...message, files: new Map(Object.entries(message.files)) }));
        const bytes = Buffer.concat(maps.flatMap((message) => encodeFrame(message.head, message.files)));
        const reader = new FrameReader({ headBytes: 1e6, fileBytes: 1e6 });
        const got = [];
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          got.push(...reader.push(bytes.subarray(at, at + pieceBytes)));
        }
        expect(got.map(plain)).toEqual(maps.map(plain));
      }),
    );
  });

  test.each([
    ["a head that is too long", Buffer.from([0x7f, 0, 0, 0])],
    ["files that are too large", encoded({ head: 1, parts: [{ path: "/a", size: 10_001 }] })],
    ["a size below -1", encoded({ head: 1, parts: [{ path: "/a", size: -2 }] })],
    ["a file without a path", encoded({ head: 1, parts: [{ size: 1 }] })],
    ["what is not JSON", Buffer.from([0, 0, 0, 1, 0x7b])],
  ])("refuse %s before it is buffered", (_, bytes) => {
    expect(() => new FrameReader(LIMITS).push(bytes)).toThrow();
  });
});

function encoded(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(json.length);
  return Buffer.concat([prefix, json]);
}

function plain({ head, files }: { head: unknown; files: ReadonlyMap<string, Uint8Array | null> }) {
  return { head, files: [...files].map(([path, bytes]) => [path, bytes && [...bytes]]) };
}
