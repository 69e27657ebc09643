/**
 * A conversation as an ATIF trajectory (Agent Trajectory Interchange Format, version 1.7), which tools for training and
 * evaluation read. A step of the agent is one answer of the model with its calls; their results are its observation.
 */
import { roundedUsd } from "../budgets/rounded-usd.ts";
import type { ConversationMessage, ToolResultPart } from "../messages.ts";
import { toolOutputText } from "../messages.ts";
import type { JsonValue } from "../schema.ts";

export const ATIF_VERSION = "ATIF-v1.7";

export interface TrajectoryMessage {
  readonly message: ConversationMessage;
  readonly at: Date;
  readonly runId: string;
  readonly usage?: { readonly [name: string]: unknown } | null | undefined;
}

export interface TrajectoryAgent {
  readonly name: string;
  readonly version: string;
  readonly model?: string | undefined;
}

export interface AtifMetrics {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
}

export interface AtifStep {
  readonly step_id: number;
  readonly timestamp: string;
  readonly source: "user" | "agent" | "system";
  readonly model_name?: string;
  readonly message: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: {
    tool_call_id: string;
    function_name: string;
    arguments: { [name: string]: JsonValue };
    extra?: { [name: string]: JsonValue };
  }[];
  readonly observation?: { results: { source_call_id: string; content: string }[] };
  readonly metrics?: AtifMetrics;
  readonly extra?: { [name: string]: JsonValue };
}

export interface AtifTrajectory {
  readonly schema_version: typeof ATIF_VERSION;
  readonly session_id: string;
  readonly trajectory_id: string;
  readonly agent: { name: string; version: string; model_name?: string };
  readonly steps: AtifStep[];
  readonly final_metrics: {
    total_prompt_tokens: number;
    total_completion_tokens: number;
    total_cached_tokens: number;
    total_cost_usd: number;
    total_steps: number;
  };
}

export function trajectoryOf(
  ids: { readonly sessionId: string; readonly trajectoryId: string },
  agent: TrajectoryAgent,
  messages: readonly TrajectoryMessage[],
): AtifTrajectory {
  const results = new Map<string, ToolResultPart>();
  for (const { message } of messages)
    if (message.role === "tool") for (const part of message.content) results.set(part.toolCallId, part);
  const steps = messages
    .filter(({ message }) => message.role !== "tool")
    .map((each, at) => stepOf(each, at + 1, results));
  const sum = (name: keyof AtifMetrics) =>
    steps.reduce((total, { metrics }) => total + (metrics?.[name] ?? 0), 0);
  return {
    schema_version: ATIF_VERSION,
    session_id: ids.sessionId,
    trajectory_id: ids.trajectoryId,
    agent: {
      name: agent.name,
      version: agent.version,
      ...(agent.model !== undefined && { model_name: agent.model }),
    },
    steps,
    final_metrics: {
      total_prompt_tokens: sum("prompt_tokens"),
      total_completion_tokens: sum("completion_tokens"),
      total_cached_tokens: sum("cached_tokens"),
      total_cost_usd: roundedUsd(sum("cost_usd")),
      total_steps: steps.length,
    },
  };
}

function stepOf(
  { message, at, runId, usage }: TrajectoryMessage,
  step_id: number,
  results: ReadonlyMap<string, ToolResultPart>,
): AtifStep {
  const base = { step_id, timestamp: at.toISOString(), message: saidIn(message), extra: { run_id: runId } };
  if (message.role !== "assistant") return { ...base, source: isAddedForModel(message) ? "system" : "user" };
  const thought = message.content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  const calls = message.content.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  const answered = calls.flatMap(({ toolCallId }) => {
    const result = results.get(toolCallId);
    return result ? [{ source_call_id: toolCallId, content: toolOutputText(result.output) }] : [];
  });
  const metrics = metricsOf(usage);
  return {
    ...base,
    source: "agent",
    ...(typeof usage?.model === "string" && { model_name: usage.model }),
    ...(thought !== "" && { reasoning_content: thought }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ toolCallId, toolName, input }) => {
        const edited = results.get(toolCallId)?.editedInput;
        return {
          tool_call_id: toolCallId,
          function_name: toolName,
          arguments: asObject(edited ?? input),
          ...(edited !== undefined && { extra: { proposed_arguments: input } }),
        };
      }),
    }),
    ...(answered.length > 0 && { observation: { results: answered } }),
    ...(metrics && { metrics }),
  };
}

/** Attachments are named; their bytes are in the session. */
const saidIn = (message: ConversationMessage): string =>
  message.role === "tool"
    ? ""
    : message.content
        .flatMap((part) => {
          if (part.type === "text") return [part.text];
          return part.type === "file" ? [`[file ${part.filename ?? ""} ${part.mediaType}]`] : [];
        })
        .join("\n");

/** Messages that were added for the model, such as a summary. */
const isAddedForModel = (message: ConversationMessage): boolean =>
  message.role === "user" &&
  message.content.some((part) => part.type === "text" && part.origin !== undefined);

const asObject = (input: JsonValue): { [name: string]: JsonValue } =>
  input !== null && typeof input === "object" && !Array.isArray(input) ? input : { value: input };

const FIELDS = {
  prompt_tokens: "inputTokens",
  completion_tokens: "outputTokens",
  cached_tokens: "cachedInputTokens",
  cost_usd: "costUsd",
} as const;

function metricsOf(usage: TrajectoryMessage["usage"]): AtifMetrics | undefined {
  const known = Object.entries(FIELDS).flatMap(([name, field]) => {
    const value = usage?.[field];
    return typeof value === "number" ? [[name, value] as const] : [];
  });
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
