/** Messages, runs and approvals in the API: snake_case, parts by type. */

import {
  type Approval as ApprovalWire,
  type Message,
  type MessageCreate,
  type MessagePart,
  type MessageUsage,
  type Run,
  type RunStatus,
  type StoredPart,
  snakeKeys,
  type TraceSpan,
  type WebhookState,
} from "@capstan/client/wire";
import type { FailureCode } from "@capstan/core";
import type {
  AssistantPart,
  FilePart,
  FileSource,
  TokenUsage,
  ToolResultPart,
  UserPart,
} from "@capstan/core/internal";
import { REQUEST_ACCESS, roundedUsd, toolOutputText } from "@capstan/core/internal";
import type { Approval, MessageRecord, RunRecord, TraceEntry, WebhookDelivery } from "@capstan/runtime";

/** A client's content in our own types. */
export function userContent(content: MessageCreate["content"]): string | UserPart[] {
  if (typeof content === "string") return content;
  return content.map((part): UserPart => (part.type === "text" ? part : filePart(part)));
}

function filePart({ mime_type, data, url, path, name }: Exclude<MessagePart, { type: "text" }>): FilePart {
  const source: FileSource =
    data !== undefined
      ? { type: "data", base64: data }
      : url !== undefined
        ? { type: "url", url }
        : { type: "session", path: path ?? "/" };
  return { type: "file", mediaType: mime_type, ...(name !== undefined && { filename: name }), source };
}

export function messageDto(message: MessageRecord): Message {
  const { id, position, runId, role, usage, feedback, pinned, createdAt } = message;
  const content = message.content.flatMap(partDto);
  return {
    id,
    position,
    run_id: runId,
    role,
    content,
    ...(usage && { usage: usageDto(usage) }),
    ...(feedback && { feedback }),
    ...(pinned && { pinned }),
    created_at: new Date(createdAt).toISOString(),
  };
}

export function partDto(part: UserPart | AssistantPart | ToolResultPart): StoredPart[] {
  if (part.type === "text") return textDto(part);
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

function textDto({ text, origin, attachment }: Extract<UserPart, { type: "text" }>): StoredPart[] {
  if (attachment) return partDto(attachment);
  return origin === undefined ? [{ type: "text", text }] : [];
}

const toolResultDto = ({ toolCallId, toolName, output, editedInput }: ToolResultPart): StoredPart => ({
  type: "tool-result",
  tool_call_id: toolCallId,
  tool_name: toolName,
  output: output.type === "text" ? toolOutputText(output) : output.value,
  is_error: output.type === "error-json",
  ...(editedInput !== undefined && { edited_input: editedInput }),
});

const ENDED = new Set(["done", "failed", "cancelled"]);

export function runDto(run: RunRecord): Run {
  const { outcome, usage } = run;
  const failure = outcome?.type === "failed" ? outcome.failure : undefined;
  const tokens = usage?.tokens ?? [];
  return {
    id: run.id,
    session_id: run.sessionId,
    agent_id: run.agentId,
    status: statusDto(run),
    outcome: outcome && outcomeDto(outcome),
    error: failure ? { code: failure.code, message: failure.message, nextStep: failure.nextStep } : null,
    usage: {
      ...totals(tokens),
      cost_usd: roundedUsd(usage?.costUsd ?? 0),
      steps: usage?.steps ?? 0,
      active_ms: usage?.activeMs ?? 0,
    },
    model: tokens[0]?.model ?? null,
    parent_run_id: run.parentRunId,
    client_run_id: run.clientRunId ?? null,
    started_at: new Date(run.createdAt).toISOString(),
    ended_at: ENDED.has(run.status) ? new Date(run.updatedAt).toISOString() : null,
  };
}

/** Reaching a limit is not an error: it is distinguished from a failure. */
function statusDto({ status, outcome }: RunRecord): RunStatus {
  return outcome?.type === "failed" && LIMIT_CODES.has(outcome.failure.code) ? "limit" : status;
}

const LIMIT_CODES: ReadonlySet<string> = new Set<FailureCode>([
  "budget_exhausted",
  "run_step_limit",
  "run_time_limit",
  "run_token_limit",
  "run_cost_limit",
]);

function outcomeDto(outcome: NonNullable<RunRecord["outcome"]>): Run["outcome"] {
  if (outcome.type !== "done") return outcome;
  const { type, messageId, output } = outcome;
  return { type, message_id: messageId, ...(output !== undefined && { output }) };
}

export const webhookDto = (delivery: WebhookDelivery | undefined): WebhookState | null =>
  delivery === undefined
    ? null
    : {
        url: delivery.url,
        status: delivery.status,
        attempts: delivery.attempts,
        last_error: delivery.lastError,
        next_at: delivery.nextAt?.toISOString() ?? null,
      };

export const traceDto = ({ usage, ...entry }: TraceEntry): TraceSpan =>
  usage
    ? {
        ...entry,
        usage: {
          ...usageDto(usage),
          cost_usd: usage.costUsd === undefined ? null : roundedUsd(usage.costUsd),
        },
      }
    : entry;

/** Usage of one model call. */
export const usageDto = (usage: TokenUsage): MessageUsage => ({
  provider: usage.provider,
  model: usage.model,
  ...totals([usage]),
});

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

export interface ApprovalContext {
  readonly agentName: string | null;
  readonly inputSchema: Record<string, unknown> | null;
}

export function approvalDto(approval: Approval, { agentName, inputSchema }: ApprovalContext): ApprovalWire {
  return {
    id: approval.id,
    kind: approval.kind === "tool" && approval.capabilityId === REQUEST_ACCESS ? "scope" : approval.kind,
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
    allowable: approval.allowable,
    session_title: approval.sessionTitle,
    asked: approval.asked,
    requested_by: approval.userEmail,
    assignee: approval.assignee,
    expiry: snakeKeys(approval.expiry),
    expires_at: approval.expiresAt?.toISOString() ?? null,
    created_at: approval.createdAt.toISOString(),
    answered_by: approval.decidedBy,
    answered_at: approval.decidedAt?.toISOString() ?? null,
    answer:
      approval.decidedBy === null ? null : { words: approval.words, edited_args: approval.editedArguments },
    result: approval.result,
  };
}
