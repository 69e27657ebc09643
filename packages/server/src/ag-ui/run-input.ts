/** What an AG-UI request asks for: answers to interrupts, results of client tools, a new message, or just to look again. */
import type { RunAgentInput } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { fail, ok, type Result } from "@capstan/core";
import { type FilePart, type FileSource, type UserPart, whatIsWrong } from "@capstan/core/internal";

export type Asked =
  | { readonly kind: "resume"; readonly entries: NonNullable<RunAgentInput["resume"]> }
  | {
      readonly kind: "tool-results";
      readonly results: { toolCallId: string; content: string; error?: string; messageId: string }[];
    }
  | {
      readonly kind: "message";
      readonly id: string;
      readonly content: readonly UserPart[];
      readonly earlier: string;
    }
  | { readonly kind: "look" };

/** Missing tools and context are empty, a missing state is {}: clients of other languages leave them out. */
export function parseRunInput(body: unknown): Result<RunAgentInput> {
  if (typeof body !== "object" || body === null)
    return fail("body_invalid", { where: "it is not an object" });
  const parsed = RunAgentInputSchema.safeParse({
    tools: [],
    context: [],
    state: {},
    messages: [],
    forwardedProps: {},
    ...body,
  });
  return parsed.success
    ? ok(parsed.data as RunAgentInput)
    : fail("input_invalid", { where: whatIsWrong(parsed.error) });
}

type Message = RunAgentInput["messages"][number];

/** Clients send the whole conversation, so one text alone begins a thread. */
export function isFirstMessage({ messages, resume }: RunAgentInput): boolean {
  const [first] = messages;
  return (
    !resume?.length && messages.length === 1 && first?.role === "user" && typeof first.content === "string"
  );
}

/** `known` are the ids of messages the session has already. */
export function askedFor(input: RunAgentInput, known: ReadonlySet<string>): Asked {
  if (input.resume && input.resume.length > 0) return { kind: "resume", entries: input.resume };
  const lastAnswer = input.messages.findLastIndex(({ role }) => role === "assistant");
  const fresh = input.messages.slice(lastAnswer + 1).filter(({ id }) => !known.has(id));
  const results = fresh.flatMap((message) => (message.role === "tool" ? [toolResult(message)] : []));
  if (results.length > 0) return { kind: "tool-results", results };
  const users = fresh.filter(({ role }) => role === "user");
  const last = users.at(-1);
  if (!last) return { kind: "look" };
  const content = users.flatMap(userParts);
  return {
    kind: "message",
    id: last.id,
    content,
    earlier: known.size === 0 ? earlierText(input.messages, users) : "",
  };
}

function toolResult(message: Extract<Message, { role: "tool" }>) {
  const { toolCallId, content, error, id } = message;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { toolCallId, content: text, messageId: id, ...(error !== undefined && { error }) };
}

function userParts(message: Message): UserPart[] {
  if (message.role !== "user") return [];
  if (typeof message.content === "string")
    return message.content === "" ? [] : [{ type: "text", text: message.content }];
  return message.content.flatMap((part): UserPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    const file = "source" in part ? mediaPart(part.source as MediaSource, part) : undefined;
    return file ? [file] : []; // a part we cannot use is left out, the rest counts
  });
}

interface MediaSource {
  readonly type: string;
  readonly value?: string;
  readonly mimeType?: string;
}

const FALLBACK_TYPES: Record<string, string> = {
  image: "image/png",
  audio: "audio/mpeg",
  video: "video/mp4",
  document: "application/pdf",
};

function mediaPart(
  { type, value, mimeType }: MediaSource,
  { type: kind, metadata }: { type: string; metadata?: unknown },
): FilePart | undefined {
  const mediaType = mimeType ?? FALLBACK_TYPES[kind];
  if (value === undefined || value === "" || mediaType === undefined) return undefined;
  const source: FileSource | undefined =
    type === "data"
      ? { type: "data", base64: value.replace(/^data:[^,]*,/, "") }
      : type === "url" && URL.canParse(value)
        ? { type: "url", url: value }
        : type === "file"
          ? { type: "session", path: value }
          : undefined;
  return source && { type: "file", mediaType, source, ...named(metadata) };
}

/** The protocol has no field for a file's name; clients that know one put it here. */
function named(metadata: unknown): { filename?: string } {
  const { filename } = (metadata ?? {}) as { filename?: unknown };
  return typeof filename === "string" && filename !== "" ? { filename } : {};
}

/** A thread that began elsewhere: its earlier messages as text, because their tools and signatures are not ours. */
function earlierText(messages: readonly Message[], fresh: readonly Message[]): string {
  const first = fresh[0];
  const before = first ? messages.slice(0, messages.indexOf(first)) : [];
  return before
    .flatMap((message) =>
      "content" in message && typeof message.content === "string" && message.content !== ""
        ? [`${message.role}: ${message.content}`]
        : [],
    )
    .join("\n");
}
