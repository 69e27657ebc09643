/** The journal of a session, or of one of its runs, as a trajectory that other programs read. */
import { fail, ok, type Result } from "@capstan/core";
import { type AtifTrajectory, type ConversationMessage, trajectoryOf } from "@capstan/core/internal";
import type pg from "pg";
import { isUuid } from "../../db/uuid.ts";
import { readCall, type StoredUsage } from "../log/stored-call.ts";

interface Row {
  readonly id: string;
  readonly runId: string;
  readonly role: ConversationMessage["role"];
  readonly content: ConversationMessage["content"];
  readonly usage: StoredUsage | null;
  readonly createdAt: Date;
  readonly agent: string | null;
  readonly revision: number | null;
}

const MOST_MESSAGES = 10_000;

const MESSAGES = `select m.id, m.run_id as "runId", m.role, m.content, m.usage, m.created_at as "createdAt", r.revision,
    (select a.name from agents a where a.id::text = r.agent_id) as agent
  from messages m left join runs r on r.id = m.run_id
  where m.session_id = $1 and ($2::uuid is null or m.run_id = $2) order by m.position limit ${MOST_MESSAGES}`;

export async function readTrajectory(
  pool: Pick<pg.Pool, "query">,
  sessionId: string,
  runId: string | undefined,
): Promise<Result<AtifTrajectory>> {
  const { rows } = isUuid(sessionId)
    ? await pool.query<Row>(MESSAGES, [sessionId, runId ?? null])
    : { rows: [] };
  const last = rows.at(-1);
  if (!last) return fail("not_found", { what: "message of this session", id: runId ?? sessionId });
  const model = rows.findLast(({ usage }) => typeof usage?.model === "string")?.usage?.model;
  const agent = {
    name: last.agent ?? "unknown",
    version: last.revision === null ? "unknown" : `revision ${last.revision}`,
    ...(typeof model === "string" && { model }),
  };
  const messages = rows.map(({ id, role, content, createdAt, runId: of, usage }) => ({
    message: { id, role, content } as ConversationMessage,
    at: createdAt,
    runId: of,
    usage: usage && { ...readCall(usage) },
  }));
  return ok(trajectoryOf({ sessionId, trajectoryId: runId ?? sessionId }, agent, messages));
}
