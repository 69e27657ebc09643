import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

const LIMITS = { maxLineBytes: 100, maxTotalBytes: 1_000_000 };

describe("a line splitter", () => {
  test("gives the same lines however the bytes arrive", () => {
    const line = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll(/[\n\r]/g, ""));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 10 }),
        fc.array(fc.nat(50), { maxLength: 5 }),
        (lines, cuts) => {
          const splitter = new LineSplitter(LIMITS);
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
          const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
            (a, b) => a - b,
          );
          const got = places
            .slice(1)
            .flatMap((end, index) => splitter.push(bytes.subarray(places[index], end)).lines);
          expect(got).toEqual(lines.map((text) => Buffer.from(text).toString("utf8")));
        },
      ),
    );
  });

  test("drops a line that is too long, and only that one", () => {
    const splitter = new LineSplitter(LIMITS);
    const { lines, dropped } = splitter.push(Buffer.from(`a\n${"x".repeat(101)}\nb\n`));
    expect([lines, dropped]).toEqual([["a", "b"], 1]);
  });

  test("keeps separators that are not line breaks to a protocol of JSON lines", () => {
    const splitter = new LineSplitter(LIMITS);
    expect(splitter.push(Buffer.from("a\u2028b\u0085c\r\n")).lines).toEqual(["a\u2028b\u0085c"]);
  });

  test("returns the last line without its end, and reports when the limit is exceeded", () => {
    const splitter = new LineSplitter({ maxLineBytes: 100, maxTotalBytes: 5 });
    expect(splitter.push(Buffer.from("ab\ncd")).overflow).toBe(false);
    expect(splitter.push(Buffer.from("e")).overflow).toBe(true);
    expect(splitter.end()).toBe("cde");
    expect(splitter.end()).toBeUndefined();
  });
});
