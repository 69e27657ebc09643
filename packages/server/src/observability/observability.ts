/** Observers of calls and runs: telemetry, totals for `/metrics`, and traces if a collector is configured. */
import {
  type AgentStore,
  type CallRecord,
  type Database,
  type EndedRun,
  probeCommandIsolation,
  type ScoredEvent,
  type Telemetry,
  type UsageStore,
  type WebhookAttempt,
} from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import { type HealthRouteParts, healthRoutes } from "./health-routes.ts";
import { metricRoutes } from "./metric-routes.ts";
import { createRunTotals, type RunTotals } from "./run-totals.ts";
import { type SecurityParts, securityReport } from "./security-report.ts";
import type { MetricParts } from "./server-metrics.ts";
import { type StatusRouteParts, statusRoutes } from "./status-routes.ts";
import { openTracing } from "./tracing.ts";
import { type UsageRouteParts, usageRoutes } from "./usage-routes.ts";

export interface Observability {
  /** Each call that reached the gate. */
  readonly recordCall: (call: CallRecord) => void;
  /** Each finished run. */
  readonly runEnded: (run: EndedRun) => void;
  /** Each cell of an experiment, with its scores. */
  readonly cellScored: (cell: ScoredEvent) => void;
  /** Each live run that a monitor scored; undefined: it could not be. */
  readonly liveScored: (run: ScoredEvent | undefined) => void;
  /** Each alert of a monitor. */
  readonly alertRaised: () => void;
  /** Each attempt to call a run's webhook. */
  readonly webhookAttempted: (attempt: WebhookAttempt) => void;
  readonly runTotals: RunTotals;
  /** Flushes what is left. */
  close(): Promise<void>;
}

export interface ObservabilityParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly usage: UsageStore;
  readonly database: Database;
  readonly agents: AgentStore;
  readonly onError: (error: unknown, what?: string) => void;
}

export type OperationParts = MetricParts &
  UsageRouteParts &
  HealthRouteParts &
  Omit<StatusRouteParts, "security"> &
  Omit<SecurityParts, "commandIsolation">;

/** What the operator's tools ask: health, status with the security report, metrics, usage. */
export function operationRoutes(parts: OperationParts): Feature["routes"] {
  const commandIsolation = probeOnce(parts.settings.CAPSTAN_ALLOW_UNSEPARATED_PACKAGES);
  const security = () => securityReport({ ...parts, commandIsolation });
  return [healthRoutes(parts), statusRoutes({ ...parts, security }), metricRoutes(parts), usageRoutes(parts)];
}

/** Probing starts a process or two, so it is done when someone asks, once. */
function probeOnce(allowsUnseparated: boolean) {
  let probed: ReturnType<typeof probeCommandIsolation> | undefined;
  return () => (probed ??= probeCommandIsolation({ allowsUnseparated }));
}

export function openObservability(parts: ObservabilityParts): Observability {
  const { settings, telemetry, usage, log } = parts;
  usage.start((error) => parts.onError(error, "sums of usage"));
  const tracing = openTracing(settings, parts);
  const runTotals = createRunTotals();
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
    cellScored: (cell) => tracing?.recordScores(cell),
    liveScored(run) {
      runTotals.addScored(run ? "scored" : "failed");
      if (run) tracing?.recordScores(run);
    },
    alertRaised: () => runTotals.addAlert(),
    webhookAttempted({ runId, result, attempts, why }) {
      runTotals.addWebhook(result);
      if (result === "delivered") return;
      const next = result === "given_up" ? "given up" : "tried again later";
      log.error({ what: "webhook", error: `run ${runId}, attempt ${attempts}, ${next}: ${why}` });
    },
    async close() {
      usage.close();
      await tracing?.close(); // it reads the history that telemetry writes
      await telemetry.close();
    },
  };
}
