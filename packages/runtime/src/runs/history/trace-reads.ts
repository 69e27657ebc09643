/** What a trace needs besides the messages: times of calls and retries from the events, approvals, and stored prompts. */
import { CUSTOM_EVENTS } from "@capstan/core/internal";
import type pg from "pg";
import type { RunRecord } from "./session-history.ts";

type Pool = Pick<pg.Pool, "query">;

export interface EventFacts {
  /** By the call's id. */
  readonly calls: ReadonlyMap<string, { readonly durationMs?: number }>;
  /** By the tool's name. */
  readonly capabilities: ReadonlyMap<string, string>;
  /** By the message id of the model call: why it was retried or another model was asked. */
  readonly retries: ReadonlyMap<string, readonly string[]>;
  /** Attempts without a message. */
  readonly lastRetries: readonly string[];
}

export interface QuestionRow {
  readonly id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly capability_id: string;
  readonly status: string;
  readonly arguments: unknown;
  readonly reason: string;
  readonly words: string | null;
  readonly edited_arguments: unknown;
  readonly created_at: Date;
  readonly decided_at: Date | null;
  readonly decided_by: string | null;
}

const QUESTIONS = `select id, call_id, tool, capability_id, status, arguments, reason, words, edited_arguments, created_at,
    decided_at, decided_by
  from approvals where run_id = $1 order by created_at limit 1000`;

export async function questionsOf(pool: Pool, run: Pick<RunRecord, "id">): Promise<QuestionRow[]> {
  const { rows } = await pool.query<QuestionRow>(QUESTIONS, [run.id]);
  return rows;
}

/** Without the texts: most of a run's events are deltas of its answer. */
const EVENTS = `select e.event->>'type' as type, e.event->>'toolCallId' as call, e.event->>'messageId' as message,
    e.event->>'parentMessageId' as parent, e.event->'metadata'->>'durationMs' as duration,
    e.event->>'name' as name, e.event->'value'->>'reason' as reason,
    e.event->'value'->>'from' as "from", e.event->'value'->>'to' as "to"
  from (select json_array_elements(payload) as event, last_seq from events where session_id = $1 and run_id = $2) e
  where e.event->>'type' in ('TOOL_CALL_RESULT', 'CUSTOM', 'TEXT_MESSAGE_START', 'TOOL_CALL_START')
  order by e.last_seq`;

const CAPABILITIES = "select distinct tool, capability_id as capability from call_history where run_id = $1";

interface EventRow {
  readonly type: string;
  readonly call: string | null;
  readonly message: string | null;
  readonly parent: string | null;
  readonly duration: string | null;
  readonly name: string | null;
  readonly reason: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

export async function callEvents(pool: Pool, run: Pick<RunRecord, "id" | "sessionId">): Promise<EventFacts> {
  const [{ rows }, { rows: tools }] = await Promise.all([
    pool.query<EventRow>(EVENTS, [run.sessionId, run.id]),
    pool.query<{ tool: string; capability: string }>(CAPABILITIES, [run.id]),
  ]);
  const results = rows.filter(({ type }) => type === "TOOL_CALL_RESULT");
  return {
    calls: new Map(
      results.flatMap((row) => (row.call === null ? [] : [[row.call, callFacts(row)] as const])),
    ),
    capabilities: new Map(tools.map(({ tool, capability }) => [tool, capability])),
    ...retriesIn(rows),
  };
}

/** A retry belongs to the next message. */
function retriesIn(rows: readonly EventRow[]): Pick<EventFacts, "retries" | "lastRetries"> {
  const retries = new Map<string, readonly string[]>();
  let lastRetries: string[] = [];
  for (const row of rows) {
    if (row.name === CUSTOM_EVENTS.retrying) lastRetries.push(row.reason ?? "the provider failed");
    if (row.name === CUSTOM_EVENTS.modelChanged)
      lastRetries.push(`${row.to} in place of ${row.from}: ${row.reason}`);
    const message = messageStartedBy(row);
    if (message === undefined || lastRetries.length === 0) continue;
    retries.set(message, lastRetries);
    lastRetries = [];
  }
  return { retries, lastRetries };
}

/** The ids of a message's parts are the same before the dot. */
function messageStartedBy({ type, message, parent }: EventRow): string | undefined {
  const id = type === "TEXT_MESSAGE_START" ? message : type === "TOOL_CALL_START" ? parent : null;
  return id?.split(".", 1)[0];
}

const callFacts = ({ duration }: EventRow) =>
  duration === null ? {} : { durationMs: Math.round(Number(duration)) };

export interface KeptPrompt {
  readonly system: string;
  readonly tools: { name: string; description?: string; inputSchema?: unknown }[];
}

/** Only for a run that used it, so that the hash does not reveal the prompt of an unreadable agent. */
const PROMPT = `select system, tools from prompts where id = $1 and exists
  (select 1 from messages where session_id = $2 and run_id = $3 and usage->>'promptId' = $1)`;

/** A system prompt and its tools as sent. */
export async function promptOf(
  pool: Pool,
  run: Pick<RunRecord, "id" | "sessionId">,
  id: string,
): Promise<KeptPrompt | undefined> {
  const { rows } = await pool.query<KeptPrompt>(PROMPT, [id, run.sessionId, run.id]);
  return rows[0];
}
