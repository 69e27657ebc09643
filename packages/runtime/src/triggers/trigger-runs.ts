/** The outcome of triggers: the run of each. A trigger's session has the trigger's id and one run. */
import type { Database } from "../db/database.ts";

export interface TriggerRun {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
}

const RUNS = `select session_id as id, status, outcome->'failure'->>'message' as reason
  from runs where session_id = any($1::uuid[]) order by created_at`;

/** By the trigger's id; one without a run is not in it. */
export async function runsOfTriggers(
  reader: Database["reader"],
  ids: readonly string[],
): Promise<ReadonlyMap<string, TriggerRun>> {
  const { rows } = await reader.query<TriggerRun>(RUNS, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}
