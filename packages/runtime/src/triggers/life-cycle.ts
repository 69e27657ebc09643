/**
 * The life cycle of a trigger as a transition table: pending -> processing -> done, or back with a pause, or failed.
 * An attempt is counted when it is claimed, not when it ends, so that a trigger which crashes its process also reaches the limit.
 */
import { fail, ok, type Result } from "@capstan/core";

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Five attempts within about half a minute: longer pauses would block the user's lane longer than people wait. */
export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 5, firstPauseMs: 2_000, longestPauseMs: 300_000 };

export type TriggerState =
  | { readonly status: "pending"; readonly attempts: number; readonly notBeforeMs: number }
  | { readonly status: "processing"; readonly attempts: number; readonly owner: string }
  | { readonly status: "done"; readonly attempts: number }
  | { readonly status: "failed"; readonly attempts: number; readonly reason: string }
  | { readonly status: "deduped"; readonly attempts: number; readonly reason: string }
  | { readonly status: "dropped"; readonly attempts: number };

export type TriggerStatus = TriggerState["status"];

export type TriggerEvent =
  | { readonly type: "claimed"; readonly owner: string }
  | { readonly type: "succeeded" }
  | { readonly type: "attempt-failed"; readonly reason: string }
  | { readonly type: "owner-died"; readonly owner: string }
  | { readonly type: "found-duplicate"; readonly reason: string }
  | { readonly type: "retry-asked" }
  | { readonly type: "drop-asked" };

export const NEW_TRIGGER: TriggerState = { status: "pending", attempts: 0, notBeforeMs: 0 };

/** The pause before the next attempt: it doubles each time. */
export function pauseMs(attempts: number, policy: RetryPolicy): number {
  return Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** Math.max(0, attempts - 1));
}

interface Moment {
  readonly policy: RetryPolicy;
  readonly nowMs: number;
}
type EventOf<Type extends TriggerEvent["type"]> = Extract<TriggerEvent, { type: Type }>;
/** Where each event is allowed, and the resulting state; undefined = not now. */
type Moves = {
  readonly [Type in TriggerEvent["type"]]: {
    readonly from: readonly TriggerStatus[];
    readonly to: (state: TriggerState, event: EventOf<Type>, moment: Moment) => TriggerState | undefined;
  };
};

const MOVES: Moves = {
  claimed: {
    from: ["pending"],
    to: (state, { owner }, { nowMs }) =>
      state.status === "pending" && state.notBeforeMs <= nowMs
        ? { status: "processing", attempts: state.attempts + 1, owner }
        : undefined,
  },
  succeeded: { from: ["processing"], to: ({ attempts }) => ({ status: "done", attempts }) },
  "attempt-failed": {
    from: ["processing"],
    to: ({ attempts }, { reason }, { policy, nowMs }) => afterFailure(attempts, reason, policy, nowMs),
  },
  "owner-died": {
    from: ["processing"],
    to: (state, { owner }, { policy }) =>
      state.status === "processing" && state.owner === owner ? afterDeath(state.attempts, policy) : undefined,
  },
  "found-duplicate": {
    from: ["pending"],
    to: ({ attempts }, { reason }) => ({ status: "deduped", attempts, reason }),
  },
  "retry-asked": { from: ["failed", "pending"], to: () => NEW_TRIGGER },
  "drop-asked": { from: ["failed", "pending"], to: ({ attempts }) => ({ status: "dropped", attempts }) },
};

/** The state after an event, or a refusal when the event is not allowed in this state. */
export function advance(state: TriggerState, event: TriggerEvent, moment: Moment): Result<TriggerState> {
  const move = MOVES[event.type] as Moves["succeeded"]; // the row's event type is the one it was looked up by
  const next = move.from.includes(state.status) ? move.to(state, event as never, moment) : undefined;
  if (next) return ok(next);
  return fail("conflict", {
    message: `A trigger that is ${state.status} cannot take "${event.type}" now.`,
    nextStep: "Read its state again; another process may have changed it.",
  });
}

function afterFailure(attempts: number, reason: string, policy: RetryPolicy, nowMs: number): TriggerState {
  if (attempts >= policy.maxAttempts) return { status: "failed", attempts, reason };
  return { status: "pending", attempts, notBeforeMs: nowMs + pauseMs(attempts, policy) };
}

/** A dead process has already waited, so its trigger is due immediately unless the trigger itself crashes processes. */
function afterDeath(attempts: number, policy: RetryPolicy): TriggerState {
  const reason = `its process died during attempt ${attempts}`;
  if (attempts >= policy.maxAttempts) return { status: "failed", attempts, reason };
  return { status: "pending", attempts, notBeforeMs: 0 };
}
