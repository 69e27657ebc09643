/**
 * What to do when a model call fails: retry (too many requests, provider errors, a broken connection),
 * or end the run with a next step (a refused key, a refused request). `Retry-After` is respected.
 */

import { APICallError } from "@ai-sdk/provider";
import { type Failure, fail } from "@capstan/core";
import { networkFault } from "../../network/network-fault.ts";
import type { RetryPolicy } from "../contract/run-types.ts";
import { BrokenStream, FloodedAnswer, LONGEST_ANSWER_CHARS } from "./stream-model.ts";
import { TextBlocked } from "./text-guard.ts";

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 5,
  baseMs: 500,
  longestMs: 30_000,
  longestSilenceMs: 45_000,
};
const ATTEMPTS_BEFORE_NEXT = 2;
const WAIT_BEFORE_NEXT_MS = 5_000;

/** Where another model can be asked, this one is given up sooner. */
export const retryPolicy = (
  policy: RetryPolicy,
  isLast: boolean,
): RetryPolicy & { readonly longestWaitMs: number } =>
  isLast
    ? { ...policy, longestWaitMs: Number.POSITIVE_INFINITY }
    : {
        ...policy,
        attempts: Math.min(policy.attempts, ATTEMPTS_BEFORE_NEXT),
        longestWaitMs: WAIT_BEFORE_NEXT_MS,
      };

export type Verdict =
  | { readonly kind: "retry"; readonly waitMs: number; readonly why: string }
  | { readonly kind: "end"; readonly failure: Failure };

interface Attempt {
  readonly error: unknown;
  readonly provider: string;
  /** From 1. */
  readonly attempt: number;
  readonly policy: RetryPolicy;
  /** The run's remaining time. */
  readonly leftMs: number;
  readonly now: Date;
  /** 0 to 1; jitter, so that many runs do not retry at the same moment. */
  readonly jitter: number;
}

export function judgeModelError({ error, provider, attempt, policy, leftMs, now, jitter }: Attempt): Verdict {
  if (error instanceof TextBlocked) {
    const { name, words } = error.check;
    return { kind: "end", failure: fail("text_blocked", { check: name, words }).failure };
  }
  const cause = error instanceof BrokenStream ? error.cause : error;
  if (cause instanceof FloodedAnswer)
    return {
      kind: "end",
      failure: fail("answer_flooded", { provider, limit: LONGEST_ANSWER_CHARS }).failure,
    };
  const status = statusOf(cause);
  const message = messageOf(cause);
  const ended = endingFailure(provider, status, message, cause);
  if (ended) return { kind: "end", failure: ended };
  if (attempt >= policy.attempts) {
    return {
      kind: "end",
      failure: fail("provider_unavailable", { provider, attempts: attempt, message }).failure,
    };
  }
  const asked = retryAfterMs(cause, now);
  const backoff = Math.min(policy.longestMs, policy.baseMs * 2 ** (attempt - 1)) * (0.5 + jitter / 2);
  const waitMs = asked ?? backoff;
  if (waitMs > leftMs) {
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    return { kind: "end", failure: fail("provider_busy", { provider, retryAfterSeconds }).failure };
  }
  return { kind: "retry", waitMs, why: message };
}

const RETRIED = new Set([408, 409, 425, 429]);

/** The failure for an error that a retry would repeat. */
function endingFailure(
  provider: string,
  status: number | undefined,
  message: string,
  error: unknown,
): Failure | undefined {
  if (status === undefined) {
    const retryable = !APICallError.isInstance(error) || error.isRetryable || error.cause !== undefined;
    return retryable ? undefined : fail("provider_request_refused", { provider, status: 0, message }).failure;
  }
  if (status === 401 || status === 403) {
    return fail("provider_key_refused", { provider, status, message }).failure;
  }
  if (status >= 400 && status < 500 && !RETRIED.has(status)) {
    return fail("provider_request_refused", { provider, status, message }).failure;
  }
  return undefined;
}

function statusOf(error: unknown): number | undefined {
  if (APICallError.isInstance(error)) return error.statusCode;
  const named = field(error, "error") ?? error;
  const type = field(named, "type") ?? field(named, "code");
  return typeof type === "string" ? STATUS_OF_STREAM_ERROR[type] : undefined;
}

/** Errors inside a stream have names instead of a status. */
const STATUS_OF_STREAM_ERROR: Record<string, number> = {
  authentication_error: 401,
  permission_error: 403,
  invalid_request_error: 400,
  invalid_prompt: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  server_error: 500,
  overloaded_error: 529,
};

function messageOf(error: unknown): string {
  if (APICallError.isInstance(error) && error.statusCode === undefined && error.cause !== undefined)
    return `${networkFault(error)} (${new URL(error.url).host})`;
  const message = field(error, "message") ?? field(field(error, "error"), "message");
  if (typeof message === "string" && message !== "") return message;
  if (!APICallError.isInstance(error)) return String(error);
  const { statusCode = 0 } = error;
  // Refusals (400 to 499) name their status in the failure's own sentence.
  return statusCode >= 500
    ? `HTTP ${statusCode}, and the response gave no reason`
    : "the response gave no reason";
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** `Retry-After` in seconds or as a date; `retry-after-ms` where a provider is more exact. */
function retryAfterMs(error: unknown, now: Date): number | undefined {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const exact = Number(headers?.["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers?.["retry-after"];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
