/** Live runs that are scored in the background: the mean of each revision, and alerts where one is worse than the last. */
import type { Monitor, MonitorAlert, MonitorReport } from "@capstan/client";
import Activity from "lucide-react/icons/activity";
import { useState } from "react";
import { Link } from "wouter";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { ago, count, dateTime, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";
import { NewMonitor } from "./new-monitor.tsx";
import { scoreText } from "./score-text.ts";

const POLL_MS = 5_000;

export function MonitorList() {
  const [isAdding, setAdding] = useState(false);
  const { query, more } = usePages(
    ["monitors", "list"],
    (page, signal) => api.monitors.list(page, signal),
    POLL_MS,
  );
  return (
    <div className="flex flex-col gap-4">
      <Button className="self-end" onClick={() => setAdding(true)}>
        New monitor
      </Button>
      <Loaded query={query} what="Monitors" rows={4}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon={Activity} title="No monitors">
              A monitor scores a share of an agent's live runs and alerts you when a revision is worse than
              the last.
            </Empty>
          ) : (
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((monitor) => (
                <li key={monitor.id}>
                  <MonitorRow monitor={monitor} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {more}
      {isAdding && <NewMonitor onClose={() => setAdding(false)} />}
    </div>
  );
}

function MonitorRow({ monitor }: { monitor: Monitor }) {
  const [removing, setRemoving] = useState(false);
  const { id, name, status } = monitor;
  const report = useRead(["monitors", id], (signal) => api.monitors.get(id, signal), { everyMs: POLL_MS });
  const next = status === "running" ? "paused" : "running";
  const change = useChange(() => api.monitors.change(id, { status: next }), ["monitors"]);
  return (
    <article aria-label={name} className="flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="font-medium break-words">{name}</p>
        <Badge tone={status === "running" ? "accent" : "plain"}>{status}</Badge>
        <span className="flex-1" />
        <Button
          size="sm"
          aria-label={`${next === "paused" ? "Pause" : "Resume"} ${name}`}
          busy={change.isPending}
          doing="Saving…"
          onClick={() => change.mutate(undefined)}
        >
          {next === "paused" ? "Pause" : "Resume"}
        </Button>
        <Button size="sm" look="danger" aria-label={`Delete ${name}`} onClick={() => setRemoving(true)}>
          Delete
        </Button>
      </div>
      <Facts monitor={monitor} />
      <ChangeFailure error={change.error} />
      {monitor.open_alerts > 0 && <Alerts monitor={monitor} />}
      {report.data && <Revisions report={report.data} />}
      {removing && (
        <ConfirmDialog
          title="Delete this monitor?"
          action="Delete"
          change={() => api.monitors.remove(id)}
          refreshes={["monitors"]}
          onClose={() => setRemoving(false)}
        >
          Its scores and alerts are deleted; the runs are kept.
        </ConfirmDialog>
      )}
    </article>
  );
}

function Facts({ monitor }: { monitor: Monitor }) {
  const { agent_id, share, everybody, runs, spent_today_usd, budget_usd } = monitor;
  const agents = useAgents().data?.items ?? [];
  const agent = agents.find(({ id }) => id === agent_id)?.name ?? agent_id;
  const left = [
    runs.skipped > 0 ? `, ${runs.skipped} skipped over the budget` : "",
    runs.failed > 0 ? `, ${runs.failed} failed` : "",
  ].join("");
  const spent = budget_usd === null ? usd(spent_today_usd) : `${usd(spent_today_usd)} of ${usd(budget_usd)}`;
  return (
    <p className="text-xs text-ink-faint">
      {share} % of {everybody ? "all runs" : "your runs"} with {agent}: {count(runs.done, "run")} scored{left}
      ; {spent} spent today.
    </p>
  );
}

function Alerts({ monitor: { id } }: { monitor: Monitor }) {
  const query = useRead(["monitors", id, "alerts"], (signal) => api.monitors.alerts(id, {}, signal));
  const open = (query.data?.items ?? []).filter(({ acknowledged_at }) => acknowledged_at === null);
  return (
    <ul className="flex flex-col gap-2">
      {open.map((alert) => (
        <AlertRow key={alert.id} alert={alert} />
      ))}
    </ul>
  );
}

function AlertRow({ alert }: { alert: MonitorAlert }) {
  const { scorer, revision, against, before, after, at } = alert;
  const seen = useChange(() => api.monitors.acknowledge(alert.monitor_id, alert.id), ["monitors"]);
  return (
    <li>
      <div
        role="alert"
        className="flex flex-wrap items-center gap-3 rounded-lg bg-bad-soft p-3 text-sm text-bad"
      >
        <span className="min-w-0 flex-1">
          {scorer} fell from {scoreText(before.mean)} (revision {against}, {count(before.runs, "run")}) to{" "}
          {scoreText(after.mean)} (revision {revision}, {count(after.runs, "run")}){" "}
          <span title={dateTime(at)}>{ago(at)}</span>.
        </span>
        <Button size="sm" busy={seen.isPending} doing="Saving…" onClick={() => seen.mutate(undefined)}>
          Acknowledge
        </Button>
        <ChangeFailure error={seen.error} />
      </div>
    </li>
  );
}

function Revisions({ report: { revisions, agent_id } }: { report: MonitorReport }) {
  if (revisions.length === 0) return <p className="text-sm text-ink-soft">No scores yet.</p>;
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {revisions.map(({ revision, scorers }) => (
        <li key={revision} className="flex flex-wrap gap-x-4">
          <Link href={`/agents/${agent_id}/history`} className="text-accent-ink hover:underline">
            Revision {revision}
          </Link>
          {scorers.map(({ scorer, mean, low, high, items }) => (
            <span key={scorer} className="numbers">
              {scorer} {scoreText(mean)}{" "}
              <span className="text-xs text-ink-faint">
                ({scoreText(low)} to {scoreText(high)}, {count(items, "run")})
              </span>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
