/** Traces, when a collector is configured: calls outside runs as they happen, a run as a whole when it is over. */
import type { CallRecord, EndedRun } from "@capstan/runtime";
import { traceOf } from "../runs/run-trace.ts";
import { VERSION } from "../settings/version.ts";
import type { Services } from "../start/services.ts";
import { callSpan, runSpans } from "./gen-ai-spans.ts";
import { openSpanExporter } from "./otlp-exporter.ts";

export interface Tracing {
  recordCall(call: CallRecord): void;
  runEnded(run: EndedRun, services: Pick<Services, "runs" | "database" | "telemetry" | "agents">): void;
  close(): Promise<void>;
}

export function openTracing(
  settings: Pick<
    Services["settings"],
    "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_EXPORTER_OTLP_HEADERS" | "OTEL_SERVICE_NAME"
  >,
  onError: (error: unknown, what?: string) => void,
): Tracing | undefined {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const exporter = openSpanExporter({
    endpoint,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    service: { name: settings.OTEL_SERVICE_NAME, version: VERSION },
    onError: (error) => onError(error, "sending traces"),
  });
  const underWay = new Set<Promise<void>>();
  const trace = async ({ runId }: EndedRun, services: Parameters<Tracing["runEnded"]>[1]): Promise<void> => {
    const run = await services.runs.run(runId);
    if (!run.ok) return;
    const [entries, agent] = await Promise.all([
      traceOf(services, run.value),
      services.agents.get(run.value.agentId),
    ]);
    exporter.export(runSpans({ ...run.value, agentName: agent.ok ? agent.value.name : undefined }, entries));
  };
  return {
    recordCall(call) {
      if (call.runId === undefined) exporter.export([callSpan(call)]);
    },
    runEnded(run, services) {
      const traced = trace(run, services)
        .catch((error) => onError(error, "tracing a run"))
        .finally(() => underWay.delete(traced));
      underWay.add(traced);
    },
    async close() {
      await Promise.all(underWay);
      await exporter.close();
    },
  };
}
