/** A run as a waterfall: model calls, questions of the gate, tool calls: when each began, how long it took, what it cost. */
import type { Database } from "../../db/database.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { listMessages, type MessageRecord, type RunRecord } from "./session-history.ts";

const MOST_MESSAGES = 1000;

interface CallRow {
  ts: Date;
  tool: string;
  capability_id: string;
  latency_ms: number;
  failure_class: string;
  status: number | null;
}

interface QuestionRow {
  tool: string;
  capability_id: string;
  status: string;
  created_at: Date;
  decided_at: Date | null;
  decided_by: string | null;
}

export interface TraceParts {
  readonly database: Pick<Database, "pool">;
  readonly telemetry: Pick<Telemetry, "flush">;
}

export type TraceEntry = Awaited<ReturnType<typeof traceOf>>[number];

export async function traceOf({ database, telemetry }: TraceParts, run: RunRecord) {
  await telemetry.flush();
  const [{ items }, { rows: calls }, { rows: questions }] = await Promise.all([
    listMessages(database.pool, run.sessionId, { limit: MOST_MESSAGES }),
    database.pool.query<CallRow>(
      "select ts, tool, capability_id, latency_ms, failure_class, status from call_history where run_id = $1 order by ts limit 1000",
      [run.id],
    ),
    database.pool.query<QuestionRow>(
      "select tool, capability_id, status, created_at, decided_at, decided_by from approvals where run_id = $1 order by created_at limit 1000",
      [run.id],
    ),
  ]);
  return [...modelSpans(run, items), ...questions.map(gateSpan), ...calls.map(toolSpan)].sort((a, b) =>
    a.started_at < b.started_at ? -1 : 1,
  );
}

/** A model call lasts from the message before it to the message it became. */
function modelSpans(run: RunRecord, messages: readonly MessageRecord[]) {
  const own = messages.filter(({ runId }) => runId === run.id);
  return own.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    const from = new Date(own[index - 1]?.createdAt ?? run.createdAt);
    return [
      {
        kind: "model" as const,
        name: message.usage?.model ?? "model",
        started_at: from.toISOString(),
        duration_ms: Math.max(0, new Date(message.createdAt).getTime() - from.getTime()),
        message_id: message.id,
        usage: message.usage,
      },
    ];
  });
}

/** The gate itself takes microseconds; what is worth seeing is how long it waited for a person. */
const gateSpan = ({ tool, capability_id, status, created_at, decided_at, decided_by }: QuestionRow) => ({
  kind: "gate" as const,
  name: tool,
  capability_id,
  started_at: created_at.toISOString(),
  duration_ms: Math.max(0, (decided_at ?? new Date()).getTime() - created_at.getTime()),
  decision: status,
  decided_by,
});

const toolSpan = ({ ts, tool, capability_id, latency_ms, failure_class, status }: CallRow) => ({
  kind: "tool" as const,
  name: tool,
  capability_id,
  started_at: new Date(ts.getTime() - latency_ms).toISOString(),
  duration_ms: latency_ms,
  failure_class,
  status,
});
