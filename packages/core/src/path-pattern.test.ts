import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathPattern } from "./path-pattern.ts";

describe("pathPattern", () => {
  test.each([
    ["*.txt", "/a.txt /docs/b.txt /docs/deep/c.txt", "/a.txt.md /txt"],
    ["readme*", "/readme /docs/readme.md", "/docs/my-readme"],
    ["/docs/*.md", "/docs/a.md", "/docs/deep/a.md /a.md"],
    ["docs/*.md", "/docs/a.md", "/x/docs/a.md"],
    ["/docs/**", "/docs/a /docs/b/c.md", "/docs /documents/a"],
    ["/src/**/*.ts", "/src/a.ts /src/b/c/d.ts", "/src/a.js /srcx/a.ts /lib/src/a.ts"],
    ["**/test/*.ts", "/test/a.ts /x/y/test/a.ts", "/latest/a.ts"],
    ["file?.log", "/file1.log", "/file10.log /file.log"],
    ["[a-c]*.[!ch]", "/apple.x", "/dog.x /apple.c"],
    ["*.{ts,tsx}", "/a.ts /b/c.tsx", "/a.js"],
    ["{src,test}/{a,b}.{ts,js}", "/src/a.ts /test/b.js", "/lib/a.ts"],
    ["\\*.txt", "/*.txt", "/a.txt"],
    ["{a}", "/{a}", "/a"],
    ["{open", "/{open", "/open"],
    ["*", "/a /b/c", ""],
  ])("%s matches %s and not %s", (pattern, matching, others) => {
    const compiled = pathPattern(pattern);
    if (!compiled.ok) throw new Error(compiled.failure.message);
    const all = `${matching} ${others}`.split(" ").filter(Boolean);
    expect(all.filter(compiled.value).join(" ")).toBe(matching);
  });

  test.each([
    ["[abc", "not closed"],
    ["{a,b}".repeat(7), "more than 64"],
    ["x".repeat(501), "longer than 500"],
  ])("refuses %.20s and says why", (pattern, why) => {
    expect(pathPattern(pattern)).toMatchObject({
      failure: { code: "pattern_invalid", message: expect.stringContaining(why) },
    });
  });

  test("agrees with a regular expression on stars and names", () => {
    const unit = fc.constantFrom("a", "b", "*", "?");
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 6 }),
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 }),
        (glob, name) => {
          const source = glob.replaceAll("?", "[^/]").replace(/\*+/g, "[^/]*");
          const compiled = pathPattern(glob);
          expect(compiled.ok && compiled.value(`/${name || "x"}`)).toBe(
            new RegExp(`^${source}$`).test(name || "x"),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("a pattern written to backtrack costs no more than any other", () => {
    const compiled = pathPattern(`${"*a".repeat(200)}b`);
    expect(compiled.ok && compiled.value(`/${"a".repeat(250)}`)).toBe(false);
  });
});
