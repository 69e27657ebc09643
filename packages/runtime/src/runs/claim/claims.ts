/** From a claim to its segment: the rows that a segment starts with, read once. */
import type { JsonValue, RunEvent } from "@capstan/core";
import type { ConversationMessage, Follows } from "@capstan/core/internal";
import type pg from "pg";
import type { RunInput, RunUsage } from "../contract/run-types.ts";
import type { StoredUsage } from "../log/stored-call.ts";
import { type SessionSummary, withSummary } from "../summary/session-summary.ts";
import { CLAIM_AGAIN, READ_RUN } from "./claim-statements.ts";
import type { Answer, ClaimedSegment } from "./claimed-segment.ts";

/** The columns that every claim statement returns. */
export interface ClaimRow {
  readonly id: string;
  readonly session_id: string;
  readonly epoch: number;
  readonly segment: number;
  readonly launch: number;
  readonly start_seq: number;
  readonly attempts?: number;
  readonly input: RunInput;
  readonly agent_id: string;
  readonly parent_run_id: string | null;
  readonly parent_call_id: string | null;
}

export type MessageRow = ConversationMessage & { readonly position: number };

interface RunRow {
  readonly agent_id: string | null;
  readonly owner: string;
  readonly state: JsonValue;
  readonly metadata: { readonly scopeCeiling?: readonly string[] };
  readonly follows: Follows | null;
  readonly conversation: readonly MessageRow[] | null;
  readonly summary: SessionSummary | null;
  readonly usages: readonly StoredUsage[] | null;
  readonly usage: RunUsage | null;
  readonly children: readonly RunUsage[] | null;
  readonly last_seq: number;
  readonly batches: readonly (readonly RunEvent[])[] | null;
  readonly answers: readonly Answer[] | null;
}

export interface LoadedSegment {
  readonly claim: ClaimedSegment;
  /** Events that this segment has written. */
  readonly events: readonly RunEvent[];
}

/** Claims a run that no process works on, or whose process must be fenced off. Undefined when the run has ended. */
export async function claimAgain(
  pool: pg.Pool,
  { runId, launch, owner }: { runId: string; launch: number; owner: string },
): Promise<ClaimRow | undefined> {
  const { rows } = await pool.query<ClaimRow>(CLAIM_AGAIN, [runId, owner, launch]);
  return rows[0];
}

export async function loadSegment(pool: pg.Pool, row: ClaimRow): Promise<LoadedSegment | undefined> {
  const { rows } = await pool.query<RunRow>(READ_RUN, [row.session_id, row.id, row.start_seq]);
  const [read] = rows;
  if (!read) return undefined;
  const conversation = read.conversation ?? [];
  const events = (read.batches ?? []).flat();
  const claim: ClaimedSegment = {
    runId: row.id,
    sessionId: row.session_id,
    epoch: row.epoch,
    segment: row.segment,
    launch: row.launch,
    isStarted: events.some(({ type }) => type === "RUN_STARTED"),
    input: row.input,
    agentId: read.agent_id ?? row.agent_id,
    userEmail: read.owner,
    parent: parentOf(row),
    state: read.state,
    metadata: read.metadata,
    follows: read.follows,
    seq: read.last_seq,
    position: (conversation.at(-1)?.position ?? -1) + 1,
    messages: withSummary(conversation, read.summary),
    summary: read.summary ?? undefined,
    usages: read.usages ?? [],
    activeMs: read.usage?.activeMs ?? 0,
    children: read.children ?? [],
    attempts: row.attempts ?? 0,
    answers: read.answers ?? [],
  };
  return { claim, events };
}

const parentOf = ({ parent_run_id: runId, parent_call_id: callId }: ClaimRow): ClaimedSegment["parent"] =>
  runId === null ? undefined : { runId, callId: callId ?? "" };
