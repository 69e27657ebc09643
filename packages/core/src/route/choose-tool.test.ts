import { describe, expect, test } from "vitest";
import { verbsIn } from "./actions.ts";
import { type ChoosableTool, chooseTool, rankTools } from "./choose-tool.ts";
import { directionFit } from "./direction.ts";
import type { Gloss } from "./gloss.ts";
import { operationFit } from "./operation.ts";
import { createRouteIndex } from "./route-index.ts";
import { taskTexts } from "./task.ts";

const CALCULATOR = tools({
  add: "Add two numbers",
  subtract: "Subtract second number from first",
  multiply: "Multiply two numbers",
  divide: "Divide first number by second",
});

describe("arithmetic in everyday words goes to the tool named for it", () => {
  const SUMS: [string, string][] = [
    ["what is 12 times 9", "multiply"],
    ["seven times eight", "multiply"],
    ["3*4", "multiply"],
    ["the product of 3 and 5", "multiply"],
    ["how much is 12 plus 5?", "add"],
    ["2+40", "add"],
    ["the sum of two and three", "add"],
    ["9 minus 4", "subtract"],
    ["7-3", "subtract"],
    ["what is the difference between 9 and 4", "subtract"],
    ["take 4 from 10", "subtract"],
    ["100 divided by 8", "divide"],
    ["20 ÷ 4", "divide"],
    ["subtract 5 from 20", "subtract"],
  ];
  test.each(SUMS)("%s: %s, by words", (task, tool) => {
    expect(chooseTool(task, CALCULATOR)[0]?.name).toBe(tool);
  });
  test.each(SUMS)("%s: %s, as a step of a plan chooses", (task, tool) => {
    expect(ranked(task, CALCULATOR)[0]?.name).toBe(tool);
  });
  test("and embeds no text it has embedded before", () => {
    const asked = new Set<string>();
    const embed = (text: string) => {
      asked.add(text);
      return undefined;
    };
    const index = createRouteIndex({ embed });
    asked.clear();
    rankTools("seven times eight", { index, toolOf: () => undefined });
    expect([...asked]).toEqual(taskTexts("seven times eight"));
  });
  test.each([
    ["2 to the power of 3", "pow"],
    ["the square root of 81", "sqrt"],
    ["20% of 50", "percentage"],
  ])("%s: %s", (task, tool) => {
    const more = tools({ pow: "Raise", sqrt: "Root", percentage: "Share" });
    expect(chooseTool(task, more)[0]?.name).toBe(tool);
  });
});

test.each(["%s is not arithmetic", "3 4", "call 555 and 777"])("%s is no sum", (task) => {
  expect(chooseTool(task, CALCULATOR)).toEqual([]);
});

describe("a tool among those of one capability", () => {
  test.each([
    ["which emails need a reply", []],
    ["email the team", ["email"]],
    ["set up a call", ["setup"]],
  ])("the verbs of %j are %j", (sentence, verbs) => {
    expect(verbsIn(sentence.split(" "))).toEqual(verbs);
  });

  test("is not the one whose name speaks of something else, nor one whose input is missing", () => {
    const stories = tools({
      "stories-get-history": "Get the change history of a story.",
      "stories-get-by-id": "Get a story by its id.",
    });
    expect(ranked("show me story 5120", stories)[0]?.name).toBe("stories-get-by-id");
  });

  test("dates of a span are neither a direction nor identifiers", () => {
    const task = "list my transactions from 2026-10-01 to 2026-10-31";
    expect(directionFit(task, "List all transactions related to the account.")).toBe(0);
    expect(operationFit(task, { method: "GET", path: "/v1/transactions" }).places).toBe(0);
  });

  test("in another language goes the way from its file", () => {
    const both = tools({
      "convert-to-markdown": "Extract document text as Markdown.",
      "convert-markdown": "Render Markdown to Office or PDF formats.",
    });
    const english: Record<string, string> = {
      "把 notes.md 转换成 Word 文档": "notes.md convert word document",
      "Wandle bericht.docx in Markdown um": "bericht.docx markdown convert",
    };
    const first = (task: string) => ranked(task, both, (text) => english[text])[0]?.name;
    expect(first("把 notes.md 转换成 Word 文档")).toBe("convert-markdown");
    expect(first("Wandle bericht.docx in Markdown um")).toBe("convert-to-markdown");
  });
});

function tools(named: Record<string, string>): ChoosableTool[] {
  return Object.entries(named).map(([name, description]) => ({ name, description, inputSchema: {} }));
}

function ranked(task: string, all: readonly ChoosableTool[], gloss?: Gloss) {
  const index = createRouteIndex({ gloss });
  for (const { name, description } of all) index.add({ id: name, name, description });
  return rankTools(task, {
    index,
    toolOf: (name) => {
      const found = all.find((tool) => tool.name === name);
      return found && { description: found.description, input: { jsonSchema: found.inputSchema } };
    },
  });
}
