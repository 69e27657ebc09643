/** Cases of a dataset: made of recorded runs and files, without secrets, and complete enough to be replayed. */
import { describe, expect, test } from "vitest";
import type { ConversationMessage } from "../messages.ts";
import type { RecordedCall } from "../replay/recording.ts";
import type { FindSpans } from "../text-checks/text-check.ts";
import { readCsv } from "./csv.ts";
import { itemOfRun, recordingOfItem } from "./dataset-item.ts";
import { scrub } from "./scrub.ts";

const call = (fields: Partial<RecordedCall>): RecordedCall => ({
  id: "c",
  turn: 0,
  tool: "find",
  input: { id: "17" },
  gate: "allowed",
  ...fields,
});
const said = (role: "user" | "assistant", text: string): ConversationMessage => ({
  id: text,
  role,
  content: [{ type: "text", text }],
});
const figures = { answer: "Done.", outcome: "done", tokens: 5, costUsd: 0.1, modelMs: 20 };

describe("a recorded run as an item", () => {
  const calls = [
    call({ id: "a", output: { type: "json", value: { order: 17 } } }),
    call({
      id: "b",
      turn: 1,
      tool: "refund",
      gate: "denied",
      output: { type: "error-json", value: { code: "rule_denied", message: "no", nextStep: "ask" } },
    }),
  ];
  const before = [said("user", "Hi"), said("assistant", "Hello"), said("user", "Refund 17")];
  const item = itemOfRun("one", { before, calls, ...figures });

  test("has the message, what was said before, each call with its result, and the answer", () => {
    expect(item).toEqual({
      id: "one",
      input: "Refund 17",
      history: [
        { role: "user", text: "Hi" },
        { role: "assistant", text: "Hello" },
      ],
      stubs: [
        { tool: "find", input: { id: "17" }, output: { order: 17 }, turn: 0 },
        {
          tool: "refund",
          input: { id: "17" },
          error: { code: "rule_denied", message: "no", nextStep: "ask" },
          turn: 1,
          gate: "denied",
        },
      ],
      recorded: { answer: "Done.", outcome: "done", tokens: 5, cost_usd: 0.1, model_ms: 20 },
    });
  });

  test("gives a replay the same calls and results again", () => {
    const recording = recordingOfItem(item);
    const results = recording.calls.map(({ turn, tool, input, gate, output }) => ({
      turn,
      tool,
      input,
      gate,
      output,
    }));
    expect(results).toEqual(
      calls.map(({ turn, tool, input, gate, output }) => ({ turn, tool, input, gate, output })),
    );
    expect(recording.before.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(recording.messages.map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
    ]);
  });

  test("keeps the arguments that a person changed, with the result that belongs to them", () => {
    const edited = { id: "18" };
    const paid = call({ gate: "asked", edited, output: { type: "json", value: 1 } });
    const kept = itemOfRun("two", { before, calls: [paid], ...figures });
    expect(kept.stubs).toMatchObject([{ input: { id: "17" }, edited, gate: "asked", output: 1 }]);
    expect(recordingOfItem(kept).calls).toMatchObject([{ input: { id: "17" }, edited }]);
  });

  test("takes a stub without arguments for a stand-in", () => {
    const { calls: made, standIns } = recordingOfItem({
      id: "x",
      input: "hi",
      stubs: [{ tool: "find", output: "nothing" }],
    });
    expect([made, standIns]).toEqual([[], [{ tool: "find", output: "nothing" }]]);
  });
});

describe("scrubbing", () => {
  const secret: FindSpans = (line) =>
    [...line.matchAll(/sk-\w{8,}/g)].map((found) => [found.index, found.index + found[0].length] as const);
  const KEY = "sk-abcdefgh12";

  test("gives the same secret the same placeholder, and says where it was", () => {
    const item = {
      input: `Use ${KEY} and sk-otherother`,
      stubs: [{ input: { key: KEY }, output: `ok ${KEY}` }],
    };
    const { value, scrubbed } = scrub(item, { secret });
    expect(value).toEqual({
      input: "Use [secret 2] and [secret 1]",
      stubs: [{ input: { key: "[secret 2]" }, output: "ok [secret 2]" }],
    });
    expect(scrubbed.map(({ path }) => path)).toEqual([
      "/input",
      "/input",
      "/stubs/0/input/key",
      "/stubs/0/output",
    ]);
    expect(JSON.stringify(scrubbed)).not.toContain("sk-");
  });

  test.each([
    ["password is hunter2isBad", "hunter2isBad"],
    ['{"password":"correct horse","user":"ann"}', "correct horse"],
    ['"{\\"api_key\\": \\"hunter2x\\"}"', "hunter2x"],
    ["postgres://app:s3cr3t@10.0.0.1/db", "s3cr3t"],
    ["Authorization: Bearer abcdef0123456789", "abcdef0123456789"],
    ["see https://x.org/a?page=2&access_token=abc12345", "abc12345"],
    ["https://x.org/a?token=abc12345", "abc12345"],
    ["aws_secret_access_key = wJalrXUtnF3MI/K7", "wJalrXUtnF3MI/K7"],
    ["AccountName=x;AccountKey=AbCd01==;End", "AbCd01=="],
    ["Cookie: a=b; session=abc", "a=b; session=abc"],
    ["https://hooks.slack.com/services/T0001/B0001/abcdefgh", "T0001/B0001/abcdefgh"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"],
  ])("takes out what stands behind a secret's name: %s", (text, value) => {
    const { value: clean, scrubbed } = scrub({ text }, {});
    expect(clean.text).toContain("[secret 1]");
    expect(clean.text).not.toContain(value);
    expect(scrubbed).toMatchObject([{ path: "/text", kind: "secret" }]);
  });

  test.each([
    "the token: required",
    "apiKey: process.env.API_KEY",
    "password is missing",
    "max_tokens: 4096000",
    "next_page_token=abc123456",
    "see https://x.org:8080/a1b2c3",
  ])("leaves ordinary words: %s", (text) => expect(scrub({ text }, {}).value).toEqual({ text }));

  test.each([
    "password",
    "userPassword",
    "clientSecret",
    "APIKey",
    "X-Api-Key",
    "secret access key",
    "idToken",
    "token",
    "db_pass",
    "signing_key",
    "Set-Cookie",
  ])("takes out the value of a field named %s, whatever it is", (name) => {
    expect(scrub({ [name]: "plain" }, {}).value).toEqual({ [name]: "[secret 1]" });
    expect(scrub({ [name]: { user: "ann", list: [837123] } }, {}).value).toEqual({
      [name]: { user: "[secret 1]", list: ["[secret 2]"] },
    });
  });

  test.each([
    "tokens",
    "total_tokens",
    "key",
    "public_key",
    "passenger",
    "compass",
    "cursor",
    "next_page_token",
  ])("leaves the value of a field named %s", (name) =>
    expect(scrub({ [name]: "plain" }, {}).value).toEqual({ [name]: "plain" }),
  );

  test("leaves a schema that has a field named so", () => {
    const schema = { properties: { password: { type: "string", minLength: 8 } } };
    expect(scrub(schema, {}).value).toEqual(schema);
  });

  test("takes out a key that is the name of a field, also from the place where it was", () => {
    const { value, scrubbed } = scrub({ [KEY]: 1 }, { secret });
    expect(value).toEqual({ "[secret 1]": 1 });
    expect(JSON.stringify(scrubbed)).not.toContain(KEY);
  });

  test("takes out what a field's name says is secret, also where it is repeated in a sentence", () => {
    const { value, scrubbed } = scrub({ password: "correct horse", text: "It is correct horse." }, {});
    expect(value).toEqual({ password: "[secret 1]", text: "It is [secret 1]." });
    expect(scrubbed.map(({ path }) => path)).toEqual(["/password", "/text"]);
  });

  test("leaves everything else as it is", () => {
    const item = { total_tokens: 5, tokens: "five", secretary: "Ada", list: [1, null, "x"] };
    expect(scrub(item, { secret })).toEqual({ value: item, scrubbed: [] });
  });
});

describe("CSV", () => {
  test.each<[string, unknown]>([
    ["id,input\n1,hello\n", [{ id: "1", input: "hello" }]],
    ['\uFEFFid,input\r\n1,"a, ""b""\nc"\r\n\r\n', [{ id: "1", input: 'a, "b"\nc' }]],
    ["id,input\n1,", [{ id: "1", input: "" }]],
    [
      'id;input\r\n1;"a;b"\r\n2;a,b\r\n',
      [
        { id: "1", input: "a;b" },
        { id: "2", input: "a,b" },
      ],
    ],
    ["id\tinput\n1\ta;b\n", [{ id: "1", input: "a;b" }]],
    ["\uFEFFsep=;\r\nid;input\r\n1;a\r\n", [{ id: "1", input: "a" }]],
    ["sep=|\nid|input\n1|a;b,c\n", [{ id: "1", input: "a;b,c" }]],
    ["id,input;output\n1,a\n", [{ id: "1", "input;output": "a" }]],
    ["id,input\n'-5,=x", [{ id: "-5", input: "=x" }]],
  ])("%j is read", (text, rows) => {
    expect(readCsv(text)).toEqual({ ok: true, value: rows });
  });

  test.each([
    ["a column that is there twice", "id,input,input\n1,a,b\n", 'row 1: the column "input" is there twice'],
    [
      "more cells than columns",
      "id,input\n1,a\n2,b,c\n",
      "row 3: it has more cells than there are columns (2)",
    ],
  ])("refuses %s", (_what, text, where) => expect(readCsv(text)).toEqual({ ok: false, where }));

  test("with an open quote is refused by its row", () => {
    expect(readCsv('id,input\n1,"never closed\n')).toEqual({
      ok: false,
      where: "row 2: a quote that is not closed",
    });
  });
});
