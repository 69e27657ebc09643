/** Tool calls made by models, read from the stored conversations: rules are simulated on them before they are saved. */
import type { Database } from "../db/database.ts";
import { firstIdAt } from "../db/uuid.ts";
import type { LabelOrigin, SessionLabels } from "../labels/session-labels.ts";
import type { RunBeginning } from "../runs/context/run-path.ts";

export interface RecordedCall {
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly user: string;
  readonly tool: string;
  readonly input: unknown;
  /** The arguments that a person put in their place, with which it ran. */
  readonly edited?: unknown;
  readonly at: Date;
  /** How its run began: decides the path of the call. */
  readonly began: RunBeginning;
  /** Labels of what its session had read before it. */
  readonly seen: SessionLabels;
}

interface CallRow extends Omit<RecordedCall, "seen" | "began">, RunBeginning {
  readonly position: number;
  readonly labels: SessionLabels;
}

export interface RecordedCallQuery {
  readonly since: Date;
  readonly limit: number;
  /** Only calls made for this user. */
  readonly user?: string | undefined;
  readonly callId?: string | undefined;
  readonly runId?: string | undefined;
}

// Ids of runs begin with their time, so their primary key is the index for it.
const CALLS = `
  select p->>'toolCallId' as "callId", p->>'toolName' as tool, p->'input' as input, m.created_at as at, m.position, s.labels,
    r.id as "runId", r.session_id as "sessionId", r.agent_id as "agentId", s.owner as user,
    (r.input->>'depth')::int as depth, r.input->>'origin' as origin,
    (select a.edited_arguments from approvals a where a.run_id = r.id and a.call_id = p->>'toolCallId'
      and a.status = 'approved' and a.edited_arguments is not null order by a.created_at desc limit 1) as edited
  from runs r
  join sessions s on s.id = r.session_id
  join messages m on m.session_id = r.session_id and m.run_id = r.id and m.role = 'assistant'
  cross join lateral json_array_elements(m.content) p
  where r.id >= $1 and ($3::text is null or s.owner = $3) and p->>'type' = 'tool-call'
    and ($4::text is null or p->>'toolCallId' = $4) and ($5::text is null or r.id::text = $5)
  order by r.id desc, m.position desc limit $2`;

/** Newest first. */
export async function recordedCalls(
  { pool }: { readonly pool: Pick<Database["pool"], "query"> },
  { since, limit, user, callId, runId }: RecordedCallQuery,
): Promise<RecordedCall[]> {
  const { rows } = await pool.query<CallRow>(CALLS, [
    firstIdAt(since),
    limit,
    user ?? null,
    callId ?? null,
    runId ?? null,
  ]);
  const positions = new Map(rows.map((row) => [`${row.sessionId} ${row.runId}:${row.callId}`, row.position]));
  return rows.map(({ position, labels, depth, origin, edited, ...call }) => {
    const isBefore = (origin: LabelOrigin): boolean => {
      const from = positions.get(`${call.sessionId} ${origin.callId}`);
      return from === undefined ? new Date(origin.at) < call.at : from < position;
    };
    const seen = Object.entries(labels).filter(([, origin]) => isBefore(origin));
    const replaced = edited === null ? {} : { edited };
    return { ...call, ...replaced, began: { depth, origin }, seen: Object.fromEntries(seen) };
  });
}
