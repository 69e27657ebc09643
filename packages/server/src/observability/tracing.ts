/** Traces, if a collector is configured: calls outside runs as they happen, a run as a whole when it has ended. */

import type { Database } from "@capstan/runtime";
import {
  type AgentStore,
  type CallRecord,
  type EndedRun,
  getRun,
  type ScoredEvent,
  type TraceParts,
  traceOf,
} from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";
import { VERSION } from "../settings/version.ts";
import { callSpan, evaluationSpan, runSpans } from "./gen-ai-spans.ts";
import { openSpanExporter } from "./otlp-exporter.ts";

export interface Tracing {
  recordCall(call: CallRecord): void;
  runEnded(run: EndedRun): void;
  recordScores(run: ScoredEvent): void;
  close(): Promise<void>;
}

export interface TracingParts extends TraceParts {
  readonly database: Pick<Database, "pool">;
  readonly agents: Pick<AgentStore, "get">;
  readonly onError: (error: unknown, what?: string) => void;
}

export function openTracing(
  settings: Pick<
    Settings,
    "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_EXPORTER_OTLP_HEADERS" | "OTEL_SERVICE_NAME"
  >,
  parts: TracingParts,
): Tracing | undefined {
  const { onError, agents, database } = parts;
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const exporter = openSpanExporter({
    endpoint,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    service: { name: settings.OTEL_SERVICE_NAME, version: VERSION },
    onError: (error) => onError(error, "sending traces"),
  });
  const underWay = new Set<Promise<void>>();
  const trace = async ({ runId }: EndedRun): Promise<void> => {
    const run = await getRun(database.pool, runId);
    if (!run.ok) return;
    const [entries, agent] = await Promise.all([traceOf(parts, run.value), agents.get(run.value.agentId)]);
    exporter.export(runSpans({ ...run.value, agentName: agent.ok ? agent.value.name : undefined }, entries));
  };
  return {
    recordCall(call) {
      if (call.runId === undefined) exporter.export([callSpan(call)]);
    },
    runEnded(run) {
      const traced = trace(run)
        .catch((error) => onError(error, "tracing a run"))
        .finally(() => underWay.delete(traced));
      underWay.add(traced);
    },
    recordScores(run) {
      exporter.export([evaluationSpan(run, Date.now())]);
    },
    async close() {
      await Promise.all(underWay);
      await exporter.close();
    },
  };
}
