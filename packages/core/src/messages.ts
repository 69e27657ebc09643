/**
 * The conversation as stored; it is also the journal of a run. A model call is committed by its assistant
 * message, a tool call by its tool message. Parts are shaped as model providers take them.
 */
import type { JsonValue } from "./schema.ts";

type ProviderData = { readonly [provider: string]: { readonly [key: string]: JsonValue } };

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** Set on messages the engine added for the model (feedback, a repair request, a schema); hidden from people. */
  readonly origin?: string;
  /** The attachment that the text replaces for a model that cannot read it; people see the attachment. */
  readonly attachment?: FilePart;
  /** The answer was cut off here: by a person, or by a limit. */
  readonly interrupted?: true;
  readonly providerOptions?: ProviderData;
}

/** Where an attachment's bytes are. `session` = a path in the session's file system, read when the model is called. */
export type FileSource =
  | { readonly type: "data"; readonly base64: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "session"; readonly path: string };

export interface FilePart {
  readonly type: "file";
  /** `image/png`, `application/pdf` and the like. */
  readonly mediaType: string;
  readonly filename?: string;
  readonly source: FileSource;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  /** Signatures and encrypted reasoning, which must go back to the provider unchanged. */
  readonly providerOptions?: ProviderData;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly providerOptions?: ProviderData;
}

export type ToolOutput =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "json"; readonly value: JsonValue }
  /** A refusal or a failure: code, message, nextStep. */
  | { readonly type: "error-json"; readonly value: JsonValue };

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolOutput;
  /** Arguments edited by a person; the call ran with these. */
  readonly editedInput?: JsonValue;
}

export type UserPart = TextPart | FilePart;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export type ConversationMessage =
  | { readonly id: string; readonly role: "user"; readonly content: readonly UserPart[] }
  | { readonly id: string; readonly role: "assistant"; readonly content: readonly AssistantPart[] }
  | { readonly id: string; readonly role: "tool"; readonly content: readonly ToolResultPart[] };

/** How a message that asks for a summary of the conversation begins. */
export const SUMMARY_REQUEST = "[Summarise the conversation so far.]";

/** The tool calls of a message; none unless it is the model's. */
export const toolCallsOf = (message: ConversationMessage): ToolCallPart[] =>
  message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [];

/** The text of a message as people see it. */
export const textOf = (message: ConversationMessage): string =>
  message.role === "tool"
    ? message.content.map(({ output }) => toolOutputText(output)).join("\n")
    : message.content
        .flatMap((part) => (part.type === "text" && isOwnText(part) ? [part.text] : []))
        .join("");

/** Not added for the model. */
const isOwnText = ({ origin, attachment }: TextPart): boolean =>
  origin === undefined && attachment === undefined;

/** What a tool returned, as one text. */
export const toolOutputText = ({ value }: ToolOutput): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/**
 * Calls of the last assistant message without a result, in order. None after the next user message:
 * a call that was cancelled, or abandoned by its client, is not made later.
 */
export function pendingCalls(messages: readonly ConversationMessage[]): ToolCallPart[] {
  const at = messages.findLastIndex(({ role }) => role !== "tool");
  const last = messages[at];
  if (!last) return [];
  const answered = new Set(
    messages
      .slice(at + 1)
      .flatMap((message) =>
        message.role === "tool" ? message.content.map(({ toolCallId }) => toolCallId) : [],
      ),
  );
  return toolCallsOf(last).filter(({ toolCallId }) => !answered.has(toolCallId));
}
