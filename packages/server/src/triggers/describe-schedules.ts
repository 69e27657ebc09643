/** A schedule in the API: its next run, who handles it, and the outcome of the last run. */
import type { Schedule, ScheduleRun } from "@capstan/client/wire";
import {
  type AgentStore,
  type Database,
  getTrigger,
  nextTime,
  runsOfTriggers,
  type Schedule as ScheduleRecord,
  type TriggerRun,
  triggerIdOf,
} from "@capstan/runtime";

export interface DescribeParts {
  readonly agents: Pick<AgentStore, "using">;
  readonly database: Pick<Database, "reader">;
  /** The folder of trigger files. */
  readonly root: string;
  readonly now: Date;
}

export async function describeSchedules(
  parts: DescribeParts,
  schedules: readonly ScheduleRecord[],
): Promise<Schedule[]> {
  const fired = schedules.flatMap(({ id, lastFiredAt }) =>
    lastFiredAt ? [triggerIdOf(id, lastFiredAt)] : [],
  );
  const runs = await runsOfTriggers(parts.database.reader, fired);
  return Promise.all(schedules.map((schedule) => describe(parts, schedule, runs)));
}

async function describe(
  parts: DescribeParts,
  schedule: ScheduleRecord,
  runs: ReadonlyMap<string, TriggerRun>,
): Promise<Schedule> {
  const { lastFiredAt, resumedAt: _, createdAt, agentId, ...fields } = schedule;
  const listing = await parts.agents.using(schedule.capability, { owner: schedule.user });
  const agent = agentId === undefined ? listing[0] : listing.find(({ id }) => id === agentId);
  return {
    ...fields,
    agent_id: agentId ?? null,
    last_fired_at: lastFiredAt?.toISOString() ?? null,
    next_run_at: nextTime(schedule, parts.now)?.toISOString() ?? null,
    agent: agent ?? null,
    last_run: lastFiredAt ? await lastRun(parts, schedule, lastFiredAt, runs) : null,
    created_at: createdAt.toISOString(),
  };
}

const RUN_STATUS: Readonly<Record<string, ScheduleRun["status"]>> = {
  queued: "waiting",
  running: "running",
  waiting: "needs approval",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};
const TRIGGER_STATUS: Readonly<Record<string, ScheduleRun["status"]>> = {
  pending: "waiting",
  processing: "running",
  done: "done",
  failed: "failed",
  dropped: "cancelled",
  invalid: "failed",
};

/** From its run, or from the trigger if there is no run. */
async function lastRun(
  { root }: DescribeParts,
  { id, capability }: ScheduleRecord,
  at: Date,
  runs: ReadonlyMap<string, TriggerRun>,
): Promise<ScheduleRun> {
  const triggerId = triggerIdOf(id, at);
  const run = runs.get(triggerId);
  if (run)
    return { status: RUN_STATUS[run.status] ?? "unknown", session_id: triggerId, reason: run.reason ?? null };
  const trigger = await getTrigger(root, capability, triggerId);
  return {
    status: TRIGGER_STATUS[trigger?.status ?? ""] ?? "unknown",
    session_id: null,
    reason: trigger?.reason ?? null,
  };
}
