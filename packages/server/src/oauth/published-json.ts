/**
 * What clients publish about themselves: documents and keys. Every user, and whoever has a code or refresh token, can make the
 * server fetch them, so all of it is small and shares one limit.
 */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { callerLimit } from "../auth/caller-limit.ts";
import { readBody } from "../http/read-body.ts";

const MOST_BYTES = 64 * 1024;
const MOST_MS = 10_000;
const FETCHES_PER_MINUTE = { ofOne: 30, ofAll: 600 };

export interface Published {
  /** Undefined: not JSON. */
  readonly json: unknown;
  readonly headers: Headers;
}

/** Whose limit it counts in: one user's fetches must not block those for others. */
export type ReadPublished = (url: string, countedFor: string) => Promise<Result<Published>>;

export function publishedReader(fetch: GuardedFetch): ReadPublished {
  const limit = callerLimit(FETCHES_PER_MINUTE, () => performance.now());
  return async (url, countedFor) => {
    const reached = limit(countedFor);
    if (reached) return fail("rate_limited", reached);
    const signal = AbortSignal.timeout(MOST_MS);
    const answer = await fetch(url, { redirects: "refuse", headers: { accept: "application/json" }, signal });
    if (!answer.ok) return answer;
    const { status, headers, body } = answer.value;
    if (!answer.value.ok) return fail("client_unknown", { why: `${url} answered ${status}` });
    const read = await readBody({ headers: new Headers(), body }, MOST_BYTES).catch(() => undefined);
    if (!read?.ok)
      return fail("client_unknown", { why: `${url} is larger than ${MOST_BYTES} bytes, or broke off` });
    return ok({ json: parsedOr(Buffer.from(read.value).toString("utf8")), headers });
  };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
