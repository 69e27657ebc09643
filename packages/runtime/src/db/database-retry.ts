/**
 * A step of a start that needs the database is tried again while the database is away (refused, cut, restarting), for a
 * bounded time from its first failure. A step must be one that can be made again; what is no outage is not retried.
 */
import { fail, type Refused, type Result } from "@capstan/core";
import { isDatabaseAway } from "./database-away.ts";

/** Answers what the step answers; after the last try its refusal or its error. */
export type DatabaseRetry = <T>(step: () => Promise<T>) => Promise<T>;

export interface DatabaseRetryOptions {
  readonly waitMs: number;
  /** Told before each pause: why, for how long from now it will be tried, and when next. */
  readonly onWait: (wait: { why: string; leftMs: number; nextMs: number }) => void;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
}

const FIRST_PAUSE_MS = 250; // a cut connection is back at once
const LONGEST_PAUSE_MS = 4000; // several processes that wait must not flood a Postgres that recovers

export const withoutRetry: DatabaseRetry = (step) => step();

export function createDatabaseRetry({ waitMs, onWait, now, pause }: DatabaseRetryOptions): DatabaseRetry {
  const clock = now ?? (() => performance.now());
  const sleep = pause ?? ((ms) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  return async (step) => {
    let until: number | undefined;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const outcome = await outcomeOf(step);
      if (outcome.away === undefined) return outcome.settle();
      until ??= clock() + waitMs;
      const leftMs = until - clock();
      if (leftMs <= 0) return outcome.settle();
      const nextMs = Math.min(pauseMs, leftMs);
      onWait({ why: outcome.away, leftMs, nextMs });
      await sleep(nextMs);
    }
  };
}

/** An outage that ended a start, as a refusal; anything else is thrown on. */
export function unreachable(error: unknown): Refused {
  if (!isDatabaseAway(error)) throw error;
  return fail("database_unreachable", { location: "DATABASE_URL", why: wordsOf(error) });
}

interface Outcome<T> {
  /** Why the database is away; undefined when that is not the trouble, or there is none. */
  readonly away: string | undefined;
  readonly settle: () => T;
}

async function outcomeOf<T>(step: () => Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await step();
    const { ok, failure } = (value ?? {}) as Partial<Result<unknown> & Refused>;
    const isAway = ok === false && failure?.code === "database_unreachable";
    return { away: isAway ? failure.message : undefined, settle: () => value };
  } catch (error) {
    return {
      away: isDatabaseAway(error) ? wordsOf(error) : undefined,
      settle: () => {
        throw error;
      },
    };
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
