/** Stored messages as entries: people's messages, and complete turns without events in this session (a fork's history). */
import type { Message, StoredPart } from "@capstan/client";
import { type ListedTask, taskListIn } from "@capstan/core/internal";
import type { Entry, Media, ToolEntry, UserMessage } from "./entries.ts";
import { isFailureText } from "./tool-result.ts";

export function userMessage({
  id,
  position,
  content,
}: Pick<Message, "id" | "position" | "content">): UserMessage {
  return {
    id,
    position,
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    media: content.flatMap(mediaIn),
  };
}

function mediaIn(part: StoredPart): Media[] {
  if (part.type !== "image" && part.type !== "file") return [];
  const { mime_type: mimeType, name, path, url, data } = part;
  return [{ mimeType, name, path, url, data }];
}

/** The last list of tasks that was written, for a session whose events do not tell it: a fork's. */
export function storedTodos(messages: readonly Message[]): readonly ListedTask[] | undefined {
  const calls = messages.flatMap(({ content }) => content).filter((part) => part.type === "tool-call");
  return calls.map(({ input }) => taskListIn(input)).findLast((todos) => todos !== undefined);
}

/** A turn as it was stored: without times, but whole. */
export function storedEntries(messages: readonly Message[]): Entry[] {
  const results = new Map<string, Outcome>();
  for (const part of messages.flatMap(({ content }) => content))
    if (part.type === "tool-result") results.set(part.tool_call_id, outcomeOf(part));
  return messages.flatMap((message): Entry[] => {
    const runId = message.run_id ?? message.id;
    if (message.role === "user") return [{ kind: "user", id: runId, runId, message: userMessage(message) }];
    if (message.role !== "assistant") return [];
    return message.content.flatMap((part, index) => assistantEntry(message.id, part, index, runId, results));
  });
}

function assistantEntry(
  messageId: string,
  part: StoredPart,
  index: number,
  runId: string,
  results: ReadonlyMap<string, Outcome>,
): Entry[] {
  const id = index === 0 ? messageId : `${messageId}.${index}`;
  if (part.type === "text" || part.type === "reasoning")
    return part.text === "" ? [] : [{ kind: part.type, id, runId, text: part.text, done: true }];
  if (part.type !== "tool-call") return [];
  return [
    {
      kind: "tool",
      id: part.tool_call_id,
      runId,
      name: part.tool_name,
      messageId,
      argumentsText: JSON.stringify(part.input ?? {}),
      ready: true,
      ...results.get(part.tool_call_id),
    },
  ];
}

type Outcome = Pick<ToolEntry, "result" | "edited">;

function outcomeOf({
  output,
  is_error,
  edited_input,
}: Extract<StoredPart, { type: "tool-result" }>): Outcome {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { result: { text, failed: is_error || isFailureText(text) }, edited: edited_input };
}
