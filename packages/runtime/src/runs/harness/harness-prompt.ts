/**
 * The prompt of a starting program: only the new message when it remembers the rest, otherwise the conversation too.
 * Pure: decided from the messages and from how far the program's own session reaches.
 */
import {
  type ConversationMessage,
  type FilePart,
  type ToolCallPart,
  toolOutputText,
} from "@capstan/core/internal";

const MOST_CHARS = 200_000; // about 50k tokens of conversation; a program's own session would have been compacted by then
const MOST_RESULT_CHARS = 4_000;

export interface HarnessPrompt {
  readonly prompt: string;
  readonly files: readonly FilePart[];
}

/** For a program that knows everything up to and including `knows`; nothing when undefined. */
export function promptAfter(
  messages: readonly ConversationMessage[],
  knows: string | undefined,
): HarnessPrompt {
  const at = knows === undefined ? -1 : messages.findIndex(({ id }) => id === knows);
  const told = messages.slice(at + 1);
  const from = told.findLastIndex(({ role }) => role !== "user") + 1;
  const before = told.slice(0, from);
  const asked = told.slice(from);
  const words = asked.map(allText).join("\n\n");
  return {
    prompt: [...earlier(before, messages, at >= 0), words || GO_ON].join("\n\n"),
    files: filesOf(asked),
  };
}

/** For a program that was interrupted, and whose own session knows how far it got. */
export function promptAfterCrash(
  messages: readonly ConversationMessage[],
  answered: readonly ConversationMessage[],
): HarnessPrompt {
  const asked = messages.findLast(({ role }) => role === "user");
  const prompt = [STOPPED, ...earlier(answered, messages, true), asked ? allText(asked) : GO_ON];
  return { prompt: prompt.join("\n\n"), files: asked ? filesOf([asked]) : [] };
}

const GO_ON = "Continue from there.";
const STOPPED =
  "[You were interrupted before you finished. Continue with the message below where you stopped, and do not repeat completed work.]";

function earlier(
  told: readonly ConversationMessage[],
  all: readonly ConversationMessage[],
  knowsSome: boolean,
): string[] {
  if (told.length === 0) return [];
  const calls = callsById(all);
  const lines = told.map((message) => transcriptOf(message, calls)).filter((text) => text !== "");
  const text = lines.join("\n");
  const cut = text.length > MOST_CHARS ? `[...]\n${text.slice(-MOST_CHARS)}` : text;
  return [`[${knowsSome ? "What happened meanwhile" : "The conversation so far"}:]\n${cut}\n[End of it.]`];
}

function transcriptOf(message: ConversationMessage, calls: ReadonlyMap<string, ToolCallPart>): string {
  if (message.role === "user") return `User: ${allText(message)}`;
  if (message.role === "assistant") {
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return text === "" ? "" : `You: ${text}`;
  }
  return message.content
    .map(({ toolCallId, toolName, output, editedInput }) => {
      const input = editedInput ?? calls.get(toolCallId)?.input ?? {};
      const edited = editedInput === undefined ? "" : " (arguments changed by a person)";
      const result = toolOutputText(output).slice(0, MOST_RESULT_CHARS);
      return `You called ${toolName}(${JSON.stringify(input)})${edited}. Its result: ${result}`;
    })
    .join("\n");
}

function callsById(messages: readonly ConversationMessage[]): Map<string, ToolCallPart> {
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
  );
  return new Map(calls.map((call) => [call.toolCallId, call]));
}

/** Includes what the engine added for the model. */
const allText = (message: ConversationMessage): string =>
  message.role === "user"
    ? message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
    : "";

const filesOf = (messages: readonly ConversationMessage[]): FilePart[] =>
  messages.flatMap((message) =>
    message.role === "user" ? message.content.filter((part) => part.type === "file") : [],
  );
