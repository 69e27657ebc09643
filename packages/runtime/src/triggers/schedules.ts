/**
 * Schedules: cron expressions that write triggers. The trigger's id is derived from the schedule and its planned time, so
 * that any number of processes, or one that crashed, write the same trigger and it is handled once.
 */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fail, ok, type Result } from "@capstan/core";
import { readTrigger, type Trigger } from "@capstan/core/internal";
import { Cron } from "croner";
import { and, eq, isNull, lt, or } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { schedules } from "../db/schema/trigger-tables.ts";
import { uuidFrom } from "../db/uuid.ts";
import { createWhole } from "./atomic-files.ts";

const TICK_MS = 1_000;

export interface Schedule {
  readonly id: string;
  readonly capability: string;
  readonly user: string;
  readonly cron: string;
  readonly timezone: string;
  readonly type: string;
  readonly payload: Record<string, unknown>;
  readonly routing?: { readonly channel: string; readonly target?: string | undefined } | undefined;
  /** The agent that does the work; without it, any of the user's agents that lists the capability. */
  readonly agentId?: string | undefined;
  readonly enabled: boolean;
  readonly lastFiredAt?: Date | undefined;
  /** When it was resumed after a pause: earlier times are not caught up. */
  readonly resumedAt?: Date | undefined;
  readonly createdAt: Date;
}

export interface ScheduleStore {
  list(): Promise<Schedule[]>;
  put(schedule: Schedule): Promise<Result<Schedule>>;
  remove(id: string): Promise<boolean>;
  /** Records a firing unless a later one is recorded. */
  markFired(id: string, at: Date): Promise<void>;
}

export function scheduleStore({ orm }: Pick<Database, "orm">): ScheduleStore {
  return {
    async list() {
      const rows = await orm.select().from(schedules).orderBy(schedules.createdAt);
      return rows.map(({ routing, agentId, lastFiredAt, resumedAt, ...row }) => ({
        ...row,
        ...(agentId && { agentId }),
        ...(routing && { routing }),
        ...(lastFiredAt && { lastFiredAt }),
        ...(resumedAt && { resumedAt }),
      }));
    },
    async put(schedule) {
      const checked = checkCron(schedule);
      if (!checked.ok) return checked;
      const { id, ...values } = {
        ...schedule,
        routing: schedule.routing ?? null,
        agentId: schedule.agentId ?? null,
        lastFiredAt: schedule.lastFiredAt ?? null,
        resumedAt: schedule.resumedAt ?? null,
      };
      await orm
        .insert(schedules)
        .values({ id, ...values })
        .onConflictDoUpdate({ target: schedules.id, set: values });
      return ok(schedule);
    },
    async remove(id) {
      const rows = await orm.delete(schedules).where(eq(schedules.id, id)).returning({ id: schedules.id });
      return rows.length > 0;
    },
    async markFired(id, at) {
      const isLater = or(isNull(schedules.lastFiredAt), lt(schedules.lastFiredAt, at));
      await orm
        .update(schedules)
        .set({ lastFiredAt: at })
        .where(and(eq(schedules.id, id), isLater));
    },
  };
}

function checkCron({ cron, timezone }: Schedule): Result<true> {
  try {
    const next = new Cron(cron, { paused: true, timezone }).nextRun();
    return next ? ok(true) : fail("schedule_invalid", { cron, why: "it never occurs" });
  } catch (error) {
    return fail("schedule_invalid", { cron, why: (error as Error).message });
  }
}

export class ScheduleSource {
  readonly #parts: { store: ScheduleStore; root: string; now: () => Date };
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: { store: ScheduleStore; root: string; now: () => Date }) {
    this.#parts = parts;
  }

  start(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => void this.tick().catch(onError), TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Writes the trigger of every due schedule; returns how many. */
  async tick(): Promise<number> {
    let written = 0;
    const { store, root, now } = this.#parts;
    for (const schedule of await store.list()) {
      const due = schedule.enabled ? dueTime(schedule, now()) : undefined;
      if (!due) continue;
      await fireSchedule({ store, root }, schedule, due);
      written += 1;
    }
    return written;
  }
}

/** Writes the trigger of this time; the same time twice is one trigger. */
export async function fireSchedule(
  { store, root }: { store: ScheduleStore; root: string },
  schedule: Schedule,
  at: Date,
): Promise<string> {
  const trigger = triggerOf(schedule, at);
  await createWhole(join(root, schedule.capability, `${trigger.id}.json`), JSON.stringify(trigger));
  await store.markFired(schedule.id, at);
  return trigger.id;
}

/** When it fires next; undefined while it is paused. */
export const nextTime = ({ cron, timezone, enabled }: Schedule, now: Date): Date | undefined =>
  enabled ? (new Cron(cron, { paused: true, timezone }).nextRun(now) ?? undefined) : undefined;

/** The trigger of a schedule at a time, and with it the session that handles it. */
export const triggerIdOf = (scheduleId: string, at: Date): string =>
  uuidFrom(`${scheduleId} ${at.toISOString()}`, 4);

/** The schedule that wrote it: every field is what its owner's schedule says. Ids and payloads alone can be imitated. */
export function scheduleOf(
  trigger: Trigger,
  capability: string,
  schedules: readonly Schedule[],
): Schedule | undefined {
  const { schedule_id: id, planned_at: planned } = trigger.payload ?? {};
  const schedule = schedules.find((each) => each.id === id && each.capability === capability);
  if (!schedule || typeof planned !== "string" || Number.isNaN(Date.parse(planned))) return undefined;
  const written = readTrigger(JSON.stringify(triggerOf(schedule, new Date(planned))));
  return written.ok && isDeepStrictEqual(written.value, trigger) ? schedule : undefined;
}

/** The latest planned time since the last firing: after a long sleep a schedule fires once, not a hundred times. */
export function dueTime(schedule: Schedule, now: Date): Date | undefined {
  const { cron, timezone, lastFiredAt, resumedAt, createdAt } = schedule;
  const [latest] = new Cron(cron, { paused: true, timezone }).previousRuns(1, now);
  const since = Math.max(...[lastFiredAt ?? createdAt, resumedAt ?? createdAt].map((time) => time.getTime()));
  return latest && latest.getTime() > since ? latest : undefined;
}

function triggerOf({ id, user, type, payload, routing }: Schedule, due: Date): Trigger {
  return {
    id: triggerIdOf(id, due),
    user,
    type,
    created_at: due.toISOString(),
    payload: { ...(payload as Trigger["payload"]), schedule_id: id, planned_at: due.toISOString() },
    ...(routing && {
      routing: { channel: routing.channel, ...(routing.target !== undefined && { target: routing.target }) },
    }),
    dedupe_key: `schedule:${id}:${due.toISOString()}`,
  };
}
