/** When an unanswered approval expires; the only code that computes it. */
import type { ApprovalExpiry } from "./agent.ts";

/** When the policy takes effect; undefined if the approval waits indefinitely. */
export const expiryOf = (policy: ApprovalExpiry, now: Date): Date | undefined =>
  policy.policy === "wait" ? undefined : new Date(now.getTime() + policy.afterSeconds * 1000);

/** The same policy, expiring after at most this many seconds. */
export const cappedExpiry = (policy: ApprovalExpiry, mostSeconds: number): ApprovalExpiry =>
  policy.policy === "wait" || policy.afterSeconds > mostSeconds
    ? { policy: "expire", afterSeconds: mostSeconds }
    : policy;
