/**
 * Runs and calls as spans, named by OpenTelemetry's conventions for generative AI: `invoke_agent`, `chat`, `execute_tool`.
 * They contain no prompt, answer, argument or result. They join the request's trace if it names one; otherwise the
 * run's id is the trace id, so that the trace can be found by the run.
 */
import { randomBytes } from "node:crypto";
import type { CallRecord, ScoredEvent, TraceEntry } from "@capstan/runtime";
import type { Span } from "./otlp-exporter.ts";

export interface RunToTrace {
  readonly id: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly agentName: string | undefined;
  readonly parentRunId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly status: string;
  /** W3C's header of the request that started it. */
  readonly traceparent?: string | null;
}

const newSpanId = (): string => randomBytes(8).toString("hex");

/** The trace and parent span from `traceparent`, or a new trace. */
function placeInTrace(
  traceparent: string | null | undefined,
  ownTraceId: string,
): Pick<Span, "traceId" | "parentSpanId"> {
  const [, traceId, parentSpanId] = traceparent?.split("-") ?? [];
  return traceId && parentSpanId ? { traceId, parentSpanId } : { traceId: ownTraceId };
}

export function runSpans(run: RunToTrace, entries: readonly TraceEntry[]): Span[] {
  const root = newSpanId();
  const place = placeInTrace(run.traceparent, run.id.replaceAll("-", ""));
  const { traceId } = place;
  const about = { "gen_ai.conversation.id": run.sessionId, "gen_ai.agent.id": run.agentId };
  const name = run.agentName ?? run.agentId;
  return [
    {
      ...place,
      spanId: root,
      name: `invoke_agent ${name}`,
      kind: 1,
      startMs: run.createdAt.getTime(),
      endMs: run.updatedAt.getTime(),
      failed: run.status === "failed",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "capstan",
        "gen_ai.agent.name": name,
        "capstan.run.id": run.id,
        "capstan.run.status": run.status,
        "capstan.parent_run.id": run.parentRunId ?? undefined,
        ...about,
      },
    },
    ...entries.map((entry): Span => {
      const startMs = Date.parse(entry.started_at);
      const common = {
        traceId,
        spanId: newSpanId(),
        parentSpanId: root,
        startMs,
        endMs: startMs + entry.duration_ms,
      };
      return { ...common, ...described(entry, about) };
    }),
  ];
}

type Described = Pick<Span, "name" | "kind" | "attributes" | "failed">;

function described(entry: TraceEntry, about: Span["attributes"]): Described {
  if (entry.kind === "model") return modelSpan(entry, about);
  if (entry.kind === "gate")
    return {
      name: `approval ${entry.name}`,
      kind: 1,
      attributes: { "gen_ai.tool.name": entry.name, "capstan.decision": entry.decision, ...about },
    };
  return toolSpan({
    tool: entry.name,
    callId: entry.id,
    capability: entry.capability_id,
    failure: entry.error?.code,
    about,
  });
}

function modelSpan({ name, usage, state, response }: TraceEntry, about: Span["attributes"]): Described {
  return {
    name: `chat ${name}`,
    kind: 3,
    failed: state === "failed",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": usage?.provider,
      "gen_ai.request.model": usage?.model ?? name,
      "gen_ai.response.id": response?.id,
      "gen_ai.response.model": response?.model,
      "gen_ai.response.finish_reasons": response && [response.finish_reason],
      "gen_ai.usage.input_tokens": usage?.inputTokens,
      "gen_ai.usage.output_tokens": usage?.outputTokens,
      ...about,
    },
  };
}

/** A call outside any run: a task's step, a call over REST or MCP. */
export function callSpan(call: CallRecord): Span {
  const endMs = Date.parse(call.ts);
  return {
    ...placeInTrace(call.traceparent, randomBytes(16).toString("hex")),
    spanId: newSpanId(),
    startMs: endMs - call.latencyMs,
    endMs,
    ...toolSpan({
      tool: call.tool,
      callId: call.callId,
      capability: call.capabilityId,
      failure:
        call.outcome === "refused" || call.outcome === "failed" ? (call.code ?? call.outcome) : undefined,
      about: { "gen_ai.agent.id": call.agentId, "capstan.path": call.path },
    }),
  };
}

function toolSpan({
  tool,
  callId,
  capability,
  failure,
  about,
}: {
  tool: string;
  callId: string;
  capability: string | undefined;
  failure: string | undefined;
  about: Span["attributes"];
}): Described {
  return {
    name: `execute_tool ${tool}`,
    kind: 1,
    failed: failure !== undefined,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": callId,
      "gen_ai.tool.type": "function",
      "capstan.capability.id": capability,
      "error.type": failure,
      ...about,
    },
  };
}

/**
 * A cell of an experiment: each score is an event `gen_ai.evaluation.result`. Reasons are not in it: they quote answers.
 * Its trace id is the cell's id.
 */
export function evaluationSpan(event: ScoredEvent, atMs: number): Span {
  const { agentId, scores } = event;
  const isCell = "cellId" in event;
  return {
    traceId: (isCell ? event.cellId : event.runId).replaceAll("-", ""),
    spanId: newSpanId(),
    name: "evaluate",
    kind: 1,
    startMs: atMs,
    endMs: atMs,
    attributes: {
      "gen_ai.agent.id": agentId,
      ...(isCell
        ? { "capstan.experiment.id": event.experimentId, "capstan.cell.id": event.cellId }
        : { "capstan.monitor.id": event.monitorId, "capstan.run.id": event.runId }),
    },
    events: scores
      .filter(({ pending }) => !pending)
      .map(({ scorer, score, passed, error }) => ({
        name: "gen_ai.evaluation.result",
        atMs,
        attributes: {
          "gen_ai.evaluation.name": scorer,
          "gen_ai.evaluation.score.value": score === null ? undefined : { double: score },
          "gen_ai.evaluation.score.label": passed === null ? undefined : passed ? "pass" : "fail",
          "error.type": error === undefined ? undefined : "scorer_failed",
        },
      })),
  };
}
