/** Which recorded runs a replay or a dataset is about: named ones, all of some sessions, or those that match a query. */
import { fail, ok, type Result } from "@capstan/core";
import type { RevisionLabel } from "@capstan/core/internal";
import type pg from "pg";
import { firstIdAt } from "../db/uuid.ts";

export const MOST_RUNS = 1000; // of one replay

export interface RunQuery {
  readonly agentId?: string | undefined;
  /** Runs of this revision of the agent. */
  readonly revision?: number | undefined;
  readonly status?: "done" | "failed" | undefined;
  /** Runs with an answer that a person rated so. */
  readonly feedback?: "up" | "down" | undefined;
  /** Runs of the revision that has this label of the agent now. */
  readonly label?: RevisionLabel | undefined;
  /** Runs that called this tool. */
  readonly tool?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly limit?: number | undefined;
}

export type RunSelection =
  | { readonly runs: readonly string[] }
  | { readonly sessions: readonly string[] }
  | { readonly query: RunQuery };

// Runs that another run started are calls of that one. Ids begin with their time, so their index serves `since` and `until`.
const SELECT = `select r.id, r.session_id from runs r join sessions s on s.id = r.session_id
  where r.status in ('done', 'failed') and ($1::text is null or s.owner = $1)
    and ($2::uuid[] is null or r.id = any($2)) and ($3::uuid[] is null or r.session_id = any($3))
    and (r.parent_run_id is null or $2::uuid[] is not null)
    and ($4::text is null or r.agent_id = $4) and ($5::int is null or r.revision = $5)
    and ($6::text is null or r.status = $6)
    and ($7::text is null or exists (select 1 from feedback f join messages m on m.session_id = f.session_id
      and m.id = f.message_id where f.session_id = r.session_id and m.run_id = r.id and f.value = $7))
    and ($8::text is null or exists (select 1 from messages m cross join lateral json_array_elements(m.content) p
      where m.session_id = r.session_id and m.run_id = r.id and m.role = 'assistant' and p->>'toolName' = $8))
    and ($9::uuid is null or r.id >= $9) and ($10::uuid is null or r.id < $10)
    and ($11::text is null or exists (select 1 from agent_labels l where l.agent_id::text = r.agent_id
        and l.number = r.revision and l.label = $11)
      or ($11 = 'live' and exists (select 1 from agents a where a.id::text = r.agent_id and a.version = r.revision)))
  order by r.id desc limit $12`;

/** Agents that still exist. */
export async function agentsOfRuns(
  pool: Pick<pg.Pool, "query">,
  runIds: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ agent_id: string }>(
    `select distinct r.agent_id from runs r join agents a on a.id::text = r.agent_id where r.id = any($1::uuid[])`,
    [runIds],
  );
  return rows.map((row) => row.agent_id);
}

/** Oldest first. `owner`: only runs of this user's sessions. */
export async function selectRuns(
  pool: Pick<pg.Pool, "query">,
  selection: RunSelection,
  owner: string | undefined,
): Promise<Result<string[]>> {
  const query: RunQuery = "query" in selection ? selection.query : {};
  const runs = "runs" in selection ? [...new Set(selection.runs)] : null;
  const sessions = "sessions" in selection ? [...new Set(selection.sessions)] : null;
  const { agentId, revision, status, feedback, tool, since, until, label, limit = MOST_RUNS } = query;
  const filters = [
    agentId,
    revision,
    status,
    feedback,
    tool,
    since && firstIdAt(since),
    until && firstIdAt(until),
    label,
  ];
  const { rows } = await pool.query<{ id: string; session_id: string }>(SELECT, [
    owner ?? null,
    runs,
    sessions,
    ...filters.map((value) => value ?? null),
    Math.min(limit, MOST_RUNS),
  ]);
  const missing =
    runs?.find((id) => !rows.some((row) => row.id === id.toLowerCase())) ??
    sessions?.find((id) => !rows.some((row) => row.session_id === id.toLowerCase()));
  if (missing !== undefined)
    return fail("not_found", {
      what: runs ? "run that is done or failed" : "session with a run that is done or failed",
      id: missing,
      nextStep: "Runs that wait, run or were cancelled cannot be replayed. Look at its status.",
    });
  return rows.length === 0 ? fail("replay_empty", {}) : ok(rows.map(({ id }) => id).reverse());
}
