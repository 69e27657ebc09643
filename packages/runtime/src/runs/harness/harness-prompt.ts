/**
 * The prompt of a starting program: only the new message when it remembers the rest, otherwise the conversation too.
 * Pure: decided from the messages and from how far the program's own session reaches.
 */
import {
  type ConversationMessage,
  type FilePart,
  type ToolCallPart,
  taskListIn,
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
  const prompt = [INTERRUPTED, ...earlier(answered, messages, true), asked ? allText(asked) : GO_ON];
  return { prompt: prompt.join("\n\n"), files: asked ? filesOf([asked]) : [] };
}

const GO_ON = "Continue from there.";
/** Begins the prompt of a program that was interrupted. */
export const INTERRUPTED =
  "[You were interrupted before you finished. Continue with the message below where you stopped, and do not repeat completed work.]";

function earlier(
  told: readonly ConversationMessage[],
  all: readonly ConversationMessage[],
  knowsSome: boolean,
): string[] {
  if (told.length === 0) return [];
  const text = transcript(told, all);
  const isCut = text.length > MOST_CHARS;
  const cut = isCut ? [...taskList(all), "[...]", text.slice(-MOST_CHARS)].join("\n") : text;
  return [`[${knowsSome ? "What happened meanwhile" : "The conversation so far"}:]\n${cut}\n[End of it.]`];
}

function transcript(told: readonly ConversationMessage[], all: readonly ConversationMessage[]): string {
  const calls = callsById(all);
  return told
    .map((message) => transcriptOf(message, calls))
    .filter((text) => text !== "")
    .join("\n");
}

/** The last task list, whichever tool wrote it: it may be in the part of the conversation that is cut off. */
function taskList(all: readonly ConversationMessage[]): string[] {
  const last = [...callsById(all).values()].findLast(({ input }) => taskListIn(input) !== undefined);
  return last ? [`[Your list of tasks, as you last wrote it: ${JSON.stringify(last.input)}]`] : [];
}

/** What is left out for a program that starts from the conversation. */
export interface ToldConversation {
  readonly messages: number;
  readonly toolResults: number;
  readonly tasks: boolean;
  /** Number of characters cut off at the beginning. */
  readonly cutChars: number;
  readonly cutResults: number;
  readonly thoughts: number;
  /** Attachments of earlier messages, which are only named. */
  readonly attachments: number;
}

export function toldConversation(messages: readonly ConversationMessage[]): ToldConversation {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
  const isLong = ({ output }: (typeof results)[number]) => toolOutputText(output).length > MOST_RESULT_CHARS;
  const thoughts = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "reasoning") : [],
  );
  return {
    messages: messages.length,
    toolResults: results.length,
    tasks: taskList(messages).length > 0,
    cutChars: Math.max(0, transcript(messages, messages).length - MOST_CHARS),
    cutResults: results.filter(isLong).length,
    thoughts: thoughts.length,
    attachments: filesOf(messages).length,
  };
}

function transcriptOf(message: ConversationMessage, calls: ReadonlyMap<string, ToolCallPart>): string {
  if (message.role === "user")
    return [`User: ${allText(message)}`, ...filesOf([message]).map(named)].join("\n");
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

const named = ({ source, filename = "a file" }: FilePart): string =>
  `[Attached: ${source.type === "session" ? `.${source.path}` : source.type === "url" ? source.url : filename}]`;

const filesOf = (messages: readonly ConversationMessage[]): FilePart[] =>
  messages.flatMap((message) =>
    message.role === "user" ? message.content.filter((part) => part.type === "file") : [],
  );
