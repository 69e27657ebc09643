import { describe, expect, test } from "vitest";
import { clausesOf } from "./clauses.ts";
import {
  boundedText,
  grams,
  identifierWords,
  MAX_TASK_CHARS,
  normalizeTask,
  terms,
  withoutValues,
  words,
} from "./text.ts";

describe("text as the router reads it", () => {
  test.each([
    ["  Create a\n\tPlan!!  ", "create a plan"],
    ["ＦＵＬＬ width?", "full width"],
    ["a\u0000b\u202ec", "a b c"],
    ["", ""],
  ])("normalises %j to %j", (text, expected) => {
    expect(normalizeTask(text)).toBe(expected);
  });

  test.each<[string, string[]]>([
    ["It's 3 o'clock", ["its", "3", "oclock"]],
    ["Où est Zürich?", ["ou", "est", "zurich"]],
    ["天気 in 東京", ["天", "気", "in", "東", "京"]],
    ["погода завтра", ["погода", "завтра"]],
  ])("finds the words of %j", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test.each([
    ["getTeamStats", "get Team Stats"],
    ["HTTPServer_config.load-all", "HTTP Server config load all"],
  ])("reads the identifier %s as %j", (identifier, expected) => {
    expect(identifierWords(identifier)).toBe(expected);
  });

  test("stems words, and leaves stop words unchanged", () => {
    expect(terms("booking the flights")).toEqual(["book", "the", "flight"]);
  });

  test("pairs neighbouring content words", () => {
    expect(grams("the weather in Paris")).toEqual(["weather", "pari", "weather pari"]);
  });

  test("falls back to all words when there are no content words", () => {
    expect(grams("who are you")).toEqual(["who", "are", "you", "who are", "are you"]);
  });

  test("removes quoted values and numbers before embedding", () => {
    expect(withoutValues(`translate 'good morning' to French for room 12b`).replace(/\s+/g, " ")).toBe(
      "translate to French for room ",
    );
    expect(withoutValues("12 34")).toBe("12 34");
  });

  test("reads no more than its limit", () => {
    expect(boundedText("x".repeat(1_000_000))).toHaveLength(MAX_TASK_CHARS);
  });
});

describe("clauses of three words and more", () => {
  test.each<[string, string[]]>([
    ["what is the weather", []],
    ["search for cats and dogs and birds", []],
    [
      "Retrieve the sales numbers of March, then compare them with February. Finally draw a bar chart",
      ["Retrieve the sales numbers of March", "draw a bar chart"],
    ],
    [
      "find cheap flights to Rome and book the nicest hotel there",
      ["find cheap flights to Rome", "book the nicest hotel there"],
    ],
  ])("of %j", (task, expected) => {
    expect(clausesOf(task)).toEqual(expected);
  });
});
