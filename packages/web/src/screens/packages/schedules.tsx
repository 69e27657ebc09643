/** Schedules: the next run, who handles it, the last outcome; run now, pause, remove. */
import type { Schedule, ScheduleRun } from "@capstan/client";
import CalendarClock from "lucide-react/icons/calendar-clock";
import { useState } from "react";
import { Link } from "wouter";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago, dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useCapabilities } from "../../server/reads.ts";
import { NewSchedule } from "./new-schedule.tsx";

const REFRESH_MS = 5_000;

export function Schedules() {
  const query = useRead(["schedules"], (signal) => api.schedules.all({}, signal), { everyMs: REFRESH_MS });
  return (
    <div className="flex flex-col gap-5">
      <Panel flush>
        <Loaded query={query} what="Schedules" rows={3}>
          {(items) =>
            items.length === 0 ? (
              <Empty icon={CalendarClock} title="No schedules yet">
                A schedule runs an agent at set times, such as every weekday at nine.
              </Empty>
            ) : (
              <ul className="divide-y divide-line">
                {items.map((schedule) => (
                  <li key={schedule.id}>
                    <ScheduleRow schedule={schedule} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      <Panel title="New schedule">
        <NewSchedule />
      </Panel>
    </div>
  );
}

function ScheduleRow({ schedule }: { schedule: Schedule }) {
  const { id, cron, capability, payload, user, timezone, enabled } = schedule;
  const { next_run_at, last_run, last_fired_at } = schedule;
  const [asking, setAsking] = useState(false);
  const known = useCapabilities().data?.items.find((each) => each.id === capability);
  const { message } = payload;
  const name = typeof message === "string" && message !== "" ? message : (known?.name ?? capability);
  const run = useChange(() => api.schedules.run(id), ["schedules", "sessions"]);
  const change = useChange(() => api.schedules.update(id, { enabled: !enabled }), ["schedules"]);
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2 p-4">
      <div className="min-w-60 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="line-clamp-2">{name}</span> <Code>{cron}</Code>
          {!enabled && <Badge tone="warn">paused</Badge>}
        </p>
        <p className="text-xs text-ink-faint">
          <Handler schedule={schedule} />, for {user}, {timezone} time
        </p>
        <p className="mt-1 text-xs text-ink-soft">
          {next_run_at ? (
            <>
              Next run <span title={dateTime(next_run_at)}>{dateTime(next_run_at)}</span> ({ago(next_run_at)})
            </>
          ) : (
            "Paused: no next run"
          )}
        </p>
        {last_run && last_fired_at && <LastRun run={last_run} at={last_fired_at} />}
        <ChangeFailure error={run.error ?? change.error} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          busy={run.isPending}
          doing="Starting…"
          aria-label={`Run now: ${name}`}
          onClick={() => run.mutate(undefined)}
        >
          Run now
        </Button>
        <Button
          size="sm"
          busy={change.isPending}
          doing="Saving…"
          aria-label={`${enabled ? "Pause" : "Resume"} ${name}`}
          onClick={() => change.mutate(undefined)}
        >
          {enabled ? "Pause" : "Resume"}
        </Button>
        <Button
          size="sm"
          look="danger"
          aria-label={`Remove the schedule of ${name}`}
          onClick={() => setAsking(true)}
        >
          Remove
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title={`Remove the schedule of ${name}?`}
          action="Remove"
          change={() => api.schedules.remove(id)}
          refreshes={["schedules"]}
          onClose={() => setAsking(false)}
        >
          Sessions of earlier runs are kept.
        </ConfirmDialog>
      )}
    </div>
  );
}

function Handler({ schedule: { agent, agent_id } }: { schedule: Schedule }) {
  if (agent)
    return (
      <Link href={`/agents/${agent.id}`} className="text-accent-ink underline">
        {agent.name}
      </Link>
    );
  return agent_id ? "Its agent is gone or lost the capability" : "The agent is created on the first run";
}

const TONES: Record<ScheduleRun["status"], Tone> = {
  waiting: "accent",
  running: "accent",
  "needs approval": "warn",
  done: "good",
  failed: "bad",
  cancelled: "plain",
  unknown: "plain",
};

const LastRun = ({ run: { status, session_id, reason }, at }: { run: ScheduleRun; at: string }) => (
  <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-ink-soft">
    Last run <span title={dateTime(at)}>{ago(at)}</span>
    <Badge tone={TONES[status]}>{status}</Badge>
    {reason && <span className="text-bad">{reason}</span>}
    {session_id && (
      <Link href={`/chat/${session_id}`} className="text-accent-ink underline">
        Open session
      </Link>
    )}
  </p>
);
