/** The recorded calls of one capability's tools, of the newest runs first. */
import type { RecordedCall } from "@capstan/core/internal";
import type pg from "pg";
import { isUuid } from "../db/uuid.ts";
import { type RecordedRun, readRecording, refusalIn } from "../replays/read-recording.ts";

export interface CallOfRun {
  readonly run: RecordedRun;
  readonly call: RecordedCall & Required<Pick<RecordedCall, "output">>;
}

const MOST_ROWS = 20_000; // at most this much of the newest history is searched

/** The history names a tool's capability, even if it was removed since. */
const CALLED = `select run_id, array_agg(distinct tool) as tools from
    (select run_id, tool from call_history where capability_id = $1 and run_id is not null and path <> 'replay'
      order by id desc limit ${MOST_ROWS}) called
  group by run_id`;

const ENDED = `select r.id from runs r join sessions s on s.id = r.session_id
  where r.id = any($1::uuid[]) and r.status in ('done', 'failed') and ($2::text is null or s.owner = $2)
  order by r.id desc limit $3`;

/** `owner`: only runs of this user's sessions. A call that was refused before its tool ran says nothing about the tool. */
export async function* recordedCalls(
  pool: Pick<pg.Pool, "query">,
  capabilityId: string,
  { owner, limit }: { readonly owner: string | undefined; readonly limit: number },
): AsyncGenerator<CallOfRun> {
  const called = await pool.query<{ run_id: string; tools: string[] }>(CALLED, [capabilityId]);
  const tools = new Map(called.rows.map((row) => [row.run_id, new Set(row.tools)]));
  const ids = [...tools.keys()].filter(isUuid);
  const { rows } = await pool.query<{ id: string }>(ENDED, [ids, owner ?? null, limit]);
  let left = limit;
  for (const { id } of rows) {
    if (left <= 0) return;
    const read = await readRecording(pool, id);
    if (!read.ok) continue; // a coding agent's program ran it, or its messages are gone
    const calls = callsOf(read.value, tools.get(id) ?? new Set()).slice(0, left);
    yield* calls;
    left -= calls.length;
  }
}

const callsOf = (run: RecordedRun, tools: ReadonlySet<string>): CallOfRun[] =>
  run.calls.flatMap((call) => {
    const { output } = call;
    const isMeant = tools.has(call.tool) && output && refusalIn(output) === undefined;
    return isMeant ? [{ run, call: { ...call, output } }] : [];
  });
