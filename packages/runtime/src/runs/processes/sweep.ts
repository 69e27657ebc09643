/**
 * What fell between two statements: every two seconds, runs that nobody works on are adopted, queued messages whose
 * session is free are started, parents whose child has ended go on, and unanswered approvals meet their time.
 */
import type pg from "pg";

const ADOPT_AFTER = "5 seconds"; // a run of ours that we do not have in hand is lost, unless it starts just now
const AT_ONCE = 50;

/** $1 this process, $2 the runs it has in hand. */
const DUE = `select
  (select json_agg(json_build_object('id', id, 'epoch', epoch)) from (
    select id, epoch from runs where status = 'running' and (owner = '' or (owner = $1 and id <> all($2::uuid[])
      and updated_at < now() - interval '${ADOPT_AFTER}')) limit ${AT_ONCE}) r) as abandoned,
  (select json_agg(session_id) from (select distinct session_id from runs q where status = 'queued'
    and not exists (select 1 from runs a where a.session_id = q.session_id and a.status in ('running', 'waiting'))
    limit ${AT_ONCE}) q) as queued,
  (select json_agg(id) from (select p.id from runs c join runs p on p.id = c.parent_run_id
    where c.parent_run_id is not null and p.status = 'waiting' and c.status in ('done', 'failed', 'cancelled')
    limit ${AT_ONCE}) p) as parents,
  exists (select 1 from approvals where status = 'pending' and expires_at < now()) as expired,
  exists (select 1 from approvals where status = 'approved' and run_id is null and result is null
    and decided_at < now() - interval '${ADOPT_AFTER}') as unexecuted,
  exists (select 1 from webhook_deliveries where status = 'due' and next_at < now()) as webhooks`;

/** What is to be done, as the database sees it. */
export interface Due {
  readonly abandoned: readonly { readonly id: string; readonly epoch: number }[] | null;
  readonly queued: readonly string[] | null;
  readonly parents: readonly string[] | null;
  readonly expired: boolean;
  readonly unexecuted: boolean;
  readonly webhooks: boolean;
}

/** What these processes were running: all of it, now that they are gone. */
export async function leftBy(
  pool: pg.Pool,
  executorIds: readonly string[],
): Promise<NonNullable<Due["abandoned"]>> {
  const { rows } = await pool.query<{ id: string; epoch: number }>(
    "select id, epoch from runs where status = 'running' and owner = any($1::text[]) order by id",
    [executorIds],
  );
  return rows;
}

export async function whatIsDue(
  pool: pg.Pool,
  executorId: string,
  inHand: readonly string[],
): Promise<Due | undefined> {
  const { rows } = await pool.query<Due>(DUE, [executorId, inHand]);
  return rows[0];
}
