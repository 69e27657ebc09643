/** What a session's run waits for people to answer, with the questions of the agents it has given work to. */
import type { Approval } from "@capstan/runtime";
import type { Services } from "../start/services.ts";

const OPEN = `with recursive tree as (
    select id from runs where session_id = $1 and status = 'waiting'
    union all select c.id from runs c join tree t on c.parent_run_id = t.id where c.status = 'waiting')
  select a.id, (select id from runs where session_id = $1 and status = 'waiting') as "runId"
  from approvals a where a.status = 'pending' and a.run_id in (select id from tree) order by a.id limit 100`;

export interface OpenQuestions {
  /** The session's own run that waits, when questions are open. */
  readonly runId?: string;
  readonly approvals: readonly Approval[];
}

export async function openQuestions(
  { database, runs }: Pick<Services, "database" | "runs">,
  sessionId: string,
): Promise<OpenQuestions> {
  const { rows } = await database.pool.query<{ id: string; runId: string }>(OPEN, [sessionId]);
  const found = await Promise.all(rows.map(({ id }) => runs.approvals.get(id)));
  const approvals = found.flatMap((approval) => (approval.ok ? [approval.value] : []));
  const runId = rows[0]?.runId;
  return runId === undefined ? { approvals } : { runId, approvals };
}
