/**
 * The request of `useChat`: the chat's id and all messages. The new part is the last user message, or a person's answers
 * and the results of client tools inside the last assistant message.
 */
import type { RunAgentInput } from "@ag-ui/core";
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { z } from "zod";
import { MediaUrl } from "../turns/media-url.ts";

const TextPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const FilePart = z.looseObject({
  type: z.literal("file"),
  mediaType: z.string(),
  url: MediaUrl,
  filename: z.string().optional(),
});
const UserMessage = z.looseObject({
  id: z.string(),
  role: z.literal("user"),
  parts: z.array(z.discriminatedUnion("type", [TextPart, FilePart])).min(1),
});

/** The server created these parts; what a client adds to them is validated where it is read. */
const AssistantPart = z.looseObject({ type: z.string() });
const AssistantMessage = z.looseObject({
  id: z.string(),
  role: z.literal("assistant"),
  parts: z.array(AssistantPart),
});
const SystemMessage = z.looseObject({ id: z.string(), role: z.literal("system"), parts: z.array(TextPart) });

const ChatTool = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "letters, digits, _ and -, at most 64"),
  description: z.string().default(""),
  parameters: z.record(z.string(), z.unknown()).optional(),
});

export const UiRequest = z.strictObject({
  id: z.string().min(1),
  messages: z.array(z.discriminatedUnion("role", [UserMessage, AssistantMessage, SystemMessage])).min(1),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().optional(),
  /** Tools that the page runs itself: `body: { tools }` of the transport. */
  tools: z.array(ChatTool).max(128).default([]),
});
export type UiRequest = z.output<typeof UiRequest>;
type UiMessage = UiRequest["messages"][number];

/** All that AI SDK has: what is unknown in a yes, such as edited arguments, would not be part of what runs. */
const Approval = z.strictObject({
  id: z.string(),
  approved: z.boolean().optional(),
  reason: z.string().optional(),
  requestReason: z.string().optional(),
  descriptor: z.unknown().optional(),
  isAutomatic: z.boolean().optional(),
  signature: z.string().optional(),
  inputSchemaInput: z.unknown().optional(),
});

const ToolPart = z.looseObject({
  type: z.string(),
  toolName: z.string().optional(),
  toolCallId: z.string(),
  state: z.string(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  providerExecuted: z.boolean().optional(),
  approval: Approval.optional(),
});
type ToolPart = z.output<typeof ToolPart>;

const isToolPart = ({ type }: { type: string }): boolean =>
  type.startsWith("tool-") || type === "dynamic-tool";

/** The request as an AG-UI run. `continues` is the assistant message that the answer belongs to, if it continues one. */
export interface UiTurn {
  readonly input: RunAgentInput;
  readonly continues?: string;
}

export function uiTurn(request: UiRequest, runId: string): Result<UiTurn> {
  const last = request.messages.at(-1);
  const answered = last?.role === "assistant" ? toolParts(last) : ok([]);
  if (!answered.ok) return answered;
  const messages: Result<RunAgentInput["messages"]>[] = request.messages.map(agUiMessages);
  const refused = messages.find((each) => !each.ok);
  if (refused && !refused.ok) return refused;
  const resume = answered.value.flatMap(resumeEntry);
  const results = answered.value.flatMap(clientResult);
  if (last?.role !== "user" && resume.length === 0 && results.length === 0)
    return fail("input_invalid", {
      where:
        "messages must end with a user's message, or with an answered tool or approval: there is nothing to answer",
    });
  return ok({
    input: {
      threadId: request.id,
      runId,
      state: {},
      messages: [...messages.flatMap((each) => (each.ok ? each.value : [])), ...results],
      tools: request.tools.map(({ parameters = {}, ...rest }) => ({ ...rest, parameters })),
      context: [],
      forwardedProps: {},
      ...(resume.length > 0 && { resume }),
    } as RunAgentInput,
    ...(last?.role === "assistant" && { continues: last.id }),
  });
}

function toolParts({ parts }: Extract<UiMessage, { role: "assistant" }>): Result<ToolPart[]> {
  const read = readInput(z.array(ToolPart), parts.filter(isToolPart));
  if (!read.ok) return fail("input_invalid", { where: read.where, issues: read.faults });
  const edit = read.value.flatMap((part) => Object.keys(part)).find((name) => EDIT.test(name));
  return edit === undefined
    ? read
    : fail("input_invalid", {
        where: `unknown field "${edit}" of a tool's part; /v1/approvals takes edited_args`,
      });
}

const EDIT = /^edited/i;

/** Only a clear yes approves. */
function resumeEntry({ state, approval }: ToolPart): NonNullable<RunAgentInput["resume"]> {
  if (state !== "approval-responded" || !approval) return [];
  const { id, approved, reason } = approval;
  const payload = { approved: approved === true, ...(reason !== undefined && { reason }) };
  return [{ interruptId: id, status: "resolved", payload }];
}

/** Tools run by the agent are marked as run by the provider; the others are the page's own. */
function clientResult(part: ToolPart): RunAgentInput["messages"] {
  const { state, toolCallId, output, errorText, providerExecuted } = part;
  if (providerExecuted || (state !== "output-available" && state !== "output-error")) return [];
  const content = state === "output-error" ? (errorText ?? "") : textOf(output);
  const failed = state === "output-error" ? { error: errorText ?? "The tool failed." } : {};
  return [{ id: `${toolCallId}-result`, role: "tool", toolCallId, content, ...failed }];
}

const textOf = (output: unknown): string =>
  typeof output === "string" ? output : JSON.stringify(output ?? null);

function agUiMessages(message: UiMessage): Result<RunAgentInput["messages"]> {
  if (message.role === "assistant") return assistantMessage(message);
  if (message.role === "system") {
    const content = message.parts.map(({ text }) => text).join("\n");
    return ok([{ id: message.id, role: "system", content }]);
  }
  const content = message.parts.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const data = /^data:[^,]*,(.*)$/s.exec(part.url);
    const source = data
      ? { type: "data", value: data[1], mimeType: part.mediaType }
      : { type: "url", value: part.url, mimeType: part.mediaType };
    const named = part.filename === undefined ? {} : { metadata: { filename: part.filename } };
    return { type: mediaKind(part.mediaType), source, ...named };
  });
  const [only] = content;
  const text = content.length === 1 && only?.type === "text" && "text" in only ? only.text : undefined;
  return ok([{ id: message.id, role: "user", content: text ?? content }] as RunAgentInput["messages"]);
}

function mediaKind(mediaType: string): string {
  const kind = mediaType.slice(0, mediaType.indexOf("/"));
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "document";
}

function assistantMessage(
  message: Extract<UiMessage, { role: "assistant" }>,
): Result<RunAgentInput["messages"]> {
  const tools = toolParts(message);
  if (!tools.ok) return tools;
  const content = message.parts
    .flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("\n\n");
  const toolCalls = tools.value.map(({ type, toolName, toolCallId, input }) => ({
    id: toolCallId,
    type: "function" as const,
    function: { name: toolName ?? type.slice("tool-".length), arguments: JSON.stringify(input ?? {}) },
  }));
  return ok([{ id: message.id, role: "assistant", content, ...(toolCalls.length > 0 && { toolCalls }) }]);
}
