/** Outcomes of a revision's runs, to compare a canary with the live revision. */
import type { Database } from "../db/database.ts";
import { runsWhere } from "../runs/claim/runs-where.ts";

export interface RevisionFigures {
  readonly sessions: number;
  readonly runs: number;
  readonly done: number;
  readonly failed: number;
  readonly thumbsUp: number;
  readonly thumbsDown: number;
  readonly costUsd: number;
  /** Mean, without the time a run waits for people. */
  readonly meanMs: number | null;
}

const NONE: RevisionFigures = {
  sessions: 0,
  runs: 0,
  done: 0,
  failed: 0,
  thumbsUp: 0,
  thumbsDown: 0,
  costUsd: 0,
  meanMs: null,
};

const OF_REVISIONS = runsWhere(
  "hashtext(agent_id) = hashtext($1)",
  "agent_id = $1 and revision = any($2::int[])",
);
const FIGURES = `select r.revision, count(distinct r.session_id)::int as sessions, count(*)::int as runs,
    count(*) filter (where r.status = 'done')::int as done,
    count(*) filter (where r.status = 'failed')::int as failed,
    coalesce(sum((select count(*) from feedback f join messages m on m.session_id = f.session_id and m.id = f.message_id
      where f.session_id = r.session_id and m.run_id = r.id and f.value = 'up')), 0)::int as "thumbsUp",
    coalesce(sum((select count(*) from feedback f join messages m on m.session_id = f.session_id and m.id = f.message_id
      where f.session_id = r.session_id and m.run_id = r.id and f.value = 'down')), 0)::int as "thumbsDown",
    coalesce(sum((r.usage->>'costUsd')::float8), 0) as "costUsd",
    avg((r.usage->>'activeMs')::float8) as "meanMs"
  from ${OF_REVISIONS} r group by r.revision`;

export async function readFigures(
  { pool }: Pick<Database, "pool">,
  agentId: string,
  numbers: readonly number[],
): Promise<(number: number) => RevisionFigures> {
  const { rows } = await pool.query<RevisionFigures & { revision: number }>(FIGURES, [agentId, numbers]);
  const found = new Map(rows.map(({ revision, ...figures }) => [revision, figures]));
  return (number) => found.get(number) ?? NONE;
}
