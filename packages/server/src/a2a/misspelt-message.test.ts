import { describe, expect, test } from "vitest";
import { misspeltMessage } from "./misspelt-message.ts";

const sent = (message: object, more: object = {}, method = "SendMessage") =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message: { parts: [], ...message }, ...more } });

describe("a message of A2A", () => {
  test.each([
    ["a task's id in another case", sent({ taskid: "t" }), 'unknown field "taskid", use "taskId"'],
    [
      "a context's id in another case",
      sent({ contextID: "c" }),
      'unknown field "contextID", use "contextId"',
    ],
    [
      "a misspelt setting",
      sent({}, { configuration: { returnImmediatly: true } }),
      'did you mean "returnImmediately"',
    ],
    ["a misspelt configuration", sent({}, { configurations: {} }), 'did you mean "configuration"'],
    [
      "two contents in a part",
      sent({ parts: [{ text: "a", data: {} }] }),
      "message.parts[0] has more than one",
    ],
    ["the same over 0.3", sent({ taskid: "t" }, {}, "message/send"), 'use "taskId"'],
  ])("is refused for %s", (_what, body, said) => {
    expect(misspeltMessage(body)).toContain(said);
  });

  test.each([
    [
      "both spellings of the protocol",
      sent({ context_id: "c", taskId: "t" }, { configuration: { history_length: 1 } }),
    ],
    ["members of extensions", sent({ somethingNew: 1 }, { traceState: {} })],
    ["other methods", JSON.stringify({ method: "GetTask", params: { ID: "t" } })],
    ["what is not JSON", "{"],
  ])("passes with %s", (_what, body) => {
    expect(misspeltMessage(body)).toBeUndefined();
  });
});
