import { expect, test } from "vitest";
import { type Reader, replicaReader } from "./replica-reader.ts";

const answering = (rows: string) => ({ query: async () => ({ rows: [rows] }) }) as unknown as Reader;
const failing = (error: Error) => ({ query: () => Promise.reject(error) }) as unknown as Reader;
const withCode = (code: string) => Object.assign(new Error(code), { code });

test("a read goes to the replica", async () => {
  const reader = replicaReader(answering("replica"), answering("primary"));
  expect((await reader.query("select 1")).rows).toEqual(["replica"]);
});

test.each([
  ["it is stopping", "57P01"],
  ["it cancels the read to catch up", "40001"],
])("while %s, a read goes to the primary", async (_why, code) => {
  const reader = replicaReader(failing(withCode(code)), answering("primary"));
  expect((await reader.query("select 1")).rows).toEqual(["primary"]);
});

test("an error of the statement is reported, not retried", async () => {
  const reader = replicaReader(failing(withCode("42601")), answering("primary"));
  await expect(reader.query("selct 1")).rejects.toThrow("42601");
});
