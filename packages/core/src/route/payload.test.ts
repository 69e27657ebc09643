import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { zodSchema } from "../schema.ts";
import { mapPayload } from "./payload.ts";

const text = z.string();
const todos = z.object({
  todos: z.array(
    z.object({ content: text, activeForm: text, status: z.enum(["pending", "in_progress", "completed"]) }),
  ),
});
const now = new Date("2026-11-15T12:00:00Z"); // a Sunday
const timezoneOf = (task: string) => (/tokyo/i.test(task) ? "Asia/Tokyo" : undefined);

describe("arguments from a task", () => {
  test.each<[string, z.ZodObject, object]>([
    [
      "what time is it in Tokyo",
      z.object({
        timezone: text.default("UTC"),
        format: z.enum(["iso8601", "unix", "human"]).default("iso8601"),
      }),
      { timezone: "Asia/Tokyo" },
    ],
    [
      "time in Europe/Berlin as unix",
      z.object({ timezone: text, format: z.enum(["iso8601", "unix"]) }),
      { timezone: "Europe/Berlin", format: "unix" },
    ],
    ["add 2 and 40", z.object({ a: z.number(), b: z.number() }), { a: 2, b: 40 }],
    [
      "subtract 5 from 20",
      z.object({ a: z.number().describe("The number to subtract from."), b: z.number() }),
      { a: 20, b: 5 },
    ],
    ["multiply seven by 1,000.5", z.object({ a: z.number(), b: z.number() }), { a: 7, b: 1000.5 }],
    [
      "write hello to /notes.txt",
      z.object({ path: text, content: text }),
      { path: "/notes.txt", content: "hello" },
    ],
    [
      'write "a, b" to /notes.txt',
      z.object({ path: text, content: text }),
      { path: "/notes.txt", content: "a, b" },
    ],
    ["read it back from /notes.txt", z.object({ path: text }), { path: "/notes.txt" }],
    [
      "Schreibe eine Datei notizen.txt mit hallo",
      z.object({ path: text, content: text }),
      { path: "notizen.txt", content: "hallo" },
    ],
    [
      "写一个文件 notes.txt 内容是 你好",
      z.object({ path: text, content: text }),
      { path: "notes.txt", content: "你好" },
    ],
    ["notes.txtに「こんにちは」と書いて", z.object({ content: text }), { content: "こんにちは" }],
    [
      "search my files for the word invoice",
      z.object({ pattern: text, path_pattern: text.optional() }),
      { pattern: "invoice" },
    ],
    ["Wie wird das Wetter in Hamburg?", z.object({ city: text }), { city: "Hamburg" }],
    ["Qual é o tempo em Lisboa?", z.object({ city: text }), { city: "Lisboa" }],
    [
      "fetch https://example.com/a?b=1.",
      z.object({ url: z.url(), method: z.enum(["GET", "HEAD"]).default("GET") }),
      { url: "https://example.com/a?b=1" },
    ],
    ["mail ann@example.com about lunch", z.object({ email: text }), { email: "ann@example.com" }],
    ["weather in New York tomorrow", z.object({ city: text }), { city: "New York" }],
    ["forecast for paris", z.object({ city: text }), { city: "paris" }],
    [
      "search for solar panels",
      z.object({ query: text, limit: z.int().default(5) }),
      { query: "solar panels" },
    ],
    ["search for solar panels, limit 3", z.object({ query: text, limit: z.int().default(5) }), { limit: 3 }],
    [
      "delete /tmp recursively",
      z.object({ path: text, recursive: z.boolean().default(false) }),
      { path: "/tmp", recursive: true },
    ],
    [
      "delete /tmp but not recursively",
      z.object({ path: text, recursive: z.boolean().default(false) }),
      { path: "/tmp", recursive: false },
    ],
    [
      "plan these: buy milk, fix the bug and write tests",
      todos,
      {
        todos: [
          { content: "Buy milk", activeForm: "Buying milk", status: "pending" },
          { content: "Fix the bug", activeForm: "Fixing the bug" },
          { content: "Write tests", activeForm: "Writing tests" },
        ],
      },
    ],
    [
      "plan these: buy milk and eggs",
      todos,
      { todos: [{ activeForm: "Buying milk" }, { content: "Eggs", activeForm: "Eggs" }] },
    ],
    ["meeting on 2026-11-15", z.object({ date: text }), { date: "2026-11-15" }],
    ["meeting on March 3rd, 2027", z.object({ date: text }), { date: "2027-03-03" }],
    ["meeting on the 3rd of March 2027", z.object({ date: z.iso.date() }), { date: "2027-03-03" }],
    ["remind me tomorrow", z.object({ date: text }), { date: "2026-11-16" }],
    ["the call is next Friday", z.object({ when: text }), { when: "2026-11-20" }],
    ["in 2 weeks", z.object({ date: text }), { date: "2026-11-29" }],
    ["on March 3", z.object({ date: text }), { date: "2027-03-03" }],
    [
      "add twenty-five and two hundred and six",
      z.object({ a: z.number(), b: z.number() }),
      { a: 25, b: 206 },
    ],
    ["add two and three", z.object({ a: z.number(), b: z.number() }), { a: 2, b: 3 }],
    ["show the third chapter", z.object({ chapter: z.int() }), { chapter: 3 }],
    ["open page 21st", z.object({ page_number: z.int() }), { page_number: 21 }],
    ["run this python code: print(1, 2)", z.object({ code: text }), { code: "print(1, 2)" }],
    ["run ```js\nlet a = 1;\na + 1\n``` now", z.object({ code: text }), { code: "let a = 1;\na + 1" }],
    ["keep this note: the door code is 1234", z.object({ text }), { text: "the door code is 1234" }],
    [
      "create a file called notes.txt with hello there",
      z.object({ path: text, content: text }),
      { path: "notes.txt", content: "hello there" },
    ],
    [
      "plan:\n- buy milk\n- fix the bug",
      todos,
      { todos: [{ content: "Buy milk" }, { content: "Fix the bug" }] },
    ],
    ["tell me a joke", z.object({ prompt: text }), { prompt: "tell me a joke" }],
    [
      "send event deploy.done to https://example.com/hook",
      z.object({ url: z.url(), event: text.default("event") }),
      { url: "https://example.com/hook", event: "deploy.done" },
    ],
    ["the branch: main, please", z.object({ branch: text }), { branch: "main" }],
    ["deploy on branch feature/x", z.object({ branch: text }), { branch: "feature/x" }],
    ["a budget of 1.5 million", z.object({ budget: z.number() }), { budget: 1_500_000 }],
    [
      "compare old.docx with new.docx",
      z.object({
        original: text.describe("Path of the original."),
        modified: text.describe("Path of the other."),
      }),
      { original: "old.docx", modified: "new.docx" },
    ],
    [
      "pack /site into site.zip",
      z.object({
        source: text.describe("The folder."),
        target: text.describe("Path of the archive.").optional(),
      }),
      { source: "/site", target: "site.zip" },
    ],
    ["join a.pdf and b.pdf", z.object({ files: z.array(text) }), { files: ["a.pdf", "b.pdf"] }],
    [
      "translate this from German into French",
      z.object({
        target: z.enum(["de", "fr"]).describe("ISO 639-1 code"),
        source_language: z.enum(["de", "fr"]),
      }),
      { target: "fr", source_language: "de" },
    ],
    ["make a Word document out of a.md", z.object({ to: z.enum(["pdf", "docx"]) }), { to: "docx" }],
    [
      "how much are 20 dollars in yen",
      z.object({ from: text.describe("ISO 4217 code to convert from"), to: text.describe("ISO 4217 code") }),
      { from: "USD", to: "JPY" },
    ],
    [
      "mail it, subject: Report, body: It is attached.",
      z.object({ subject: text, body: text }),
      { subject: "Report", body: "It is attached." },
    ],
    ["pages 10-12 please", z.object({ first: z.int(), last: z.int() }), { first: 10, last: 12 }],
    ["pay invoice 2026-118", z.object({ number: text }), { number: "2026-118" }],
    ["an event called Team lunch on March 20", z.object({ title: text }), { title: "Team lunch" }],
    ["what is Peter Parker's number", z.object({ name: text }), { name: "Peter Parker" }],
    ["search my mail for the rental agreement", z.object({ query: text }), { query: "rental agreement" }],
    ["remind me to water the plants", z.object({ text }), { text: "water the plants" }],
  ])("%j", (task, schema, expected) => {
    expect(mapPayload(task, zodSchema(schema).jsonSchema, { timezoneOf, now }).payload).toMatchObject(
      expected,
    );
  });

  test.each<[string, z.ZodObject, object]>([
    [
      "turn config.yaml into JSON",
      z.object({
        stdin: text.optional().describe("Text for its standard input, instead of a file."),
        file: text.optional(),
      }),
      { file: "config.yaml" },
    ],
    [
      "format this SQL: select a from t",
      z.object({ stdin: text.optional().describe("Text for its standard input, instead of a file.") }),
      { stdin: "select a from t" },
    ],
    ["delete the alert rule 4f2a", z.object({ rule_id: text }), { rule_id: "4f2a" }],
    [
      "decline the invite AAMk123",
      z.object({ event_id: text, response: text.describe("Response type. Values: accept, decline.") }),
      { event_id: "AAMk123", response: "decline" },
    ],
    ["render pipeline.dot", z.object({ files: text, Gname: text.optional() }), { files: "pipeline.dot" }],
    [
      "render pipeline.dot as an svg",
      z.object({
        files: text,
        T: text.optional().describe("Set output format to 'v'"),
        q: text.optional().describe("Set level of message suppression"),
      }),
      { files: "pipeline.dot", T: "svg" },
    ],
    ["render pipeline.dot", z.object({ files: text, P: z.boolean().optional() }), { files: "pipeline.dot" }],
    [
      "traduce contrato.md al inglés",
      z.object({
        input_file: text,
        target_lang: text.describe("ISO 639-1 code"),
        context: text.optional().describe("Path to a Markdown file with terms."),
      }),
      { input_file: "contrato.md", target_lang: "en" },
    ],
    ["übersetze es ins Französische", z.object({ target_lang: text }), { target_lang: "fr" }],
    ["把合同翻译成德语", z.object({ target_lang: text }), { target_lang: "de" }],
  ])("of a program that others wrote: %j", (task, schema, expected) => {
    expect(mapPayload(task, zodSchema(schema).jsonSchema, { now }).payload).toEqual(expected);
  });

  test.each(["meet me at 3pm", "compute the sha256 of it", "results of Q3", "a run of 3h30m"])(
    "%j names no identifier",
    (task) => {
      expect(mapPayload(task, zodSchema(z.object({ rule_id: text })).jsonSchema, { now }).payload).toEqual(
        {},
      );
    },
  );

  test("a choice of a task in another language is found in its English words", () => {
    const chart = zodSchema(z.object({ kind: z.enum(["bar", "line"]) })).jsonSchema;
    const inEnglish = () => "create a diagram with bars";
    expect(mapPayload("crée un graphique en barres", chart, { inEnglish }).payload).toEqual({ kind: "bar" });
    expect(mapPayload("crée un graphique en barres", chart).payload).toEqual({});
  });

  test("a required value that is not in the text is missing, not made up", () => {
    const schema = zodSchema(
      z.object({ url: z.url(), email: z.email(), count: z.int(), note: text.optional() }),
    ).jsonSchema;
    expect(mapPayload("do it", schema)).toMatchObject({ missing: ["url", "email", "count"] });
  });

  test("prose after a parameter's name is not its value", () => {
    const schema = zodSchema(
      z.object({ event: text.optional(), files: z.array(text).optional() }),
    ).jsonSchema;
    expect(mapPayload("tell me which event comes: a, b or c", schema).payload).toEqual({});
  });

  test("an unknown place is missing input where a default would answer for another place", () => {
    const schema = zodSchema(
      z.object({ timezone: text.default("UTC"), format: z.enum(["iso", "unix"]) }),
    ).jsonSchema;
    expect(mapPayload("what time is it in Gotham as unix", schema, { timezoneOf }).missing).toEqual([
      "timezone",
    ]);
    expect(mapPayload("what time is it as unix", schema, { timezoneOf }).missing).toEqual([]);
  });

  test("what points back to the step before is no text", () => {
    const schema = zodSchema(z.object({ path: text, content: text })).jsonSchema;
    expect(mapPayload("write it to rome.txt", schema)).toMatchObject({
      payload: { path: "rome.txt" },
      missing: ["content"],
    });
  });

  test.each([
    ["read the report", z.object({ path: text })],
    ["compare the contracts", z.object({ original: text.describe("Path of the original version.") })],
    ["draw a chart of my sales", z.object({ data: text.describe("Path of the CSV file.") })],
    ["do I have mail?", z.object({ subject: text })],
  ])("%j: the sentence is neither a path nor a heading", (task, schema) => {
    expect(mapPayload(task, zodSchema(schema).jsonSchema)).toMatchObject({ payload: {} });
  });

  test("a file extension is not a choice", () => {
    const schema = zodSchema(z.object({ path: text, to: z.enum(["pdf", "html"]) })).jsonSchema;
    expect(mapPayload("convert report.pdf", schema)).toMatchObject({ missing: ["to"] });
  });

  test("the rest of a sentence is a guess, a marked value is not", () => {
    const schema = zodSchema(z.object({ body: text })).jsonSchema;
    expect(mapPayload("cheer up the team", schema).guessed).toEqual(["body"]);
    expect(mapPayload('send "cheer up"', schema).guessed).toEqual([]);
    expect(mapPayload("send this: cheer up", schema).guessed).toEqual([]);
  });

  test("a part of a call in code is not a value", () => {
    const { payload } = mapPayload(
      "run python code print(1+1)",
      zodSchema(z.object({ code: text })).jsonSchema,
    );
    expect(payload.code).toContain("print(1+1)");
  });

  test("a parameter name in another script does not count as mentioned", () => {
    const schema = zodSchema(z.object({ 標籤: z.array(text).optional() })).jsonSchema;
    expect(mapPayload("compare these: a, b and c", schema).payload).toEqual({});
  });

  test("a parameter with a default is not missing", () => {
    const schema = zodSchema(z.object({ timezone: text.default("UTC") })).jsonSchema;
    expect(mapPayload("what time is it", schema)).toMatchObject({ payload: {}, missing: [] });
  });

  test("constants are always set", () => {
    const schema = zodSchema(z.object({ action: text, name: text })).jsonSchema;
    expect(
      mapPayload("make a plan", schema, { constants: { action: "generate-plan" } }).payload,
    ).toMatchObject({ action: "generate-plan" });
  });

  test("any text gives an answer, and the same one each time", () => {
    const schema = zodSchema(
      z.object({ url: z.url(), n: z.number(), list: z.array(text), content: text }),
    ).jsonSchema;
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (task) => {
        const [first, again] = [mapPayload(task, schema), mapPayload(task, schema)];
        return JSON.stringify(first) === JSON.stringify(again);
      }),
    );
  });

  test("a megabyte of text is handled", () => {
    const schema = zodSchema(z.object({ content: text, path: text, n: z.number() })).jsonSchema;
    expect(mapPayload(`write ${"a/b.c 1 ".repeat(130_000)}`, schema).payload).toHaveProperty("content");
  });
});
