/**
 * Retries a step of the start while the database is unreachable (refused, disconnected, restarting), for a
 * limited time from its first failure. A step must be safe to repeat; other errors are not retried.
 */
import { fail, type Refused, type Result } from "@capstan/core";
import { isDatabaseAway } from "./database-away.ts";

/** Returns what the step returns; after the last attempt, its refusal or error. */
export type DatabaseRetry = <T>(step: () => Promise<T>) => Promise<T>;

export interface DatabaseRetryOptions {
  readonly waitMs: number;
  /** Called before each pause: why, the remaining time, and the length of the pause. */
  readonly onWait: (wait: { why: string; leftMs: number; nextMs: number }) => void;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
}

const FIRST_PAUSE_MS = 250; // a lost connection is usually back at once
const LONGEST_PAUSE_MS = 4000; // waiting processes must not flood a recovering Postgres

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

/** Turns an outage that ended a start into a refusal; rethrows anything else. */
export function unreachable(error: unknown): Refused {
  if (!isDatabaseAway(error)) throw error;
  return fail("database_unreachable", { location: "DATABASE_URL", why: wordsOf(error) });
}

interface Outcome<T> {
  /** Why the database is unreachable; undefined when it is reachable. */
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
