import { describe, expect, test } from "vitest";
import { opencodeServerReader } from "./opencode-server-reader.ts";

const sse = (type: string, properties: object) => JSON.stringify({ type, properties });
const message = (id: string, time: object) =>
  sse("message.updated", { info: { id, role: "assistant", sessionID: "ses_1", time } });
const words = (messageID: string, text: string) =>
  sse("message.part.updated", { part: { id: `prt_${messageID}`, type: "text", messageID, text } });

test("a forked session's copied answers are not told as words of this run", () => {
  const reader = opencodeServerReader();
  const told = [
    JSON.stringify({ id: "open", status: 200, body: { id: "ses_1" } }),
    message("msg_old", { created: 1, completed: 2 }),
    words("msg_old", "Before."),
    message("msg_new", { created: 3 }),
    words("msg_new", "Now."),
    message("msg_new", { created: 3, completed: 4 }),
  ].flatMap((line) => reader.onLine(line).events);
  expect(told.filter(({ type }) => type === "text-delta")).toEqual([{ type: "text-delta", text: "Now." }]);
});

describe("a step that ends without a word", () => {
  const part = (type: string, reason?: string) =>
    sse("message.part.updated", {
      part: { id: `prt_${type}`, type, messageID: "msg_1", text: "Hi.", reason },
    });
  const retries = (...lines: string[]) => {
    const reader = opencodeServerReader();
    const opened = [
      JSON.stringify({ id: "open", status: 200, body: { id: "ses_1" } }),
      message("msg_1", { created: 1 }),
      part("step-start"),
    ];
    return [...opened, ...lines]
      .flatMap((line) => reader.onLine(line).events)
      .filter(({ type }) => type === "retry");
  };

  test("is told as a try again, if it does not say why: another one follows without end", () => {
    expect(retries(part("step-finish", "unknown"))).toEqual([
      { type: "retry", message: expect.stringContaining("answer was empty") },
    ]);
  });

  test.each([
    ["one that says why is not", [part("step-finish", "stop")]],
    ["one with text is not", [part("text"), part("step-finish", "unknown")]],
  ])("%s", (_, lines) => {
    expect(retries(...lines)).toEqual([]);
  });
});
