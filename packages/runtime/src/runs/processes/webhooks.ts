/**
 * Calls a run's webhook when it has ended. The delivery is stored with the run's end, so that a crash loses none; it
 * is signed, and retried with growing pauses until it is accepted or given up.
 */
import { createHmac } from "node:crypto";
import type pg from "pg";
import type { Webhooks } from "../contract/run-types.ts";

const TIMEOUT_MS = 10_000;
const PAUSES_SECONDS = [5, 30, 120, 600, 1800, 7200, 21_600]; // then given up, after about eight hours
const AT_ONCE = 20;

/** Reserves deliveries for a minute, so that two processes do not make the same one. */
const TAKE = `update webhook_deliveries set attempts = attempts + 1, next_at = now() + interval '60 seconds'
  where run_id in (select run_id from webhook_deliveries where status = 'due' and next_at <= now()
    order by next_at limit ${AT_ONCE} for update skip locked)
  returning run_id as "runId", url, payload::text as body, attempts`;
const DELIVERED = "update webhook_deliveries set status = 'delivered', last_error = null where run_id = $1";
const MISSED = `update webhook_deliveries set last_error = $2, status = $3,
  next_at = now() + make_interval(secs => $4) where run_id = $1`;

interface Delivery {
  readonly runId: string;
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`: the time is signed too, so that an old call cannot be replayed. */
export function signature(secret: string, body: string, at: Date): string {
  const t = Math.floor(at.getTime() / 1000);
  return `t=${t},v1=${createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")}`;
}

export async function deliverWebhooks(pool: pg.Pool, webhooks: Webhooks, now: () => Date): Promise<void> {
  const { rows } = await pool.query<Delivery>(TAKE);
  await Promise.all(rows.map((delivery) => deliver(pool, webhooks, delivery, now())));
}

async function deliver(
  pool: pg.Pool,
  { fetch, secret, attempted }: Webhooks,
  { runId, url, body, attempts }: Delivery,
  at: Date,
): Promise<void> {
  const problem = await attempt(() =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "capstan-signature": signature(secret, body, at),
        "idempotency-key": runId,
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
  if (problem === undefined) {
    await pool.query(DELIVERED, [runId]);
    attempted?.({ runId, result: "delivered", attempts });
    return;
  }
  const pause = PAUSES_SECONDS[attempts - 1];
  await pool.query(MISSED, [runId, problem, pause === undefined ? "given_up" : "due", pause ?? 0]);
  attempted?.({ runId, result: pause === undefined ? "given_up" : "failed", attempts, why: problem });
}

export interface WebhookDelivery {
  readonly url: string;
  readonly status: "due" | "delivered" | "given_up";
  readonly attempts: number;
  readonly lastError: string | null;
  readonly nextAt: Date | null;
}

const READ = `select url, status, attempts, last_error as "lastError",
  case when status = 'due' then next_at end as "nextAt" from webhook_deliveries where run_id = $1`;

/** How the delivery of a run's end stands; undefined before its end, and for a run without a webhook. */
export async function webhookOf(pool: pg.Pool, runId: string): Promise<WebhookDelivery | undefined> {
  return (await pool.query<WebhookDelivery>(READ, [runId])).rows[0];
}

/** Why the delivery failed, or undefined. */
async function attempt(call: () => ReturnType<Webhooks["fetch"]>): Promise<string | undefined> {
  try {
    const answer = await call();
    if (!answer.ok) return answer.failure.message;
    await answer.value.body?.cancel();
    return answer.value.ok ? undefined : `it answered ${answer.value.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
