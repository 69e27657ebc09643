/** What a turn needs to know about its session: read in one query, or given by the caller when the session is new. */
import type { JsonValue } from "@capstan/core";
import type { ContinueIn, Follows } from "@capstan/core/internal";
import type pg from "pg";
import { isUuid } from "../../db/uuid.ts";
import type { Pending } from "../contract/run-types.ts";
import type { SessionSummary } from "../summary/session-summary.ts";
import { READ_SESSION } from "./claim-statements.ts";
import type { MessageRow } from "./claims.ts";

export interface SessionView {
  readonly agent_id: string | null;
  readonly owner: string;
  readonly state: JsonValue;
  readonly metadata: { readonly scopeCeiling?: readonly string[] };
  /** The program that runs it instead of the agent's. */
  readonly continue_in: ContinueIn | null;
  /** The revision or label of its agent that it uses; null: the live one. */
  readonly follows: Follows | null;
  /** The run of the given message. */
  readonly known: {
    readonly id: string;
    readonly status: string;
    readonly clientRunId?: string | null;
  } | null;
  readonly active: {
    readonly id: string;
    readonly status: string;
    readonly pending: Pending | null;
    /** Its client disconnected, and that cancels it. */
    readonly isLeft: boolean;
  } | null;
  readonly feedback: readonly { messageId: string; value: string; words: string }[] | null;
  /** The end of the conversation; always includes the message to answer. */
  readonly conversation: readonly MessageRow[] | null;
  /** Of what came before it. */
  readonly summary: SessionSummary | null;
  /** The session does not exist yet; the claim of its first run creates it. */
  readonly isNew?: true;
  /** The title of a new session. */
  readonly title?: string;
}

export async function readSession(
  pool: pg.Pool,
  sessionId: string,
  messageId: string,
): Promise<SessionView | undefined> {
  if (!isUuid(sessionId)) return undefined;
  const { rows } = await pool.query<SessionView>(READ_SESSION, [sessionId, messageId]);
  return rows[0];
}

export function newSessionView(session: {
  agentId: string;
  owner: string;
  metadata: Record<string, unknown>;
}): SessionView {
  return {
    agent_id: session.agentId,
    owner: session.owner,
    state: {},
    metadata: session.metadata,
    continue_in: null,
    follows: null,
    known: null,
    active: null,
    feedback: null,
    conversation: null,
    summary: null,
    isNew: true,
  };
}
