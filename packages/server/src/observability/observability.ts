/** Everyone who watches calls and runs: telemetry, totals for `/metrics`, and traces when a collector is configured. */
import type { AgentStore, CallRecord, Database, EndedRun, Telemetry } from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";
import { openRunTotals, type RunTotals } from "./run-totals.ts";
import { openTracing } from "./tracing.ts";

export interface Observability {
  /** Each call that reached the gate. */
  readonly recordCall: (call: CallRecord) => void;
  /** Each run that is over. */
  readonly runEnded: (run: EndedRun) => void;
  readonly runTotals: RunTotals;
  /** Sends and writes what is left. */
  close(): Promise<void>;
}

export interface ObservabilityParts {
  readonly settings: Settings;
  readonly telemetry: Telemetry;
  readonly database: Database;
  readonly agents: AgentStore;
  readonly onError: (error: unknown, what?: string) => void;
}

export function openObservability(parts: ObservabilityParts): Observability {
  const { settings, telemetry } = parts;
  const tracing = openTracing(settings, parts);
  const runTotals = openRunTotals();
  return {
    runTotals,
    recordCall(call) {
      telemetry.recordCall(call);
      tracing?.recordCall(call);
    },
    runEnded(run) {
      runTotals.add(run);
      tracing?.runEnded(run);
    },
    async close() {
      await tracing?.close(); // it reads the history that telemetry writes
      await telemetry.close();
    },
  };
}
