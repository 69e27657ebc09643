import { describe, expect, test } from "vitest";
import type { JsonPatchOperation } from "./events.ts";
import { applyPatch } from "./json-patch.ts";
import type { JsonValue } from "./schema.ts";

describe("applyPatch", () => {
  test.each<[string, JsonValue, JsonPatchOperation[], JsonValue]>([
    ["adds a member", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["inserts into a list", [1, 3], [{ op: "add", path: "/1", value: 2 }], [1, 2, 3]],
    ["appends to a list", { l: [1] }, [{ op: "add", path: "/l/-", value: 2 }], { l: [1, 2] }],
    ["replaces", { a: { b: 1 } }, [{ op: "replace", path: "/a/b", value: null }], { a: { b: null } }],
    ["removes", { a: 1, b: [1, 2] }, [{ op: "remove", path: "/b/0" }], { a: 1, b: [2] }],
    ["moves", { a: 1 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
    ["copies", { a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
    ["tests", { a: { b: [1] } }, [{ op: "test", path: "/a", value: { b: [1] } }], { a: { b: [1] } }],
    [
      "reads escaped names",
      { "a/b": 1, "m~n": 2 },
      [
        { op: "remove", path: "/a~1b" },
        { op: "remove", path: "/m~0n" },
      ],
      {},
    ],
    ["sets the whole document", { a: 1 }, [{ op: "replace", path: "", value: [] }], []],
  ])("%s", (_what, before, patch, value) => {
    const kept = structuredClone(before);
    expect(applyPatch(before, patch)).toEqual({ ok: true, value });
    expect(before).toEqual(kept);
  });

  test.each<[string, JsonPatchOperation]>([
    ["replacing what is not there", { op: "replace", path: "/x", value: 1 }],
    ["removing what is not there", { op: "remove", path: "/l/7" }],
    ["a failed test", { op: "test", path: "/a", value: 2 }],
    ["an index outside the list", { op: "add", path: "/l/9", value: 1 }],
    ["a parent that is no object", { op: "add", path: "/a/b", value: 1 }],
    ["a path without a slash", { op: "add", path: "x", value: 1 }],
    ["a prototype", { op: "add", path: "/__proto__", value: { admin: true } }],
  ])("refuses %s and says where", (_what, operation) => {
    expect(applyPatch({ a: 1, l: [] }, [operation])).toMatchObject({
      ok: false,
      where: expect.stringMatching(/.+/),
    });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});
