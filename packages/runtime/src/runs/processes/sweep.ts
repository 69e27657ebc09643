/**
 * Work that no event starts: every two seconds, runs without a process are adopted, queued messages of idle sessions
 * start, parents of ended runs resume, runs that nobody follows are cancelled, unanswered approvals expire, and missed
 * webhooks are delivered.
 */
import type pg from "pg";
import { IS_OVERDUE } from "../approvals/expiry-statements.ts";
import { UNATTENDED, type UnattendedRun } from "./unattended-runs.ts";

const SWEEP_MS = 2000;
const ADOPT_AFTER = "5 seconds"; // a run of this process that is not active here is lost, unless it is just starting
const BATCH = 50;

/** $1 this process, $2 the runs that are active in it. */
const DUE_WORK = `select
  (select json_agg(json_build_object('id', id, 'epoch', epoch)) from (
    select id, epoch from runs where status = 'running' and (owner = '' or (owner = $1 and id <> all($2::uuid[])
      and updated_at < now() - interval '${ADOPT_AFTER}')) limit ${BATCH}) r) as abandoned,
  (select json_agg(session_id) from (select distinct session_id from runs q where status = 'queued'
    and not exists (select 1 from runs a where a.session_id = q.session_id and a.status in ('running', 'waiting'))
    limit ${BATCH}) q) as queued,
  (select json_agg(id) from (select p.id from runs c join runs p on p.id = c.parent_run_id
    where c.parent_run_id is not null and p.status = 'waiting' and c.status in ('done', 'failed', 'cancelled')
    limit ${BATCH}) p) as parents,
  (select json_agg(u) from (${UNATTENDED} limit ${BATCH}) u) as unattended,
  exists (select 1 from approvals where ${IS_OVERDUE}) as expired,
  exists (select 1 from approvals where status = 'approved' and run_id is null and result is null
    and decided_at < now() - interval '${ADOPT_AFTER}') as unexecuted,
  (exists (select 1 from webhook_deliveries where status = 'due' and next_at < now())
    or exists (select 1 from budget_deliveries where status = 'due' and next_at < now())
    or exists (select 1 from monitor_alerts where status = 'due' and next_at < now())) as webhooks`;

export interface DueWork {
  readonly abandoned: readonly { readonly id: string; readonly epoch: number }[] | null;
  readonly queued: readonly string[] | null;
  readonly parents: readonly string[] | null;
  readonly unattended: readonly UnattendedRun[] | null;
  readonly expired: boolean;
  readonly unexecuted: boolean;
  readonly webhooks: boolean;
}

/** Runs that these processes own. */
export async function ownedBy(
  pool: pg.Pool,
  executorIds: readonly string[],
): Promise<NonNullable<DueWork["abandoned"]>> {
  const { rows } = await pool.query<{ id: string; epoch: number }>(
    "select id, epoch from runs where status = 'running' and owner = any($1::text[]) order by id",
    [executorIds],
  );
  return rows;
}

export async function findDueWork(
  pool: pg.Pool,
  executorId: string,
  activeRunIds: readonly string[],
): Promise<DueWork | undefined> {
  const { rows } = await pool.query<DueWork>(DUE_WORK, [executorId, activeRunIds]);
  return rows[0];
}

/** Calls `sweep` immediately and then two seconds after each call has ended. */
export class Sweeper {
  readonly #sweep: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(sweep: () => Promise<void>, onError: (error: unknown) => void) {
    this.#sweep = sweep;
    this.#onError = onError;
  }

  start(afterMs = 0): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep()
        .catch(this.#onError)
        .finally(() => this.start(SWEEP_MS));
    }, afterMs);
  }

  /** Waits for the current sweep. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }
}
