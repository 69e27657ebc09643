/** Converts monitors between the API and the code. */
import type { Monitor, MonitorAlert, MonitorReport, MonitorScore } from "@capstan/client";
import { intervalOf, roundedUsd } from "@capstan/core/internal";
import type { MonitorRecord, MonitorStore } from "@capstan/runtime";
import { asWire } from "../http/define-route.ts";

type Item<Method extends "alerts" | "scores"> = Awaited<ReturnType<MonitorStore[Method]>>["items"][number];
type MonitorSettings = Parameters<MonitorStore["change"]>[1];

const NO_RUNS = { queued: 0, running: 0, done: 0, failed: 0, skipped: 0, cancelled: 0 };

export const monitorDto = (monitor: MonitorRecord): Monitor => ({
  id: monitor.id,
  name: monitor.name,
  agent_id: monitor.agentId,
  scorers: asWire<Monitor["scorers"]>(monitor.scorers as Monitor["scorers"]),
  share: monitor.share,
  budget_usd: monitor.budgetUsd,
  scrub: [...monitor.scrub],
  every_runs: monitor.everyRuns,
  drop: monitor.drop,
  webhook: monitor.webhookUrl === null ? null : { url: monitor.webhookUrl },
  status: monitor.status,
  everybody: monitor.everybody,
  runs: { ...NO_RUNS, ...monitor.runs },
  spent_today_usd: roundedUsd(monitor.spentTodayUsd),
  open_alerts: monitor.openAlerts,
  created_by: monitor.owner,
  created_at: monitor.createdAt.toISOString(),
  updated_at: monitor.updatedAt.toISOString(),
});

/** The settings as they are sent. */
export const settingsOf = (monitor: MonitorRecord) => {
  const { name, share, budget_usd, every_runs, drop, webhook, status } = monitorDto(monitor);
  return { name, share, budget_usd, every_runs, drop, webhook, status };
};

export const storedSettings = (sent: ReturnType<typeof settingsOf>): MonitorSettings => ({
  name: sent.name,
  share: sent.share,
  budgetUsd: sent.budget_usd,
  everyRuns: sent.every_runs,
  drop: sent.drop,
  webhookUrl: sent.webhook?.url ?? null,
  status: sent.status,
});

type ScoredRuns = Awaited<ReturnType<MonitorStore["byRevision"]>>;

/** The newest revision first. */
export function revisionsDto(runs: ScoredRuns): MonitorReport["revisions"] {
  return [...Map.groupBy(runs, ({ revision }) => revision)].map(([revision, own]) => {
    const scores = own.flatMap((run) => run.scores);
    const byScorer = Map.groupBy(scores, ({ scorer }) => scorer);
    return {
      revision,
      runs: own.length,
      scorers: [...byScorer].flatMap(([scorer, each]) => {
        const interval = intervalOf(each.flatMap(({ score }) => (score === null ? [] : [score])));
        return interval ? [{ scorer, ...interval }] : [];
      }),
    };
  });
}

export function scoreDto(run: Item<"scores">): MonitorScore {
  const { code, message, nextStep } = run.failure ?? {};
  return {
    run_id: run.runId,
    session_id: run.sessionId,
    revision: run.revision,
    status: run.status,
    scores: (run.scores ?? []).map(({ scorer, score, passed, why = null, error = null }) => ({
      scorer,
      score,
      passed,
      why,
      error,
    })),
    failure: code === undefined ? null : { code, message: message ?? "", nextStep: nextStep ?? "" },
    tokens: run.tokens,
    cost_usd: roundedUsd(run.costUsd),
    scored_at: run.endedAt?.toISOString() ?? null,
  };
}

export const alertDto = ({ finding, ...alert }: Item<"alerts">): MonitorAlert => ({
  id: alert.id,
  monitor_id: alert.monitorId,
  scorer: alert.scorer,
  revision: alert.revision,
  against: alert.against,
  before: finding.before,
  after: finding.after,
  p: finding.p,
  level: finding.level,
  delivery: alert.delivery,
  delivery_error: alert.lastError,
  acknowledged_by: alert.acknowledgedBy,
  acknowledged_at: alert.acknowledgedAt?.toISOString() ?? null,
  at: alert.createdAt.toISOString(),
});
