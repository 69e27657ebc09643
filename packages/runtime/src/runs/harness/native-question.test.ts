import type { ConversationMessage, ToolCallPart } from "@capstan/core/internal";
import { expect, test } from "vitest";
import type { Answer } from "../claim/claimed-segment.ts";
import { lateAnswer, nativeResult, wasApproved } from "./native-question.ts";

const bash = (toolCallId: string, command: string): ToolCallPart => ({
  type: "tool-call",
  toolCallId,
  toolName: "Bash",
  input: { command, cwd: "/" },
});
const answer = (status: Answer["status"]): Answer => ({
  callId: "1",
  status,
  words: null,
  edited: null,
  by: "ann@example.com",
  pin: null,
});
const before: ConversationMessage = { id: "m", role: "assistant", content: [bash("1", "ls")] };

test.each([
  ["the same call", "approved", "ls", true],
  ["another command", "approved", "rm", false],
  ["a call that was denied", "denied", "ls", false],
] as const)("a late approval counts for %s: %s", (_, status, command, counts) => {
  const context = { claim: { answers: [answer(status)] }, messages: [before] };
  expect(wasApproved(context, bash("2", command))).toBe(counts);
});

test.each([
  ["approved", /Make the call again/],
  ["denied", /ann@example.com denied it/],
  ["expired", /not answered in time/],
] as const)("a program that ended before the answer to %s is told so", (status, said) => {
  const { message, nextStep } = lateAnswer(bash("1", "ls"), answer(status));
  expect(`${message} ${nextStep}`).toMatch(said);
});

test.each([
  ["that ran with them says so", { output: "made" }, "approved", true],
  ["that failed with them says so", { output: "no", isError: true }, "approved", true],
  [
    "that was denied, because its program takes none, does not",
    { isError: true, denied: true },
    "approved",
    false,
  ],
  ["that a person denied does not", { isError: true, denied: true }, "denied", false],
] as const)("a call with arguments that a person changed, %s", (_, ended, status, says) => {
  const edited = { command: "ls -a", cwd: "/" };
  const event = { type: "tool-ended", id: "cli_1", tool: "Bash", isError: false, ...ended } as const;
  const context = { claim: { answers: [{ ...answer(status), edited }] } };
  expect(nativeResult(context, bash("1", "ls"), event).edited).toEqual(says ? edited : undefined);
});

test("a call that a person approved as it was has no changed arguments", () => {
  const event = { type: "tool-ended", id: "cli_1", tool: "Bash", isError: false, output: "a" } as const;
  const context = { claim: { answers: [answer("approved")] } };
  expect(nativeResult(context, bash("1", "ls"), event)).toEqual({ output: { type: "text", value: "a" } });
});
