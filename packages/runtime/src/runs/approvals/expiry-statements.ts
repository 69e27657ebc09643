/** SQL for overdue approvals. The time itself is core's `expiryOf`. */

export const IS_OVERDUE = "status = 'pending' and expires_at < now()";

/** Reassigns overdue approvals to the person named by the policy; they no longer expire. */
export const escalateOverdue = (columns: string): string =>
  `update approvals set assignee = expiry->>'to', expires_at = null
  where ${IS_OVERDUE} and expiry->>'policy' = 'escalate' returning ${columns}`;

export const FIND_OVERDUE = `select id from approvals where ${IS_OVERDUE} limit 100`;

/** An approval that expires cannot be approved after its time, even before the sweep has marked it. */
export const IS_IN_TIME = "not (expires_at < now() and expiry->>'policy' = 'expire')";
