/** Monitors: their routes, the worker that scores live runs in the background, and alert delivery. */
import type { Scorer } from "@capstan/core/internal";
import {
  type AgentSharings,
  type AgentStore,
  type AuditLog,
  type BudgetLedger,
  type ClosableFetch,
  type Database,
  type DatabaseRetry,
  type Models,
  type MonitorStore,
  type ScoredEvent,
  startMonitorWorker,
  type WorkAskers,
} from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import type { Log } from "../settings/log.ts";
import { monitorRoutes } from "./monitor-routes.ts";

type DriftAlert = Parameters<Parameters<typeof startMonitorWorker>[0]["drifted"]>[0];

export interface MonitorFeatureParts {
  readonly database: Database;
  readonly workAskers: WorkAskers;
  readonly monitors: MonitorStore;
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly models: Models;
  readonly ledger: BudgetLedger;
  readonly scorers: readonly Scorer[];
  readonly audit: AuditLog;
  readonly fetch: Pick<ClosableFetch, "check">;
  readonly log: Pick<Log, "info">;
  /** Undefined: a run that could not be scored. */
  readonly liveScored: (run: ScoredEvent | undefined) => void;
  readonly alertRaised: () => void;
  readonly withRetry: DatabaseRetry;
  readonly onError: (error: unknown, what: string) => void;
}

export async function openMonitors(parts: MonitorFeatureParts): Promise<Feature> {
  const { database, models, ledger, scorers, onError } = parts;
  const worker = await parts.withRetry(() =>
    startMonitorWorker({
      database,
      askers: parts.workAskers,
      models,
      budgets: ledger,
      scorers,
      scored: parts.liveScored,
      drifted: tellOf(parts),
      onError,
    }),
  );
  const routes = monitorRoutes({ ...parts, wake: () => worker.wake() });
  return { routes: [routes], close: () => worker.close() };
}

/** The alert is stored already; this adds it to the log, the audit log and the metrics. */
const tellOf =
  ({ audit, log, alertRaised, onError }: MonitorFeatureParts) =>
  ({ monitorId, monitor, scorer, revision, against, finding }: DriftAlert): void => {
    const { before, after, p } = finding;
    log.info(
      `monitor "${monitor}": ${scorer} fell from ${before.mean.toFixed(3)} (revision ${against}, ${before.runs} runs) ` +
        `to ${after.mean.toFixed(3)} (revision ${revision}, ${after.runs} runs)`,
    );
    alertRaised();
    const details = { name: monitor, scorer, revision, against, before: before.mean, after: after.mean, p };
    audit
      .add({ actor: "capstan", action: "monitor.drift", subject: monitorId, details })
      .catch((error: unknown) => onError(error, "audit"));
  };
