import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asksAbout,
  type CompiledCheck,
  checkLine,
  checkSentence,
  findWords,
  KIND_PATTERNS,
  masked,
  spansOfKind,
  type TextCheck,
} from "./text-check.ts";

const check = (fields: Partial<TextCheck>): TextCheck => ({
  id: "c",
  name: "c",
  find: { words: ["x"] },
  effect: "mask",
  ...fields,
});
const compiled = (words: string[], fields: Partial<TextCheck> = {}): CompiledCheck => ({
  check: check({ find: { words }, ...fields }),
  find: findWords(words),
});

describe("words", () => {
  test.each([
    ["Project Falcon is late", ["falcon"], [[8, 14]]],
    ["falconry", ["falcon"], []],
    ["Über uns", ["über"], [[0, 4]]],
    ["das Überraschende", ["über"], []],
    ["これは写真です", ["写真"], [[3, 5]]], // no spaces between words
    ["「写真」", ["写真"], [[1, 3]]],
    [
      "a.b",
      ["a", "b"],
      [
        [0, 1],
        [2, 3],
      ],
    ],
  ])("%s: %j", (line, words, spans) => {
    expect(findWords(words)(line)).toEqual(spans);
  });
});

describe("another spelling of a word", () => {
  test.each([
    ["with a separate accent", "U\u0308ber uns", ["über"], true],
    ["in a list that was written with one", "Über uns", ["u\u0308ber"], true],
    ["with a character that nobody sees", "Project Fal\u200bcon", ["falcon"], true],
    ["with a soft hyphen", "Project Fal\u00adcon", ["falcon"], true],
    ["in full width", "Ｆａｌｃｏｎ", ["falcon"], true],
    ["in bold letters of mathematics", "𝐅𝐚𝐥𝐜𝐨𝐧", ["falcon"], true],
    ["of another word", "Ｆａｌｃｏｎｒｙ", ["falcon"], false],
  ])("%s hides nothing: %s", (_, line, words, isFound) => {
    expect(findWords(words)(line).length > 0).toBe(isFound);
  });
  test("that its list already has is found alone, not with its line", () => {
    expect(findWords(["می\u200cخواهم"])("من می\u200cخواهم بروم")).toEqual([[3, 11]]);
  });
});

describe("a card's number", () => {
  test.each([
    ["4111 1111 1111 1111 12/27", [[0, 19]]],
    ["1 4111 1111 1111 1111", [[2, 21]]],
    ["1234 5678 4111 1111 1111 1111 123", [[10, 29]]],
    [
      "4111111111111111 378282246310005",
      [
        [0, 16],
        [17, 32],
      ],
    ],
    ["3782 822463 10005 12 27", [[0, 17]]],
    ["1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", []],
    ["20261116131415161", []],
  ])("is found among other numbers: %s", (line, spans) => {
    const found = [...line.matchAll(new RegExp(KIND_PATTERNS.credit_card, "g"))].flatMap(
      ({ 0: text, index }) =>
        spansOfKind("credit_card", text).map(([from, to]) => [index + from, index + to]),
    );
    expect(found).toEqual(spans);
  });
});

describe("a line", () => {
  test("is masked by every check, with its own words", () => {
    const checks = [compiled(["falcon"]), compiled(["bob"], { words: "(a person)" })];
    expect(checkLine("Bob runs Falcon", checks)).toEqual({ kind: "said", line: "(a person) runs [removed]" });
  });
  test("that one check blocks is blocked, whatever others mask", () => {
    const blocks = compiled(["bob"], { effect: "block" });
    for (const checks of [
      [compiled(["bob"]), blocks],
      [blocks, compiled(["bob"])],
    ])
      expect(checkLine("bob", checks)).toMatchObject({ kind: "blocked", check: { effect: "block" } });
  });
  test("holds nothing that a mask looks for, whatever the order", () => {
    const word = fc.constantFrom("ann", "bob", "eve");
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 4 })), { maxLength: 12 }), (pieces) => {
        const line = pieces.join(" ");
        const result = checkLine(line, [compiled(["ann"]), compiled(["bob"])]);
        return result.kind === "said" && findWords(["ann", "bob"])(result.line).length === 0;
      }),
    );
  });
  test("keeps what is around overlapping spans", () => {
    expect(
      masked(
        "abcdef",
        [
          [1, 4],
          [2, 5],
        ],
        "-",
      ),
    ).toBe("a-f");
    expect(masked("abc", [], "-")).toBe("abc");
  });
});

test("asking looks at every line", () => {
  const asks = compiled(["merger"], { effect: "ask" });
  expect(asksAbout("fine\nthe merger", [asks])).toBe(asks.check);
  expect(asksAbout("fine", [asks])).toBeUndefined();
  expect(checkLine("the merger", [asks])).toEqual({ kind: "said", line: "the merger" });
});

test.each([
  ["credit_card", "4111 1111 1111 1111", true],
  ["credit_card", "4111 1111 1111 1112", false],
  ["credit_card", "20261116131415161", false],
  ["email", "ada@example.com", true],
  ["phone", "+49 30 1234567", true],
  ["secret", "sk-abcdefghijklmnopqrstu", true],
  ["secret", "skating", false],
  ["secret", `github_pat_${"a1".repeat(12)}`, true],
  ["secret", `AIza${"b2".repeat(18)}`, true],
  ["secret", `glpat-${"c3".repeat(10)}`, true],
  ["secret", `npm_${"d4".repeat(18)}`, true],
  ["secret", `SG.${"e5".repeat(11)}.${"f6".repeat(20)}`, true],
  ["secret", `hvs.${"g7".repeat(20)}`, true],
  ["secret", `cap_acme.${"h".repeat(43)}`, true],
  ["secret", `agent_${"i".repeat(43)}`, true],
  ["secret", "glsa_Kx7Qm2Zt9Vb4Rw8Ny3Hc6Jp1Ld5Sf0Ga_1a2b3c4d", true],
  ["secret", "lin_api_Kx7Qm2Zt9Vb4Rw8Ny3Hc6Jp1Ld5Sf0GaT", true],
  ["secret", "sentry_io_says_sntrys_Kx7Qm2Zt9Vb4Rw8Ny3Hc6Jp1Ld5Sf0Ga", true],
  ["secret", "see-what-the-pipeline-said.glpat-c3c3c3c3c3c3c3c3c3c3", true],
  ["secret", "dapi0123456789abcdef0123456789abcdef", true],
  ["secret", "sha256-0123456789abcdef0123456789abcdef0123456789abcdef", false],
  ["secret", "id-3f2504e0-4f89-41d3-9a0c-0305e82c3301-3f2504e0", false],
  ["secret", "getAccessTokenSilently_FromCacheOrByRefreshToken2ndTry", false],
  ["secret", "task_2024_report_final_v2_2025_draft_v3_abc123", false],
  ["secret", "order_01HZX3KQ8V5N2M7P4R6T9W1Y0B", false],
  ["secret", "pi_3MtwBwLkdIwHu7ix28a3tqPa", false],
  ["secret", "run_all_the_tests_of_this_package_first", false],
  ["secret", "npm_config_registry", false],
] as const)("%s: %s is one: %s", (kind, text, is) => {
  const found = new RegExp(KIND_PATTERNS[kind], "u").exec(text);
  expect(found !== null && spansOfKind(kind, found[0]).length > 0).toBe(is);
});

test("a check says itself in words", () => {
  expect(checkSentence({ find: { kind: "email" }, effect: "mask" })).toBe("Mask an e-mail address.");
  expect(checkSentence({ find: { words: ["falcon", "eagle"] }, effect: "ask" })).toBe(
    'Ask before sending "falcon", "eagle".',
  );
});
