/** Messages, runs and approvals on the wire: snake_case, parts by type. */
import type {
  AssistantPart,
  FilePart,
  FileSource,
  TokenUsage,
  ToolResultPart,
  UserPart,
} from "@capstan/core/internal";
import { toolOutputText } from "@capstan/core/internal";
import type { Approval, MessageRecord, RunRecord } from "@capstan/runtime";
import { z } from "@hono/zod-openapi";

const Part = z.union([
  z.object({ type: z.literal("text"), text: z.string().max(1_000_000) }),
  z.object({
    type: z.enum(["image", "file"]),
    mime_type: z.string().regex(/^[\w.+-]+\/[\w.+*-]+$/),
    data: z.base64().optional(),
    url: z.url({ protocol: /^https?$/ }).optional(),
    path: z.string().max(1024).optional(),
    name: z.string().max(255).optional(),
  }),
]);

export const MessageBody = z
  .object({
    content: z.union([z.string().min(1).max(1_000_000), z.array(Part).min(1).max(50)]),
    id: z.string().min(1).max(200).optional(),
    output_schema: z.record(z.string(), z.unknown()).optional(),
    webhook: z.object({ url: z.url({ protocol: /^https?$/ }) }).optional(),
    model: z
      .string()
      .regex(/^[\w.-]+\/.{1,200}$/)
      .optional(),
    reasoning: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
  })
  .openapi("NewMessage");

export const MessageDto = z
  .object({
    id: z.string(),
    position: z.int(),
    run_id: z.string().nullable(),
    role: z.enum(["user", "assistant", "tool", "system"]),
    content: z.array(z.record(z.string(), z.unknown())),
    usage: z.record(z.string(), z.unknown()).optional(),
    feedback: z.object({ value: z.string(), words: z.string() }).optional(),
    queued: z.boolean().optional(),
    created_at: z.string(),
  })
  .openapi("Message");

/** What a client sent, in our own words. */
export function userContent(content: z.output<typeof MessageBody>["content"]): string | UserPart[] {
  if (typeof content === "string") return content;
  return content.map((part): UserPart => (part.type === "text" ? part : filePart(part)));
}

function filePart({
  mime_type,
  data,
  url,
  path,
  name,
}: Exclude<z.output<typeof Part>, { type: "text" }>): FilePart {
  const source: FileSource =
    data !== undefined
      ? { type: "data", base64: data }
      : url !== undefined
        ? { type: "url", url }
        : { type: "session", path: path ?? "/" };
  return { type: "file", mediaType: mime_type, ...(name !== undefined && { filename: name }), source };
}

export function messageDto(message: MessageRecord): z.input<typeof MessageDto> {
  const { id, position, runId, role, usage, feedback, createdAt } = message;
  const content = message.content.flatMap(partDto);
  return {
    id,
    position,
    run_id: runId,
    role,
    content,
    ...(usage && { usage: usage as unknown as Record<string, unknown> }),
    ...(feedback && { feedback }),
    created_at: new Date(createdAt).toISOString(),
  };
}

export function partDto(part: UserPart | AssistantPart | ToolResultPart): Record<string, unknown>[] {
  if (part.type === "text") return part.origin === undefined ? [{ type: "text", text: part.text }] : [];
  if (part.type === "reasoning") return [{ type: "reasoning", text: part.text }];
  if (part.type === "tool-call") {
    return [
      { type: "tool-call", tool_call_id: part.toolCallId, tool_name: part.toolName, input: part.input },
    ];
  }
  if (part.type === "tool-result") return [toolResultDto(part)];
  const { mediaType, filename, source } = part;
  const where =
    source.type === "data"
      ? { data: source.base64 }
      : source.type === "url"
        ? { url: source.url }
        : { path: source.path };
  const type = mediaType.startsWith("image/") ? "image" : "file";
  return [{ type, mime_type: mediaType, ...(filename !== undefined && { name: filename }), ...where }];
}

const toolResultDto = ({ toolCallId, toolName, output, editedInput }: ToolResultPart) => ({
  type: "tool-result",
  tool_call_id: toolCallId,
  tool_name: toolName,
  output: output.type === "text" ? toolOutputText(output) : output.value,
  is_error: output.type === "error-json",
  ...(editedInput !== undefined && { edited_input: editedInput }),
});

export const RunDto = z
  .object({
    id: z.string(),
    session_id: z.string(),
    agent_id: z.string().nullable(),
    status: z.string(),
    outcome: z.record(z.string(), z.unknown()).nullable(),
    error: z.object({ code: z.string(), message: z.string(), nextStep: z.string() }).nullable(),
    usage: z.record(z.string(), z.unknown()),
    model: z.string().nullable(),
    parent_run_id: z.string().nullable(),
    started_at: z.string(),
    ended_at: z.string().nullable(),
  })
  .openapi("Run");

const ENDED = new Set(["done", "failed", "cancelled"]);

export function runDto(run: RunRecord): z.input<typeof RunDto> {
  const { outcome, usage } = run;
  const failure = outcome?.type === "failed" ? outcome.failure : undefined;
  const tokens = usage?.tokens ?? [];
  return {
    id: run.id,
    session_id: run.sessionId,
    agent_id: run.agentId,
    status:
      failure?.code === "budget_exhausted" || failure?.code?.startsWith("limit_") ? "limit" : run.status,
    outcome: outcome as unknown as Record<string, unknown> | null,
    error: failure ? { code: failure.code, message: failure.message, nextStep: failure.nextStep } : null,
    usage: {
      ...totals(tokens),
      cost_usd: usage?.costUsd ?? 0,
      steps: usage?.steps ?? 0,
      active_ms: usage?.activeMs ?? 0,
    },
    model: tokens[0]?.model ?? null,
    parent_run_id: run.parentRunId,
    started_at: new Date(run.createdAt).toISOString(),
    ended_at: ENDED.has(run.status) ? new Date(run.updatedAt).toISOString() : null,
  };
}

function totals(tokens: readonly TokenUsage[]) {
  const sum = (name: keyof TokenUsage) =>
    tokens.reduce((total, usage) => total + Number(usage[name] ?? 0), 0);
  return {
    input_tokens: sum("inputTokens"),
    output_tokens: sum("outputTokens"),
    cached_tokens: sum("cachedInputTokens"),
    reasoning_tokens: sum("reasoningTokens"),
  };
}

export const ApprovalDto = z
  .object({
    id: z.string(),
    kind: z.enum(["tool", "scope", "package"]),
    status: z.string(),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    agent_id: z.string(),
    agent_name: z.string().nullable(),
    tool: z.string(),
    capability_id: z.string(),
    input: z.unknown(),
    input_schema: z.record(z.string(), z.unknown()).nullable(),
    reason: z.string(),
    requested_by: z.string(),
    assignee: z.string(),
    expiry: z.record(z.string(), z.unknown()),
    expires_at: z.string().nullable(),
    created_at: z.string(),
    answered_by: z.string().nullable(),
    answered_at: z.string().nullable(),
    answer: z.object({ words: z.string().nullable(), edited_args: z.unknown() }).nullable(),
    result: z.unknown(),
  })
  .openapi("Approval");

export interface ApprovalContext {
  readonly agentName: string | null;
  readonly inputSchema: Record<string, unknown> | null;
}

export function approvalDto(
  approval: Approval,
  { agentName, inputSchema }: ApprovalContext,
): z.input<typeof ApprovalDto> {
  return {
    id: approval.id,
    kind: approval.tool === "request_access" ? "scope" : "tool",
    status: approval.status,
    session_id: approval.sessionId,
    run_id: approval.runId,
    agent_id: approval.agentId,
    agent_name: agentName,
    tool: approval.tool,
    capability_id: approval.capabilityId,
    input: approval.arguments,
    input_schema: inputSchema,
    reason: approval.reason,
    requested_by: approval.userEmail,
    assignee: approval.assignee,
    expiry: approval.expiry as unknown as Record<string, unknown>,
    expires_at: approval.expiresAt?.toISOString() ?? null,
    created_at: approval.createdAt.toISOString(),
    answered_by: approval.decidedBy,
    answered_at: approval.decidedAt?.toISOString() ?? null,
    answer:
      approval.decidedBy === null ? null : { words: approval.words, edited_args: approval.editedArguments },
    result: approval.result,
  };
}
