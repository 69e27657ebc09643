import type { ConversationMessage, ToolCallPart } from "@capstan/core/internal";
import { expect, test } from "vitest";
import type { Answer } from "../claim/claimed-segment.ts";
import { lateAnswer, wasApproved } from "./native-question.ts";

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
