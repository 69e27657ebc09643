/**
 * The conversation in the provider's format: system prompt first, then the messages, byte for byte the same while nothing
 * changes, so that the provider's cache hits. Attachments a model cannot read become a line of text that says so.
 */

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { Result } from "@capstan/core";
import type { ConversationMessage, FilePart, ToolOutput, UserPart } from "@capstan/core/internal";
import type { ModelInputs, ResolvedModel } from "../../providers/models.ts";

export interface PromptParts {
  readonly systemPrompt: string;
  readonly messages: readonly ConversationMessage[];
  readonly model: ResolvedModel;
  readonly sessionId: string;
  readonly readFile: ((sessionId: string, path: string) => Promise<Result<Uint8Array>>) | undefined;
  /** Called for each attachment that was left out. */
  readonly warn: (text: string) => void;
}

type ProviderPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

export async function toPrompt(parts: PromptParts): Promise<LanguageModelV4Prompt> {
  const { systemPrompt, messages, model } = parts;
  const prompt: LanguageModelV4Prompt = [];
  if (systemPrompt !== "") prompt.push({ role: "system", content: systemPrompt });
  for (const message of messages) {
    const made = message.role === "user" ? await userMessage(message.content, parts) : otherMessage(message);
    if (made) prompt.push(made);
  }
  return model.cacheMark ? withCacheMarks(prompt, model.cacheMark) : prompt;
}

/** After the part that never changes, and after what will be the start of the next call. */
function withCacheMarks(
  prompt: LanguageModelV4Prompt,
  mark: NonNullable<ResolvedModel["cacheMark"]>,
): LanguageModelV4Prompt {
  return prompt.map((message, at) =>
    message.role === "system" || at === prompt.length - 1 ? { ...message, providerOptions: mark } : message,
  );
}

function otherMessage(
  message: Exclude<ConversationMessage, { role: "user" }>,
): LanguageModelV4Message | undefined {
  if (message.role === "tool") {
    const content = message.content.map(
      ({ toolCallId, toolName, output }): LanguageModelV4ToolResultPart => ({
        type: "tool-result",
        toolCallId,
        toolName,
        output: providerOutput(output),
      }),
    );
    return { role: "tool", content };
  }
  const content = message.content.filter((part) => part.type !== "text" || part.text !== "");
  return content.length > 0 ? ({ role: "assistant", content } as LanguageModelV4Message) : undefined;
}

const providerOutput = (output: ToolOutput): LanguageModelV4ToolResultPart["output"] =>
  output as LanguageModelV4ToolResultPart["output"];

async function userMessage(
  content: readonly UserPart[],
  parts: PromptParts,
): Promise<LanguageModelV4Message> {
  const made: ProviderPart[] = [];
  for (const part of content) {
    made.push(part.type === "text" ? { type: "text", text: part.text } : await filePart(part, parts));
  }
  return { role: "user", content: made };
}

/** An attachment in a form the model accepts, or why there is none. */
type Attached = ProviderPart | { readonly why: string };

async function filePart(part: FilePart, parts: PromptParts): Promise<ProviderPart> {
  const { mediaType, filename, source } = part;
  const name = filename ?? (source.type === "session" ? source.path : mediaType);
  const kind = inputKind(mediaType);
  const attached =
    source.type === "url" ? linked(source.url, part, kind, parts) : await inlineFile(part, name, kind, parts);
  if (!("why" in attached)) return attached;
  const text = `[the attachment ${name} was left out: ${attached.why}]`;
  parts.warn(text);
  return { type: "text", text };
}

const unreadable = (kind: InputKind, { mediaType }: FilePart, { model }: PromptParts): string | undefined =>
  kind === "text" || model.inputs[kind] ? undefined : `the model ${model.label} does not read ${mediaType}`;

function linked(url: string, part: FilePart, kind: InputKind, parts: PromptParts): Attached {
  const why = unreadable(kind, part, parts);
  if (why !== undefined) return { why };
  if (!URL.canParse(url)) return { why: "its address is not a URL" };
  if (kind === "text") return { why: "send its text instead of a URL" };
  return { type: "file", mediaType: part.mediaType, data: { type: "url", url: new URL(url) } };
}

async function inlineFile(
  part: FilePart,
  name: string,
  kind: InputKind,
  parts: PromptParts,
): Promise<Attached> {
  const { mediaType, filename, source } = part;
  const why = unreadable(kind, part, parts);
  if (why !== undefined) return { why };
  const bytes =
    source.type === "session"
      ? await fromSession(source.path, parts)
      : Buffer.from(base64Of(source), "base64");
  if ("why" in bytes) return bytes;
  if (kind === "text") return { type: "text", text: `${name}:\n${Buffer.from(bytes).toString("utf8")}` };
  const data = { type: "data" as const, data: new Uint8Array(bytes) };
  return { type: "file", mediaType, data, ...(filename !== undefined && { filename }) };
}

const base64Of = (source: FilePart["source"]): string => (source.type === "data" ? source.base64 : "");

async function fromSession(path: string, parts: PromptParts): Promise<Uint8Array | { why: string }> {
  if (!parts.readFile) return { why: "this server has no session files" };
  const read = await parts.readFile(parts.sessionId, path);
  return read.ok ? read.value : { why: read.failure.message };
}

const TEXT_TYPES = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|csv)$)/;

type InputKind = keyof ModelInputs | "text";

function inputKind(mediaType: string): InputKind {
  if (TEXT_TYPES.test(mediaType)) return "text";
  const kind = mediaType.slice(0, mediaType.indexOf("/"));
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "pdf";
}
