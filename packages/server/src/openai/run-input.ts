/** OpenAI's messages as an AG-UI run: texts, media, the client's tools, and model settings. */
import { createHash } from "node:crypto";
import type { RunAgentInput } from "@ag-ui/core";
import type { SaidCall } from "../turns/answer-reader.ts";
import type { ChatMessage, ChatRequest, ToolChoice } from "./chat-request.ts";

type AgUiMessages = RunAgentInput["messages"];

/** One message of either OpenAI API, with what identifies the conversation. */
export type Said =
  | { readonly role: "instructions"; readonly text: string }
  | { readonly role: "user"; readonly content: string | readonly UserPart[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly SaidCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly text: string };

export type UserPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "media";
      readonly kind: MediaKind;
      readonly url: string;
      readonly mimeType?: string;
      readonly filename?: string;
    };
type MediaKind = "image" | "audio" | "document";

export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

export interface TurnOptions {
  readonly threadId: string;
  readonly runId: string;
  readonly said: readonly Said[];
  readonly tools: readonly ClientTool[];
  readonly forwarded: Readonly<Record<string, unknown>>;
}

export function runInput({ threadId, runId, said, tools, forwarded }: TurnOptions): RunAgentInput {
  const instructions = said.flatMap((each) => (each.role === "instructions" ? [each.text] : []));
  return {
    threadId,
    runId,
    state: {},
    messages: messagesOf(said, runId),
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: parameters ?? {},
    })),
    context: instructions.map((value) => ({ description: "Instructions of the client", value })),
    forwardedProps: forwarded,
  } as RunAgentInput;
}

/** Ids are derived from the preceding messages, so that a repeated request is one message. */
function messagesOf(said: readonly Said[], runId: string): AgUiMessages {
  const lastAnswer = said.findLastIndex(({ role }) => role === "assistant");
  return said.flatMap((each, at): AgUiMessages => {
    const id = at > lastAnswer ? `${runId}-${at}` : conversationKey(said.slice(0, at + 1));
    if (each.role === "user")
      return [{ id, role: "user", content: userContent(each.content) }] as AgUiMessages;
    if (each.role === "tool") return [{ id, role: "tool", toolCallId: each.callId, content: each.text }];
    if (each.role === "instructions") return [];
    const toolCalls = each.calls.map(({ id: callId, name, arguments: text }) => ({
      id: callId,
      type: "function" as const,
      function: { name, arguments: text },
    }));
    return [{ id, role: "assistant", content: each.text, ...(toolCalls.length > 0 && { toolCalls }) }];
  });
}

function userContent(content: string | readonly UserPart[]): unknown {
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "text") return part;
    const { kind, url, mimeType, filename } = part;
    const data = /^data:([^;,]+)[^,]*,(.*)$/s.exec(url);
    const source = data
      ? { type: "data", value: data[2], mimeType: mimeType ?? data[1] }
      : { type: "url", value: url, ...(mimeType && { mimeType }) };
    return { type: kind, source, ...(filename && { metadata: { filename } }) };
  });
}

/** The key of a conversation: all messages in order, without instructions and surrounding white space. */
export function conversationKey(said: readonly Said[]): string {
  const hash = createHash("sha256");
  for (const each of said) if (each.role !== "instructions") hash.update(`${JSON.stringify(lineOf(each))}\n`);
  return hash.digest("hex");
}

function lineOf(said: Exclude<Said, { role: "instructions" }>): unknown {
  if (said.role === "user") return ["user", said.content];
  if (said.role === "tool") return ["tool", said.callId, said.text];
  return ["assistant", said.text.trim(), said.calls.map(({ id, name }) => [id, name])];
}

/** The messages up to the last answer: the conversation to continue, if it is ours. */
export const answeredPart = (said: readonly Said[]): readonly Said[] =>
  said.slice(0, said.findLastIndex(({ role }) => role === "assistant") + 1);

type Words = string | readonly { readonly text: string }[] | null | undefined;
const textOf = (content: Words): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("");

export const saidInChat = (messages: readonly ChatMessage[]): Said[] => messages.map(saidOf);

function saidOf(message: ChatMessage): Said {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "instructions", text: textOf(message.content) };
    case "tool":
      return { role: "tool", callId: message.tool_call_id, text: textOf(message.content) };
    case "assistant": {
      const calls = message.tool_calls ?? [];
      return {
        role: "assistant",
        text: textOf(message.content),
        calls: calls.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text })),
      };
    }
    default:
      return { role: "user", content: userParts(message.content) };
  }
}

type ChatUserContent = Extract<ChatMessage, { role: "user" }>["content"];

function userParts(content: ChatUserContent): string | UserPart[] {
  if (typeof content === "string") return content;
  return content.map((part): UserPart => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "image_url") return { type: "media", kind: "image", url: part.image_url.url };
    if (part.type === "input_audio") {
      const mimeType = part.input_audio.format === "wav" ? "audio/wav" : "audio/mpeg";
      return {
        type: "media",
        kind: "audio",
        url: `data:${mimeType};base64,${part.input_audio.data}`,
        mimeType,
      };
    }
    const { file_data: url, filename } = part.file;
    return { type: "media", kind: "document", url, ...(filename !== undefined && { filename }) };
  });
}

/** Model settings of a request, as our `forwardedProps`. */
export function chatForwarded(request: ChatRequest): Record<string, unknown> {
  const { response_format: format, reasoning_effort: reasoning, stop } = request;
  const sampling = given({
    temperature: request.temperature,
    topP: request.top_p,
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    seed: request.seed,
    presencePenalty: request.presence_penalty,
    frequencyPenalty: request.frequency_penalty,
    stopSequences: typeof stop === "string" ? [stop] : stop,
  });
  return given({
    reasoning,
    outputSchema: outputSchemaOf(format),
    toolChoice: toolChoiceOf(request.tool_choice),
    sampling: Object.keys(sampling).length > 0 ? sampling : undefined,
  });
}

function outputSchemaOf(format: ChatRequest["response_format"]): unknown {
  if (format?.type === "json_schema") return format.json_schema.schema;
  return format?.type === "json_object" ? { type: "object" } : undefined;
}

/** `auto` is the default anyway. */
export function toolChoiceOf(choice: ToolChoiceValue | undefined): unknown {
  if (choice === undefined || choice === "auto") return undefined;
  return typeof choice === "string" ? choice : { name: choice.function.name };
}
type ToolChoiceValue = import("zod").output<typeof ToolChoice>;

export function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  );
}
