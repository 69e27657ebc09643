/** Results of tools that the client ran: stored as the conversation's next messages; the last one resumes the run. */
import { fail, ok, type Result } from "@capstan/core";
import { type ConversationMessage, pendingCalls, type ToolOutput } from "@capstan/core/internal";
import type pg from "pg";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../db/uuid.ts";
import { CLAIM_WAITING, READ_MESSAGES } from "../claim/claim-statements.ts";
import type { ClaimRow } from "../claim/claims.ts";
import { messageId as newMessageId } from "../log/message-id.ts";
import { storableJson } from "../log/storable-json.ts";

export interface ClientResult {
  readonly toolCallId: string;
  readonly content: string;
  readonly messageId?: string | undefined;
  /** Set when the client failed. */
  readonly error?: string | undefined;
}

export interface ClientResultOptions {
  /** False when a new message follows, whose run sees the results; the waiting run is then cancelled. */
  readonly resumes?: boolean;
}

export interface ClientResultParts {
  readonly pool: pg.Pool;
  readonly executorId: string;
  readonly resume: (row: ClaimRow) => Promise<void>;
}

interface WaitingRun {
  readonly id: string;
  readonly pending: { readonly clientCalls: readonly string[] } | null;
}

const HOLD = `select id, pending from runs where session_id = $1 and status = 'waiting' for update`;
const ADD = `insert into messages(session_id, position, id, run_id, role, content)
  values ($1, (select coalesce(max(position), -1) + 1 from messages where session_id = $1), $2, $3, 'tool', $4::json)`;

async function notWaiting(client: Pick<pg.PoolClient, "query">, sessionId: string): Promise<Result<never>> {
  const { rowCount } = await client.query("select 1 from sessions where id = $1", [sessionId]);
  return rowCount
    ? fail("run_not_active", { session: sessionId })
    : fail("not_found", { what: "session", id: sessionId });
}

/** The run; `resumed` is false while it waits for more. */
export async function storeClientResults(
  { pool, executorId, resume }: ClientResultParts,
  sessionId: string,
  results: readonly ClientResult[],
  { resumes = true }: ClientResultOptions = {},
): Promise<Result<{ runId: string; resumed: boolean; segment?: number; afterSeq?: number }>> {
  if (!isUuid(sessionId)) return fail("not_found", { what: "session", id: sessionId });
  const stored = await inTransaction(pool, async (client) => {
    const { rows } = await client.query<WaitingRun>(HOLD, [sessionId]);
    const [run] = rows;
    if (!run) return notWaiting(client, sessionId);
    const added = await addResults(client, sessionId, run, results);
    if (!added.ok) return added;
    if (!resumes) return ok({ runId: run.id, row: undefined });
    const claimed = await client.query<ClaimRow>(CLAIM_WAITING, [run.id, executorId]);
    return ok({ runId: run.id, row: claimed.rows[0] });
  });
  if (!stored.ok) return stored;
  const { runId, row } = stored.value;
  if (!row) return ok({ runId, resumed: false });
  await resume(row);
  return ok({ runId, resumed: true, segment: row.segment, afterSeq: row.start_seq - 1 });
}

async function addResults(
  client: pg.PoolClient,
  sessionId: string,
  run: WaitingRun,
  results: readonly ClientResult[],
): Promise<Result<true>> {
  const { rows } = await client.query<ConversationMessage>(READ_MESSAGES, [sessionId]);
  const open = new Map(pendingCalls(rows).map((call) => [call.toolCallId, call.toolName]));
  const pending = new Set(run.pending?.clientCalls ?? []);
  const stored = storedResults(rows);
  for (const result of results) {
    const { toolCallId, messageId } = result;
    const output = outputOf(result);
    if (stored.get(toolCallId) === JSON.stringify(output)) continue; // sent again
    const toolName = open.get(toolCallId);
    if (toolName === undefined || !pending.has(toolCallId))
      return fail("call_not_pending", { call: toolCallId });
    open.delete(toolCallId);
    const part = { type: "tool-result", toolCallId, toolName, output };
    await client.query(ADD, [sessionId, messageId ?? newMessageId(), run.id, storableJson([part])]);
  }
  return ok(true);
}

const outputOf = ({ content, error }: ClientResult): ToolOutput =>
  error === undefined
    ? { type: "text", value: content }
    : { type: "error-json", value: { code: "tool_failed", message: error } };

const storedResults = (messages: readonly ConversationMessage[]): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap((message) =>
      message.role === "tool"
        ? message.content.map(({ toolCallId, output }) => [toolCallId, JSON.stringify(output)] as const)
        : [],
    ),
  );
