import { describe, expect, test } from "vitest";
import { taskParts, withSwitches } from "./task-parts.ts";

describe("the parts of a task", () => {
  test.each([
    ["add 2 and 40 and tell me the time in Paris", ["add 2 and 40", "tell me the time in Paris"]],
    [
      "convert a.pdf to markdown, then translate it into French",
      ["convert a.pdf to markdown", "translate it into French"],
    ],
    [
      "What is the weather in Rome? Send it to ann@example.com.",
      ["What is the weather in Rome", "Send it to ann@example.com."],
    ],
    ["will it rain in Lisbon over the next 3 days?", ["will it rain in Lisbon over the next 3 days?"]],
    ["read a.txt, finally delete it", ["read a.txt", "delete it"]],
    [
      "Addiere 2 und 40 und sag mir die Uhrzeit in Paris",
      ["Addiere 2 und 40", "sag mir die Uhrzeit in Paris"],
    ],
    ["Lis a.txt, puis traduis le texte", ["Lis a.txt", "traduis le texte"]],
    ["读取 a.txt，然后删除它", ["读取 a.txt", "删除它"]],
    ["cats and dogs", ["cats and dogs"]],
    ["merge a.pdf, b.pdf and c.pdf", ["merge a.pdf, b.pdf and c.pdf"]],
    ['send "run and write home" to ann@example.com', ['send "run and write home" to ann@example.com']],
    [
      "keep this note: buy milk and write home. Then sleep",
      ["keep this note: buy milk and write home. Then sleep"],
    ],
    ["", []],
  ])("%j", (task, expected) => {
    expect(taskParts(task).map(({ text }) => text)).toEqual(expected);
  });

  test('a full stop separates parts, an "and" may only join', () => {
    expect(taskParts("Read it. Play jazz").map(({ isSeparate }) => isSeparate)).toEqual([false, true]);
    expect(taskParts("remind me to call and buy milk").map(({ isSeparate }) => isSeparate)).toEqual([
      false,
      false,
    ]);
  });
});

test("what only sets switches of the first part's tool is no part of its own", () => {
  const schema = { properties: { drop_tables: { type: "boolean" }, sort_rows: { type: "boolean" } } };
  const parts = taskParts("export shop.db, drop tables and sort rows, then mail it to ann@example.org");
  expect(withSwitches(parts, schema).map(({ text }) => text)).toEqual([
    "export shop.db, drop tables, sort rows",
    "mail it to ann@example.org",
  ]);
  expect(withSwitches(taskParts("export shop.db and drop tables of crm.db"), schema)).toHaveLength(2);
});

test.each([
  ["sort names.txt in reverse order and write the result to sorted.txt", 1],
  ["sortiere names.txt und speichere es als sorted.txt", 1],
  ["sort names.txt and write a poem to sorted.txt", 2],
  ["sort names.txt, then mail it to ann@example.org and save it to sent.txt", 3],
])("where the output of the first part's tool goes is no part of its own: %j", (task, count) => {
  const schema = {
    properties: {
      file: { type: "string" },
      output: { type: "string", description: "Where to write the result." },
    },
  };
  expect(withSwitches(taskParts(task), schema)).toHaveLength(count);
  expect(withSwitches(taskParts(task), { properties: {} }).length).toBeGreaterThan(1);
});
