/**
 * The stored conversation as AG-UI messages: the content of MESSAGES_SNAPSHOT, and what a streaming client has built.
 * One stored assistant message can become several AG-UI messages: reasoning is separate, and text after a tool call starts a new one.
 */
import {
  type AssistantPart,
  type ConversationMessage,
  type FilePart,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  toolOutputText,
  type UserPart,
} from "./messages.ts";

export type AgUiPartSource =
  | { readonly type: "data"; readonly value: string; readonly mimeType: string }
  | { readonly type: "url"; readonly value: string; readonly mimeType?: string }
  | { readonly type: "file"; readonly value: string; readonly provider?: string; readonly mimeType?: string };

export type AgUiContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio" | "video" | "document"; readonly source: AgUiPartSource };

export interface AgUiToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly encryptedValue?: string;
}

export type AgUiMessage =
  | {
      readonly id: string;
      readonly role: "user";
      readonly content: string | readonly AgUiContentPart[];
    }
  | {
      readonly id: string;
      readonly role: "assistant";
      readonly content?: string;
      readonly toolCalls?: readonly AgUiToolCall[];
    }
  | {
      readonly id: string;
      readonly role: "tool";
      readonly toolCallId: string;
      readonly content: string;
      readonly error?: string;
    }
  | {
      readonly id: string;
      readonly role: "reasoning";
      readonly content: string;
      readonly encryptedValue?: string;
    };

/** Ids of the pieces of one assistant message: the first text has the message's own id. */
export const textPieceId = (messageId: string, index: number): string =>
  index === 0 ? messageId : `${messageId}.${index}`;
export const reasoningPieceId = (messageId: string, index: number): string =>
  index === 0 ? `${messageId}.r` : `${messageId}.r${index}`;

export const agUiMessages = (messages: readonly ConversationMessage[]): AgUiMessage[] =>
  messages.flatMap((message): AgUiMessage[] => {
    if (message.role === "user")
      return [{ id: message.id, role: "user", content: userContent(message.content) }];
    if (message.role === "tool") return message.content.map((part) => toolMessage(message.id, part));
    return assistantMessages(message.id, message.content);
  });

function userContent(parts: readonly UserPart[]): string | AgUiContentPart[] {
  const shown = parts
    .map((part) => (part.type === "text" && part.attachment) || part)
    .filter((part) => part.type === "file" || part.origin === undefined);
  if (shown.every((part) => part.type === "text")) return shown.map(({ text }) => text).join("");
  return shown.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: mediaKind(part), source: sourceOf(part) },
  );
}

function mediaKind({ mediaType }: FilePart): "image" | "audio" | "video" | "document" {
  const kind = mediaType.slice(0, mediaType.indexOf("/"));
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "document";
}

function sourceOf({ source, mediaType }: FilePart): AgUiPartSource {
  if (source.type === "data") return { type: "data", value: source.base64, mimeType: mediaType };
  if (source.type === "url") return { type: "url", value: source.url, mimeType: mediaType };
  return { type: "file", value: source.path, provider: "capstan", mimeType: mediaType };
}

function toolMessage(id: string, { toolCallId, output }: ToolResultPart): AgUiMessage {
  const content = toolOutputText(output);
  return { id, role: "tool", toolCallId, content, ...(output.type === "error-json" && { error: content }) };
}

function assistantMessages(id: string, parts: readonly AssistantPart[]): AgUiMessage[] {
  const calls = parts.filter((part) => part.type === "tool-call").map(toolCall);
  const carrier: AgUiMessage = { id, role: "assistant", ...(calls.length > 0 && { toolCalls: calls }) };
  const made: AgUiMessage[] = [];
  let texts = 0;
  let reasonings = 0;
  const add = {
    reasoning: (part: ReasoningPart) =>
      made.push(reasoningMessage(reasoningPieceId(id, reasonings++), part.text, encryptedOf(part))),
    "tool-call": () => {
      if (texts > 0) return;
      made.push(carrier);
      texts = 1; // tool calls use the message's own id; text after them gets a new one
    },
    text: ({ text: content }: TextPart) => {
      const piece = { id: textPieceId(id, texts), content };
      made.push(texts === 0 ? { ...carrier, ...piece } : { role: "assistant", ...piece });
      texts++;
    },
  };
  for (const part of parts) (add[part.type] as (part: AssistantPart) => void)(part);
  return made;
}

const reasoningMessage = (id: string, content: string, encryptedValue: string | undefined): AgUiMessage => ({
  id,
  role: "reasoning",
  content,
  ...(encryptedValue !== undefined && { encryptedValue }),
});

function toolCall(part: ToolCallPart): AgUiToolCall {
  const { toolCallId, toolName, input } = part;
  const encryptedValue = encryptedOf(part);
  return {
    id: toolCallId,
    type: "function",
    function: { name: toolName, arguments: JSON.stringify(input ?? {}) },
    ...(encryptedValue !== undefined && { encryptedValue }),
  };
}

/** Provider data to send back unchanged, such as a signature; opaque to clients, encoded as one string. */
export function encryptedOf(part: Pick<AssistantPart, "providerOptions">): string | undefined {
  return part.providerOptions === undefined ? undefined : JSON.stringify(part.providerOptions);
}
