/**
 * Calls webhooks: a run's when it has ended, a budget's and a monitor's at an alert. The delivery is stored together
 * with its cause, so that a crash loses none; it is signed, and retried with growing delays until it is accepted or
 * abandoned.
 */
import { createHmac } from "node:crypto";
import type pg from "pg";
import type { Webhooks } from "../contract/run-types.ts";

const TIMEOUT_MS = 10_000;
const PAUSES_SECONDS = [5, 30, 120, 600, 1800, 7200, 21_600]; // then given up, after about eight hours
const AT_ONCE = 20;

/** Where deliveries wait: the ends of runs, and the alerts of budgets and monitors. */
const OUTBOXES = [
  { table: "webhook_deliveries", id: "run_id", isOfRuns: true },
  { table: "budget_deliveries", id: "id", isOfRuns: false },
  { table: "monitor_alerts", id: "id", isOfRuns: false },
] as const;
type Outbox = (typeof OUTBOXES)[number];

/** Reserves deliveries for a minute, so that two processes do not make the same one. */
const take = ({ table, id }: Outbox): string =>
  `update ${table} set attempts = attempts + 1, next_at = now() + interval '60 seconds'
  where ${id} in (select ${id} from ${table} where status = 'due' and next_at <= now()
    order by next_at limit ${AT_ONCE} for update skip locked)
  returning ${id} as id, url, payload::text as body, attempts`;
const delivered = ({ table, id }: Outbox): string =>
  `update ${table} set status = 'delivered', last_error = null where ${id} = $1`;
const missed = ({ table, id }: Outbox): string => `update ${table} set last_error = $2, status = $3,
  next_at = now() + make_interval(secs => $4) where ${id} = $1`;

interface Delivery {
  readonly id: string;
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
  for (const outbox of OUTBOXES) {
    const { rows } = await pool.query<Delivery>(take(outbox));
    await Promise.all(rows.map((delivery) => deliver({ pool, webhooks, outbox }, delivery, now())));
  }
}

interface Delivering {
  readonly pool: pg.Pool;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
}

async function deliver(
  { pool, webhooks: { fetch, secret, attempted }, outbox }: Delivering,
  { id, url, body, attempts }: Delivery,
  at: Date,
): Promise<void> {
  const tell = outbox.isOfRuns ? attempted : undefined;
  const problem = await attempt(() =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "capstan-signature": signature(secret, body, at),
        "idempotency-key": id,
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
  if (problem === undefined) {
    await pool.query(delivered(outbox), [id]);
    tell?.({ runId: id, result: "delivered", attempts });
    return;
  }
  const pause = PAUSES_SECONDS[attempts - 1];
  await pool.query(missed(outbox), [id, problem, pause === undefined ? "given_up" : "due", pause ?? 0]);
  tell?.({ runId: id, result: pause === undefined ? "given_up" : "failed", attempts, why: problem });
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

/** The state of a run's delivery; undefined before its end, and for a run without a webhook. */
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
