/**
 * One past call, by whichever id a person has: the model's, the gate's or an approval's. How the gate decided is read from the
 * history, because rules, labels and groups may have changed since. Arguments are stored in conversations and questions only.
 */
import type { CallPath } from "@capstan/core/internal";
import type pg from "pg";
import type { RecordedDecision } from "../gate/call-record.ts";
import { type RecordedCall, recordedCalls } from "./recorded-calls.ts";

export interface MadeDecision extends RecordedDecision {
  readonly at: Date;
  readonly path: CallPath;
  readonly tool: string;
  readonly agentId: string;
  readonly user: string;
  readonly sessionId: string | null;
  readonly runId: string | null;
  /** The HTTP status of how it ended; null for a tool that the client runs. */
  readonly status: number | null;
}

/** A question about a call outside a run. */
export interface AskedCall {
  readonly sessionId: string | null;
  readonly agentId: string;
  readonly user: string;
  readonly tool: string;
  readonly input: unknown;
  readonly edited: unknown;
  readonly at: Date;
}

export interface PastCall {
  /** Oldest first: asked, approved, made again after a crash. */
  readonly decisions: readonly MadeDecision[];
  /** It stands in a conversation. */
  readonly recorded?: RecordedCall | undefined;
  readonly asked?: AskedCall | undefined;
}

export interface PastCallQuery {
  readonly callId: string;
  readonly since: Date;
  /** Only calls made for this user. */
  readonly user?: string | undefined;
}

interface Parts {
  readonly pool: Pick<pg.Pool, "query">;
}

export async function pastCall(database: Parts, query: PastCallQuery): Promise<PastCall> {
  const questions = await questionsAbout(database, query);
  const [ofRun] = questions.filter(({ runId }) => runId !== null);
  const named = ofRun ? { runId: ofRun.runId ?? undefined, callId: ofRun.callId } : namedIn(query.callId);
  const [recorded] = await recordedCalls(database, { ...query, ...named, limit: 1 });
  const ids = [
    query.callId,
    ...(recorded ? [`${recorded.runId}:${recorded.callId}`] : []),
    ...questions.flatMap(({ id, runId, callId }) => (runId === null ? [id, callId] : [`${runId}:${callId}`])),
  ];
  const asked = questions.find(({ runId }) => runId === null);
  const found = await decisionsOf(database, ids, query);
  // An MCP client names its calls itself: it must not add to the story of another user's call.
  const owner = (recorded ?? asked ?? found[0])?.user;
  return { decisions: found.filter(({ user }) => user === owner), recorded, asked };
}

/** The gate's id of a model's call is that of its run and the model's own. */
function namedIn(id: string): { readonly runId?: string; readonly callId: string } {
  const [, runId, callId] = /^([0-9a-f-]{36}):(.+)$/s.exec(id) ?? [];
  return runId !== undefined && callId !== undefined ? { runId, callId } : { callId: id };
}

interface Question extends AskedCall {
  readonly id: string;
  readonly runId: string | null;
  readonly callId: string;
}

const QUESTIONS = `select id, run_id as "runId", call_id as "callId", session_id as "sessionId", agent_id as "agentId",
    user_email as user, tool, arguments as input, edited_arguments as edited, created_at as at
  from approvals where kind = 'tool' and created_at >= $2 and ($3::text is null or user_email = $3)
    and (id::text = $1 or (run_id is null and call_id = $1)) order by created_at limit 1`;

const questionsAbout = async (
  { pool }: Parts,
  { callId, since, user }: PastCallQuery,
): Promise<readonly Question[]> =>
  (await pool.query<Question>(QUESTIONS, [callId, since, user ?? null])).rows;

const DECISIONS = `select ts as at, path, tool, agent_id as "agentId", user_email as user, session_id as "sessionId",
    run_id as "runId", status, decision
  from call_history where ts >= $2 and ($3::text is null or user_email = $3) and call_id = any($1::text[])
  order by ts, id limit 20`;

interface HistoryRow extends Omit<MadeDecision, keyof RecordedDecision> {
  readonly decision: RecordedDecision | null;
}

async function decisionsOf(
  { pool }: Parts,
  ids: readonly string[],
  { since, user }: PastCallQuery,
): Promise<readonly MadeDecision[]> {
  const { rows } = await pool.query<HistoryRow>(DECISIONS, [ids, since, user ?? null]);
  return rows.map(({ decision, ...row }) => ({ ...row, ...(decision ?? { effect: "allow" }) }));
}
