/**
 * Parses an AG-UI request: answers to interrupts, results of client tools, a new message, in any combination.
 * A request with none of them reads the thread again.
 */
import type { RunAgentInput } from "@ag-ui/core";
import { ContextSchema, ResumeEntrySchema, RunAgentInputSchema, ToolSchema } from "@ag-ui/core/schemas";
import { fail, ok, type Result } from "@capstan/core";
import {
  type FilePart,
  type FileSource,
  misspeltField,
  normalisePath,
  readInput,
  type UserPart,
  unknownField,
} from "@capstan/core/internal";
import type { ClientResult, SessionView } from "@capstan/runtime";

export interface Asked {
  /** Answers to interrupts. */
  readonly answers: NonNullable<RunAgentInput["resume"]>;
  /** Results of tools that the client ran. */
  readonly results: readonly ClientResult[];
  /** A new message of the user. */
  readonly message?: NewUserMessage;
}

export interface NewUserMessage {
  readonly id: string;
  readonly content: readonly UserPart[];
  /** Messages of a thread that started elsewhere, as text. */
  readonly earlier: string;
}

/** Missing tools and context are empty, a missing state is {}: clients in other languages leave them out. Messages are required. */
export function parseRunInput(body: unknown): Result<RunAgentInput> {
  if (typeof body !== "object" || body === null)
    return fail("body_invalid", { where: "it is not an object" });
  const misspelt = misspeltIn(body);
  if (misspelt !== undefined) return fail("input_invalid", { where: misspelt });
  const read = readInput(RunAgentInputSchema, {
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
    ...body,
  });
  if (!read.ok) return fail("input_invalid", { where: read.where, issues: read.faults });
  const input = read.value as RunAgentInput;
  // An empty id would be one shared thread for everyone who forgot to set it.
  const empty = (["threadId", "runId"] as const).filter((name) => input[name].trim() === "");
  if (empty.length > 0) return fail("input_invalid", { where: `${empty.join(" and ")} must not be empty` });
  const twice = twoMessagesOfOneId(input) ?? twoAnswersOfOneId(input);
  return twice === undefined ? ok(input) : fail("input_invalid", { where: twice });
}

const LISTS = {
  tools: Object.keys(ToolSchema.shape),
  context: Object.keys(ContextSchema.shape),
  resume: Object.keys(ResumeEntrySchema.shape),
};

/**
 * Newer clients may send fields that nobody here knows, but none that only looks like a known one. An answer to an interrupt is
 * closed: `editedArgs` beside its payload would run the unedited call.
 */
function misspeltIn(body: object): string | undefined {
  const said = (["tools", "context", "resume"] as const).flatMap((list) =>
    objectsIn((body as Record<string, unknown>)[list]).map((item) => {
      const fault = list === "resume" ? unknownIn(item, LISTS[list]) : misspeltField(item, LISTS[list]);
      return fault && `${list}: ${fault}`;
    }),
  );
  return misspeltField(body, Object.keys(RunAgentInputSchema.shape)) ?? said.find(Boolean);
}

const objectsIn = (list: unknown): object[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === "object" && item !== null) : [];

function unknownIn(entry: object, names: readonly string[]): string | undefined {
  const unknown = Object.keys(entry).find((name) => !names.includes(name));
  const { metadata } = entry as { metadata?: unknown };
  const edit = Object.keys(metadata ?? {}).find((name) => /^edited/i.test(name));
  if (edit !== undefined) return `metadata.${edit}: edited arguments belong in payload.editedArgs`;
  return unknown === undefined ? undefined : unknownField(unknown, names);
}

function twoAnswersOfOneId({ resume = [] }: RunAgentInput): string | undefined {
  const at = resume.findIndex(({ interruptId }, index) =>
    resume.slice(0, index).some((entry) => entry.interruptId === interruptId),
  );
  return at < 0 ? undefined : `resume[${at}] answers the same interrupt as an earlier entry`;
}

/** The ids tell which messages are stored already, so the second one would be taken for the first. */
function twoMessagesOfOneId({ messages }: RunAgentInput): string | undefined {
  const firsts = new Map<string, string>();
  const at = messages.findIndex((message) => {
    if (message.role !== "user") return false;
    const content = JSON.stringify(message.content);
    const isOther = (firsts.get(message.id) ?? content) !== content;
    firsts.set(message.id, content);
    return isOther;
  });
  return at < 0 ? undefined : `messages[${at}].id is the id of an earlier message with other content`;
}

export type Message = RunAgentInput["messages"][number];

export const lastUserMessage = ({ messages }: Pick<RunAgentInput, "messages">): Message | undefined =>
  messages.findLast(({ role }) => role === "user");

/** Clients send the whole conversation, so a single text starts a thread. */
export function isFirstMessage({ messages, resume }: RunAgentInput): boolean {
  const [first] = messages;
  return (
    !resume?.length && messages.length === 1 && first?.role === "user" && typeof first.content === "string"
  );
}

/** `known` are the ids of the session's messages. */
export function askedFor(input: RunAgentInput, known: ReadonlySet<string>): Asked {
  const lastAnswer = input.messages.findLastIndex(({ role }) => role === "assistant");
  const fresh = input.messages.slice(lastAnswer + 1).filter(({ id }) => !known.has(id));
  const results = fresh.flatMap((message) => (message.role === "tool" ? [toolResult(message)] : []));
  const message = newUserMessage(
    input,
    fresh.filter(({ role }) => role === "user"),
    known.size === 0,
  );
  return { answers: input.resume ?? [], results, ...(message && { message }) };
}

function newUserMessage(
  { messages }: RunAgentInput,
  users: readonly Message[],
  beganElsewhere: boolean,
): NewUserMessage | undefined {
  const last = users.at(-1);
  if (!last) return undefined;
  const earlier = beganElsewhere ? earlierText(messages, users) : "";
  return { id: last.id, content: users.flatMap(userParts), earlier };
}

/** Messages of the application to the model. Clients send all of them with each request. */
export const instructionsOf = ({ messages }: RunAgentInput): string[] =>
  messages.flatMap((message) =>
    (message.role === "system" || message.role === "developer") && message.content !== ""
      ? [message.content]
      : [],
  );

export const userText = (message: Message): string =>
  userParts(message)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");

function toolResult(message: Extract<Message, { role: "tool" }>) {
  const { toolCallId, content, error, id } = message;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { toolCallId, content: text, messageId: id, ...(error !== undefined && { error }) };
}

export function userParts(message: Message): UserPart[] {
  if (message.role !== "user") return [];
  if (typeof message.content === "string")
    return message.content === "" ? [] : [{ type: "text", text: message.content }];
  return message.content.flatMap((part): UserPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    const file = "source" in part ? mediaPart(part.source as MediaSource, part) : undefined;
    return file ? [file] : []; // an unusable part is left out, the rest is used
  });
}

/** A warning for each part of a new message that the model does not get. */
export function unusableParts(
  { messages }: Pick<RunAgentInput, "messages">,
  { conversation }: Pick<SessionView, "conversation">,
): string[] {
  const known = new Set(conversation?.map(({ id }) => id));
  return messages
    .filter((message) => message.role === "user" && !known.has(message.id))
    .flatMap((message) =>
      message.role === "user" && typeof message.content !== "string"
        ? message.content.flatMap((part, at) =>
            part.type !== "text" && !("source" in part && mediaPart(part.source as MediaSource, part))
              ? [
                  `part ${at + 1} (${part.type}) of the message "${message.id}" cannot be used and was left out`,
                ]
              : [],
          )
        : [],
    );
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
        : type === "file" && normalisePath(value).ok
          ? { type: "session", path: value }
          : undefined;
  return source && { type: "file", mediaType, source, ...named(metadata) };
}

/** The protocol has no field for a file name; clients that have one put it here. */
function named(metadata: unknown): { filename?: string } {
  const { filename } = (metadata ?? {}) as { filename?: unknown };
  return typeof filename === "string" && filename !== "" ? { filename } : {};
}

/** A thread that started elsewhere: its earlier messages as text, because their tools and signatures are not ours. */
export function earlierText(messages: readonly Message[], fresh: readonly Message[]): string {
  const first = fresh[0];
  const before = first ? messages.slice(0, messages.indexOf(first)) : [];
  return before
    .filter(({ role }) => role !== "system" && role !== "developer") // passed as instructions
    .flatMap((message) =>
      "content" in message && typeof message.content === "string" && message.content !== ""
        ? [`${message.role}: ${message.content}`]
        : [],
    )
    .join("\n");
}
