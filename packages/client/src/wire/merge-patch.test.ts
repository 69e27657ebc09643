import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergePatch, patchBetween } from "./merge-patch.ts";

describe("a merge patch", () => {
  /** The table of RFC 7396, appendix A. */
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("of %j with %j gives %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("between two documents without null turns one into the other", () => {
    const value = fc.jsonValue().filter((json) => !JSON.stringify(json).includes("null"));
    const document = fc.dictionary(fc.string(), value);
    fc.assert(
      fc.property(document, document, (before, after) => {
        expect(mergePatch(before, patchBetween(before, after))).toEqual(after);
      }),
    );
  });

  test("with a field called __proto__ changes no prototype", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__": {"hacked": true}}'));
    expect(({} as Record<string, unknown>).hacked).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
