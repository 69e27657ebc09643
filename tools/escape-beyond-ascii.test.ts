import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeBeyondAscii } from "./escape-beyond-ascii.ts";

const meaning = (code: string): unknown => new Function(`return ${code}`)();
const literals: Record<string, (text: string) => string> = {
  "a string": (text) => JSON.stringify(text),
  "a template": (text) => `\`${text.replace(/[\\`$]/g, "\\$&")}\``,
  "a string with every character escaped": (text) => `"${[...text].map((each) => `\\${each}`).join("")}"`,
};
const printable = fc
  .string({ unit: "grapheme", maxLength: 40 })
  .map((text) => text.replace(/[\0-\x7f]/g, ""));

describe("code in ASCII", () => {
  it.each(Object.entries(literals))("%s means what it meant", (_, literal) => {
    fc.assert(
      fc.property(printable, (text) => {
        const escaped = escapeBeyondAscii(literal(text));
        expect(escaped).toMatch(/^[\0-\x7f]*$/);
        expect(meaning(escaped)).toBe(text);
      }),
    );
  });

  it.each([
    ["/^[。；！？à-ü]+$/u", "。é！", "a"],
    ["/^[😀-😎]$/u", "😃", "x"],
    [String.raw`/^\–$/`, "–", "-"],
    ["new RegExp(String.raw`^(?:für|然后)\\s*$`, 'u')", "然后 ", "fur"],
  ])("the expression %s matches what it matched", (code, matching, other) => {
    const expression = meaning(escapeBeyondAscii(code)) as RegExp;
    expect([matching, other].map((text) => expression.test(text))).toEqual([true, false]);
  });
});
