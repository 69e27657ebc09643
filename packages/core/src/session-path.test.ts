import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { baseName, normalisePath, parentPath, parentPaths } from "./session-path.ts";

describe("normalisePath", () => {
  test.each([
    ["/docs/readme.txt", "/docs/readme.txt"],
    ["docs/readme.txt", "/docs/readme.txt"],
    ["//docs///readme.txt/", "/docs/readme.txt"],
    ["/./docs/./a", "/docs/a"],
    ["", "/"],
    ["/", "/"],
    ["...", "/..."],
    ["/a..b/..c", "/a..b/..c"],
    ["/%2e%2e/secret", "/%2e%2e/secret"],
    ["/cafe\u0301", "/caf\u00e9"],
    ["/~/a b", "/~/a b"],
  ])("spells %j as %j", (path, normal) => {
    expect(normalisePath(path)).toEqual({ ok: true, value: normal });
  });

  test.each([
    ["..", "'..'"],
    ["/a/../b", "'..'"],
    ["/a/..", "'..'"],
    ["/a\0b", "NUL"],
    ["/a\nb", "control"],
    ["/a\\..\\b", "backslash"],
    ["/\ud800", "surrogate"],
    [`/${"n".repeat(256)}`, "255"],
    [`/${"é".repeat(128)}`, "255"],
    ["/abcdefghi".repeat(110), "deeper"],
    [`/${"n".repeat(200)}`.repeat(6), "1024"],
    ["/a".repeat(1_000_000), "1024"],
  ])("refuses %.40j and names why", (path, why) => {
    const result = normalisePath(path);
    if (result.ok) throw new Error(`accepted as ${result.value}`);
    expect(result.failure).toMatchObject({ code: "path_invalid", message: expect.stringContaining(why) });
    expect(result.failure.message.length).toBeLessThan(400);
  });

  test("10,000 random paths never leave the session, and a normalised path stays unchanged", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "",
        "...",
        "%2e%2e",
        "\\",
        "..\\",
        "\0",
        "~",
        "C:",
        "a",
        "\u2024\u2024",
        "\uff0e\uff0e",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
    );
    const path = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("/"));
    fc.assert(
      fc.property(fc.oneof(path, fc.string({ unit: "binary" })), (input) => {
        const result = normalisePath(input);
        if (!result.ok) return;
        const names = result.value.split("/").slice(1);
        expect(result.value.startsWith("/")).toBe(true);
        expect(names).not.toContain("..");
        expect(new URL(`file:///session${encodeURI(result.value)}`).pathname).toMatch(/^\/session\//);
        expect(normalisePath(result.value)).toEqual(result);
      }),
      { numRuns: 10_000 },
    );
  });
});

test("the parts of a path", () => {
  expect([parentPath("/a/b/c"), parentPath("/a"), parentPath("/")]).toEqual(["/a/b", "/", "/"]);
  expect([baseName("/a/b.txt"), baseName("/")]).toEqual(["b.txt", "/"]);
  expect([parentPaths("/a/b/c"), parentPaths("/a"), parentPaths("/")]).toEqual([["/a", "/a/b"], [], []]);
});
