/**
 * What is carried over when a session continues in another program. Pure. The conversation is the journal, so most of
 * it is; a person sees the rest before anything changes.
 */
import type { RuntimeAgent } from "@capstan/core";
import { type ConversationMessage, NATIVE_AGENT } from "@capstan/core/internal";
import { type ToldConversation, toldConversation } from "./harness-prompt.ts";

export interface CompatibilityLine {
  readonly what: string;
  readonly detail: string;
}

export interface Compatibility {
  readonly comesAlong: readonly CompatibilityLine[];
  readonly leftBehind: readonly CompatibilityLine[];
}

export interface ProgramChange {
  /** The agent as it runs now, and as it would run. */
  readonly now: RuntimeAgent;
  readonly then: RuntimeAgent;
  readonly messages: readonly ConversationMessage[];
  readonly files: number;
}

export function compatibilityOf(change: ProgramChange): Compatibility {
  const told = toldConversation(change.messages);
  return { comesAlong: comesAlong(change, told), leftBehind: leftBehind(change, told) };
}

function comesAlong({ then, files }: ProgramChange, told: ToldConversation): CompatibilityLine[] {
  const lines = [
    line("history", told.messages > 0, `${count(told.messages, "message")} of the conversation`),
    line("tool results", told.toolResults > 0, `${count(told.toolResults, "result")} of tools`),
    line("files", files > 0, `${count(files, "file")} of the session`),
    line(
      "folder",
      then.spec.folder !== undefined && then.spec.harness !== NATIVE_AGENT,
      `the branch of ${then.spec.folder} with what was changed so far`,
    ),
    line("todos", told.tasks, "the list of tasks as it was last written"),
    line(
      "tools",
      then.tools.length > 0,
      `${count(then.tools.length, "tool")} of the agent, with their policies`,
    ),
    line("prompt", true, "the agent's prompt, rights and limits"),
  ];
  return lines.flat();
}

function leftBehind({ now, then }: ProgramChange, told: ToldConversation): CompatibilityLine[] {
  const to = then.spec.harness;
  const from = now.spec.harness;
  const isTold = to !== NATIVE_AGENT; // a program is told the conversation as text; the native loop has it as it is
  const { model, thinkingEffort, thinkingBudget } = now.spec;
  const loses = thinkingEffort !== then.spec.thinkingEffort || thinkingBudget !== then.spec.thinkingBudget;
  const thinking = thinkingEffort ?? `${thinkingBudget} tokens`;
  const lines = [
    line(
      "thoughts",
      told.thoughts > 0,
      `${count(told.thoughts, "thought")} of the model: ${to} is not told them`,
    ),
    line(
      "beginning",
      isTold && told.cutChars > 0,
      `the first ${told.cutChars} characters of the conversation, which is too long to be told whole`,
    ),
    line(
      "long results",
      isTold && told.cutResults > 0,
      `the end of ${count(told.cutResults, "long result")} of tools`,
    ),
    line(
      "attachments",
      isTold && told.attachments > 0,
      `${count(told.attachments, "attachment")} of earlier messages: named to ${to}, not shown`,
    ),
    line(
      "program's session",
      from !== NATIVE_AGENT && from !== to,
      `${from}'s own session: its summaries, checkpoints and permissions`,
    ),
    line(
      "model",
      model !== undefined && model !== then.spec.model,
      `the model ${model}: ${to} runs ${then.spec.model ?? "its default"}`,
    ),
    line("thinking", loses, `the agent's thinking (${thinking}): ${to} or its model does not take it`),
    line(
      "folder",
      now.spec.folder !== undefined && to === NATIVE_AGENT,
      `the branch of ${now.spec.folder}: it stays as it is, and the native loop works on session files`,
    ),
    line(
      "own tools",
      now.spec.allowNativeTools && from !== NATIVE_AGENT && to === NATIVE_AGENT,
      `${from}'s own tools: the native loop has the agent's tools alone`,
    ),
  ];
  return lines.flat();
}

const line = (what: string, applies: boolean, detail: string): CompatibilityLine[] =>
  applies ? [{ what, detail }] : [];

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
