import { expect, test } from "vitest";
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
