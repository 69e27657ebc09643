/** Questions of a session's run that wait for people, including those of agents it delegated to. */
import type { Database } from "../../db/database.ts";
import type { Approval, Approvals } from "./approvals.ts";

const PENDING = `with recursive tree as (
    select id from runs where session_id = $1 and status = 'waiting'
    union all select c.id from runs c join tree t on c.parent_run_id = t.id where c.status = 'waiting')
  select a.id, (select id from runs where session_id = $1 and status = 'waiting') as "runId"
  from approvals a where a.status = 'pending' and a.run_id in (select id from tree) order by a.id limit 100`;

export interface PendingQuestions {
  /** The session's own waiting run, when there are questions. */
  readonly runId?: string;
  readonly approvals: readonly Approval[];
}

export interface QuestionParts {
  readonly database: Pick<Database, "pool">;
  readonly runs: { readonly approvals: Pick<Approvals, "get"> };
}

export async function pendingQuestions(
  { database, runs }: QuestionParts,
  sessionId: string,
): Promise<PendingQuestions> {
  const { rows } = await database.pool.query<{ id: string; runId: string }>(PENDING, [sessionId]);
  const found = await Promise.all(rows.map(({ id }) => runs.approvals.get(id)));
  const approvals = found.flatMap((approval) => (approval.ok ? [approval.value] : []));
  const runId = rows[0]?.runId;
  return runId === undefined ? { approvals } : { runId, approvals };
}
