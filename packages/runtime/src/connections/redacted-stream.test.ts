import fc from "fast-check";
import { expect, test } from "vitest";
import { formsOf, redactedStream } from "./redacted-stream.ts";

const TOKEN = "ya29.abcabcabd/+=";

async function through(chunks: readonly Uint8Array[]): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(source.pipeThrough(redactedStream(formsOf([TOKEN])))).text();
}

test("a token is removed in every form, however the body is cut, and the rest is unchanged", async () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom(...formsOf([TOKEN]), "ya29.abcab"));
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.array(fc.nat(60)), async (pieces, cuts) => {
      const whole = Buffer.from(pieces.join("|"));
      const chunks: Uint8Array[] = [];
      let from = 0;
      for (const length of cuts) {
        chunks.push(whole.subarray(from, from + length));
        from += length;
      }
      chunks.push(whole.subarray(from));
      const expected = formsOf([TOKEN]).reduce(
        (text, form) => text.replaceAll(form, "[secret]"),
        whole.toString(),
      );
      expect(await through(chunks)).toBe(expected);
    }),
  );
});
