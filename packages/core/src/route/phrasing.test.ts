import { describe, expect, test } from "vitest";
import { CONFIDENCE_INPUTS, type ConfidenceValues, logistic } from "./confidence.ts";
import { phrasingMarks, phrasingOf } from "./phrasing.ts";
import { words } from "./text.ts";
import { LEXICAL_WEIGHTS, MINILM_WEIGHTS, STATIC_WEIGHTS } from "./weights.ts";

const phrasing = (task: string): number => phrasingOf(words(task));

describe("phrasing of a task", () => {
  test.each([
    ["I need my invoices of March", "What are the causes of inflation?"],
    ["Can you help me with my trip to Oslo?", "Why do birds migrate?"],
    ["I'm looking for a doctor near me", "Where was the first bank founded?"],
    ["please send this to my team", "If a train is late, who is to blame?"],
  ])("%j reads more like a request than %j", (wish, question) => {
    expect(phrasing(wish)).toBeLessThan(phrasing(question));
  });

  test.each([
    ["can you find me a flight to Rome", "can you book me a doctor for Ann"],
    ["write hello to /notes.txt", "delete hello under /old.txt"],
  ])("the topic does not matter: %j reads like %j", (one, other) => {
    const shared = (task: string) =>
      [...phrasingMarks(words(task))].filter((mark) => mark !== "to" && mark !== "for");
    expect(shared(one)).toEqual(shared(other));
  });

  test("a contraction counts as its full words, and the first word is marked", () => {
    expect([...phrasingMarks(words("What's this"))]).toEqual(["what", "^what", "this"]);
    expect([...phrasingMarks(words("this is what"))]).toEqual(["this", "is", "what"]);
  });

  test("a word counts once, and names of object properties do not count", () => {
    expect(phrasing("can can can")).toBe(phrasing("can can"));
    expect(phrasing("constructor __proto__ toString")).toBe(phrasing(""));
  });

  test.each([
    ["words alone", LEXICAL_WEIGHTS],
    ["the table", STATIC_WEIGHTS],
    ["MiniLM", MINILM_WEIGHTS],
  ])(
    "with %s, the same evidence is refused more readily for a question about the world",
    (_tier, { none }) => {
      const evidence = Object.fromEntries(CONFIDENCE_INPUTS.map((input) => [input, 0.4])) as ConfidenceValues;
      const refused = (task: string) => logistic({ ...evidence, phrasing: phrasing(task) }, none);
      expect(refused("why do they do that")).toBeGreaterThan(refused("can you do that for me"));
    },
  );
});
