/** The part of a conversation that the demo model reads: the last message, and the calls and results since. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { JsonValue } from "@capstan/core";

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, JsonValue>>;
}

export interface ToolAnswer {
  readonly tool: string;
  readonly input: Readonly<Record<string, JsonValue>>;
  readonly value: unknown;
  readonly isError: boolean;
}

export interface Turn {
  readonly task: string;
  readonly calls: readonly Call[];
  readonly answers: readonly ToolAnswer[];
}

/** What the model says next: text, a call, or text and then a call. */
export interface Reply {
  readonly text?: string;
  readonly call?: Call;
  /** Said after the text a word at a time, so that it can be stopped. */
  readonly slowly?: string;
}

export const lastTurn = (prompt: LanguageModelV4Prompt): Turn =>
  turnSince(
    prompt,
    prompt.findLastIndex(({ role }) => role === "user"),
  );

/** The message at this place, and every call and answer after it. */
export function turnSince(prompt: LanguageModelV4Prompt, at: number): Turn {
  const since = prompt.slice(at + 1);
  const calls = since.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) =>
          part.type === "tool-call"
            ? [{ id: part.toolCallId, tool: part.toolName, input: inputOf(part.input) }]
            : [],
        )
      : [],
  );
  const answers = since.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part): ToolAnswer[] => {
          if (part.type !== "tool-result") return [];
          const { output, toolName, toolCallId } = part;
          const input = calls.find(({ id }) => id === toolCallId)?.input ?? {};
          const value = "value" in output ? output.value : undefined;
          return [{ tool: toolName, input, value, isError: output.type.startsWith("error") }];
        })
      : [],
  );
  return { task: userText(prompt[at]), calls: calls.map(({ tool, input }) => ({ tool, input })), answers };
}

/** The first text of a user's message; what follows it are attachments. */
export function userText(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.find((part) => part.type === "text")?.text ?? "";
}

const inputOf = (input: unknown): Record<string, JsonValue> =>
  typeof input === "object" && input !== null ? (input as Record<string, JsonValue>) : {};
