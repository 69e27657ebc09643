/** A circuit breaker, pure: after repeated failures a capability is paused; then one trial decides whether it works again. */

export interface Breaker {
  readonly state: "closed" | "open" | "half_open";
  readonly failures: number;
  /** Milliseconds since 1970, while it is not closed. */
  readonly openedAt?: number;
}

export interface BreakerRules {
  readonly failuresToOpen: number;
  readonly restMs: number;
}

export const CLOSED_BREAKER: Breaker = { state: "closed", failures: 0 };
export const BREAKER_RULES: BreakerRules = { failuresToOpen: 5, restMs: 30_000 };

/** Whether a call may pass now. An open breaker lets one through after its pause and becomes half open. */
export function admit(
  breaker: Breaker,
  now: number,
  rules: BreakerRules = BREAKER_RULES,
): { pass: boolean; next: Breaker } {
  if (breaker.state === "closed") return { pass: true, next: breaker };
  const rested = now - (breaker.openedAt ?? 0) >= rules.restMs;
  // A half-open one whose trial never returned (its process died) is tried again after another pause.
  if (!rested) return { pass: false, next: breaker };
  return { pass: true, next: { ...breaker, state: "half_open", openedAt: now } };
}

export function settle(
  breaker: Breaker,
  succeeded: boolean,
  now: number,
  rules: BreakerRules = BREAKER_RULES,
): Breaker {
  if (succeeded) return CLOSED_BREAKER;
  const failures = breaker.failures + 1;
  const opens = breaker.state === "half_open" || failures >= rules.failuresToOpen;
  return opens ? { state: "open", failures, openedAt: now } : { state: "closed", failures };
}
