/** A recorded run as a replay needs it: the conversation before it, what the model did, and what the gate and people said. */
import { fail, type JsonValue, ok, type Result } from "@capstan/core";
import {
  type ConversationMessage,
  type DataLabel,
  type RecordedCall,
  type ReplaySide,
  type ToolOutput,
  type ToolResultPart,
  textOf,
  toolCallsOf,
} from "@capstan/core/internal";
import type pg from "pg";
import { isUuid } from "../db/uuid.ts";
import { labelNames, type SessionLabels } from "../labels/session-labels.ts";
import type { MessageRow } from "../runs/claim/claims.ts";
import type { RunInput, RunResult } from "../runs/contract/run-types.ts";
import { readCall, type StoredUsage } from "../runs/log/stored-call.ts";
import { type SessionSummary, withSummary } from "../runs/summary/session-summary.ts";

export type StoredMessage = ConversationMessage & { readonly usage?: StoredUsage | null };

export interface RecordedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly user: string;
  readonly revision: number | null;
  /** Of the capabilities that it ran with, by id; null where that was not kept. */
  readonly versions: Readonly<Record<string, string>> | null;
  readonly input: RunInput;
  readonly state: JsonValue;
  readonly scopeCeiling: readonly string[] | undefined;
  /** What the conversation had read before this run. */
  readonly labels: SessionLabels;
  /** Up to the message that started the run, as the model saw it: a summary first, if there was one. */
  readonly before: readonly ConversationMessage[];
  readonly summary: SessionSummary | undefined;
  /** What the run added. */
  readonly messages: readonly StoredMessage[];
  readonly calls: readonly RecordedCall[];
  readonly side: ReplaySide;
}

interface Row {
  readonly id: string;
  readonly session_id: string;
  readonly agent_id: string;
  readonly revision: number | null;
  readonly versions: RecordedRun["versions"];
  readonly status: string;
  readonly message_id: string;
  readonly input: RunInput;
  readonly outcome: RunResult | null;
  readonly created_at: Date;
  readonly owner: string;
  readonly state: JsonValue;
  readonly metadata: { readonly scopeCeiling?: readonly string[] };
  readonly labels: SessionLabels;
  readonly conversation:
    | readonly (StoredMessage & { readonly runId: string; readonly position: number })[]
    | null;
  readonly summary: SessionSummary | null;
  readonly questions: readonly Question[] | null;
  readonly children: readonly ChildRun[] | null;
}

/** A run of another agent that a call of this one started. */
interface ChildRun {
  readonly callId: string | null;
  readonly at: string;
  readonly labels: SessionLabels;
}

interface Question {
  readonly callId: string;
  readonly status: string;
  readonly reason: string;
}

const LAST_MESSAGES = 300; // as many as a run reads

// One statement, so that a session that is being written is read as of one moment.
const READ = `select r.id, r.session_id, r.agent_id, r.revision, r.status, r.message_id, r.input, r.outcome, r.created_at,
    s.owner, s.state, s.metadata, s.labels,
    (select json_build_object('id', u.id, 'toPosition', u.to_position, 'toMessageId', u.to_message_id, 'text', u.text,
        'kept', u.kept, 'labels', u.labels, 'pinned', (select json_agg(json_build_object('position', p.position, 'id', p.id,
          'role', p.role, 'content', p.content) order by p.position) from messages p
          where p.session_id = r.session_id and p.position <= u.to_position and p.pinned_at is not null))
      from session_summaries u join messages q on q.session_id = u.session_id and q.id = r.message_id
      where u.session_id = r.session_id and u.to_position < q.position
        and (u.run_id = r.id or u.created_at <= q.created_at) -- a later one was not read by this run
      order by u.to_position desc limit 1) as summary,
    (select json_agg(json_build_object('runId', m.run_id, 'position', m.position, 'id', m.id, 'role', m.role, 'content', m.content, 'usage', m.usage)
      order by m.position) from messages m where m.session_id = r.session_id
      and m.position <= (select max(position) from messages where session_id = r.session_id and run_id = r.id)
      and m.position > (select min(position) from messages where session_id = r.session_id and run_id = r.id) - ${LAST_MESSAGES}
    ) as conversation,
    (select json_agg(json_build_object('callId', a.call_id, 'status', a.status, 'reason', a.reason) order by a.id)
      from approvals a where a.run_id = r.id and a.kind = 'tool') as questions,
    (select json_agg(json_build_object('callId', c.parent_call_id, 'at', c.created_at, 'labels', cs.labels))
      from runs c join sessions cs on cs.id = c.session_id where c.parent_run_id = r.id and cs.labels <> '{}') as children,
    (select p.versions from messages m join prompts p on p.id = m.usage->>'promptId' where m.session_id = r.session_id
      and m.run_id = r.id and m.role = 'assistant' order by m.position limit 1) as versions
  from runs r join sessions s on s.id = r.session_id where r.id = $1`;

/** `isOnlyRead`: it is not run again, so a program may have run it. */
export async function readRecording(
  pool: Pick<pg.Pool, "query">,
  runId: string,
  { isOnlyRead = false } = {},
): Promise<Result<RecordedRun>> {
  const { rows } = isUuid(runId) ? await pool.query<Row>(READ, [runId]) : { rows: [] };
  const [row] = rows;
  if (!row) return fail("not_found", { what: "run", id: runId });
  const why = whyNot(row, isOnlyRead);
  if (why !== undefined) return fail("replay_impossible", { run: runId, why });
  const conversation = row.conversation ?? [];
  const start = conversation.findIndex(({ id }) => id === row.message_id);
  if (start < 0) return fail("replay_impossible", { run: runId, why: "its message is no longer stored" });
  const messages = conversation.slice(start + 1).filter((message) => message.runId === row.id);
  const { summary } = row;
  const shown = conversation
    .slice(0, start + 1)
    .filter(({ position }) => position > (summary?.toPosition ?? -1))
    .map(({ id, role, content, position }) => ({ id, role, content, position }) as MessageRow);
  const calls = recordedCalls(messages, row.questions ?? [], labelsByCall(row));
  return ok({
    runId: row.id,
    sessionId: row.session_id,
    agentId: row.agent_id,
    user: row.owner,
    revision: row.revision,
    versions: row.versions,
    input: row.input,
    state: row.state,
    scopeCeiling: row.input.scopeCeiling ?? row.metadata.scopeCeiling,
    labels: labelsBefore(row.labels, row),
    before: withSummary(shown, summary),
    summary: summary ?? undefined,
    messages,
    calls,
    side: { calls, ...figuresOf(messages), outcome: outcomeOf(row.outcome) },
  });
}

function whyNot({ status, input }: Row, isOnlyRead: boolean): string | undefined {
  if (status !== "done" && status !== "failed")
    return `it is ${status}; only a run that is done or failed is replayed`;
  return input.continueIn && !isOnlyRead ? "a coding agent's program ran it" : undefined;
}

/** A label of this run's own calls comes back when the replay makes them; one of its message does not. */
const labelsBefore = (labels: SessionLabels, { id, created_at }: Row): SessionLabels =>
  Object.fromEntries(
    Object.entries(labels).filter(([, { runId, callId, at }]) =>
      runId === id ? callId === undefined : new Date(at) <= created_at,
    ),
  );

/** What each call brought: its own part of the session's labels, and what the agent that it asked has read. */
function labelsByCall({ id, labels, children }: Row): ReadonlyMap<string, DataLabel[]> {
  const brought = new Map<string, DataLabel[]>();
  const add = (callId: string, found: SessionLabels) => {
    const own = bareId(callId);
    brought.set(own, [...(brought.get(own) ?? []), ...labelNames(found)]);
  };
  for (const [label, origin] of Object.entries(labels))
    if (origin.runId === id && origin.callId) add(origin.callId, { [label]: origin });
  for (const { callId, at, labels: read } of children ?? []) {
    const since = Object.entries(read).filter((each) => new Date(each[1].at) > new Date(at));
    if (callId !== null) add(callId, Object.fromEntries(since));
  }
  return brought;
}

/** A call's id as the model gave it: the gate's begins with the run's. */
export const bareId = (callId: string): string => callId.slice(callId.indexOf(":") + 1);

export const outcomeOf = (outcome: RunResult | null): string =>
  outcome?.type === "failed" ? outcome.failure.code : (outcome?.type ?? "none");

/** The model's last text, and the usage of its calls. */
export function figuresOf(
  messages: readonly StoredMessage[],
): Pick<ReplaySide, "answer" | "tokens" | "costUsd" | "modelMs"> {
  const said = messages.findLast(({ role }) => role === "assistant");
  const calls = messages.flatMap(({ usage }) => (usage ? [readCall(usage)] : []));
  const sum = (name: "totalTokens" | "inputTokens" | "outputTokens" | "costUsd" | "durationMs") =>
    calls.reduce((total, call) => total + (call[name] ?? 0), 0);
  return {
    answer: said ? textOf(said) : "",
    tokens: sum("totalTokens") || sum("inputTokens") + sum("outputTokens"),
    costUsd: sum("costUsd"),
    modelMs: Math.round(sum("durationMs")),
  };
}

/** The calls of a conversation with the number of the answer that made each. */
export const callsIn = (messages: readonly ConversationMessage[]) =>
  messages
    .filter(({ role }) => role === "assistant")
    .flatMap((message, turn) =>
      toolCallsOf(message).map(({ toolCallId, toolName, input }) => ({
        id: toolCallId,
        turn,
        tool: toolName,
        input,
      })),
    );

function recordedCalls(
  messages: readonly ConversationMessage[],
  questions: readonly Question[],
  labels: ReadonlyMap<string, DataLabel[]>,
): RecordedCall[] {
  const results = new Map<string, ToolResultPart>();
  for (const message of messages)
    if (message.role === "tool") for (const part of message.content) results.set(part.toolCallId, part);
  const asked = new Map(questions.map((question) => [question.callId, question]));
  return callsIn(messages).map((call): RecordedCall => {
    const { output, editedInput: edited } = results.get(call.id) ?? {};
    const question = asked.get(call.id);
    const brought = labels.get(call.id);
    const refusal = refusalIn(output);
    return {
      ...call,
      ...(output && { output }),
      ...(edited !== undefined && { edited }),
      ...(brought && { labels: brought }),
      gate: question ? "asked" : refusal === undefined ? "allowed" : "denied",
      ...(question ? { why: question.reason } : refusal !== undefined && { why: refusal }),
    };
  });
}

/** Codes with which the gate or a person refuses a call before its tool runs. */
const REFUSALS: ReadonlySet<string> = new Set([
  "tool_unknown",
  "tool_hidden",
  "tool_denied",
  "rule_denied",
  "scope_missing",
  "session_required",
  "tool_input_invalid",
  "budget_exhausted",
  "budget_used_up",
  "replay_effect",
]);

/** Why a call was refused before it ran; undefined when it ran. */
export function refusalIn(output: ToolOutput | undefined): string | undefined {
  if (output?.type !== "error-json" || output.value === null || typeof output.value !== "object")
    return undefined;
  const { code, message } = output.value as { code?: unknown; message?: unknown };
  return typeof code === "string" && REFUSALS.has(code) ? String(message ?? code) : undefined;
}
