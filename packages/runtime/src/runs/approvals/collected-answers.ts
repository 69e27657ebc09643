/**
 * Approvals of calls outside a run, for protocols that cannot wait: the caller repeats the call and collects the answer.
 * An answer is collected once, within a day; after that the same call asks again.
 */
import type { Failure, JsonValue } from "@capstan/core";
import type { Database } from "../../db/database.ts";

export interface AskedCall {
  readonly agentId: string;
  readonly email: string;
  readonly tool: string;
  readonly input: unknown;
}

export interface AskedBefore {
  readonly id: string;
  readonly status: string;
  readonly words: string | null;
  readonly result: { readonly output?: JsonValue; readonly failure?: Failure } | null;
}

const FIND = `select a.id, a.status, a.words, a.result from approvals a
  where a.run_id is null and a.agent_id = $1 and a.user_email = $2 and a.tool = $3 and a.arguments::jsonb = $4::jsonb
    and a.status <> 'cancelled' and (a.status = 'pending' or a.decided_at > now() - interval '1 day')
    and not exists (select 1 from approval_collections c where c.approval_id = a.id)
  order by a.created_at desc limit 1`;
const COLLECT = `insert into approval_collections(approval_id) values ($1) on conflict do nothing returning approval_id`;

/** The newest approval of exactly this call whose answer was not collected. */
export async function findAsked(
  { pool }: Pick<Database, "pool">,
  { agentId, email, tool, input }: AskedCall,
): Promise<AskedBefore | undefined> {
  const { rows } = await pool.query<AskedBefore>(FIND, [agentId, email, tool, JSON.stringify(input)]);
  return rows[0];
}

/** Whether this caller gets the answer. */
export async function collectAnswer({ pool }: Pick<Database, "pool">, id: string): Promise<boolean> {
  return (await pool.query(COLLECT, [id])).rows.length > 0;
}
