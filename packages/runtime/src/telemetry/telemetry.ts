/**
 * A record of every call, without payloads. The last 500 are in memory, all are in Postgres (written in batches), and
 * in a JSONL file if one is configured. Nothing here may slow down or fail a call.
 */
import type { Database } from "../db/database.ts";
import type { RecordedDecision } from "../gate/call-record.ts";
import type { CallRecord } from "../gate/gate.ts";
import { storableJson, storableText } from "../runs/log/storable-json.ts";
import { createHistogram, type Histogram } from "./histogram.ts";
import { jsonlSink } from "./jsonl-sink.ts";
import { ADD_TOOL_HOURS, type ToolCallCount, toolHourColumns } from "./tool-hours.ts";

export type FailureClass = "success" | "http_error" | "runtime_error" | "dry_run";

/** As seed 003 names it. */
export interface TelemetryRecord {
  readonly ts: string;
  readonly capabilityId: string;
  readonly step: number;
  readonly latencyMs: number;
  readonly failureClass: FailureClass;
  readonly fallbackUsed: boolean;
  readonly status?: number;
  /** Number of attempts of a task's step, when more than one. */
  readonly attempts?: number;
}

/** Where a call came from, for the history. */
export interface CallOrigin {
  readonly path: string;
  readonly tool: string;
  readonly agentId?: string;
  readonly user?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly callId?: string;
  readonly decision?: RecordedDecision;
}

export interface Telemetry {
  /** A call that passed the gate. */
  recordCall(record: CallRecord): void;
  /** A step that called no tool, such as a dry run or a route. */
  record(record: TelemetryRecord, origin: CallOrigin): void;
  /** The newest in memory, newest first. */
  recent(limit: number): TelemetryRecord[];
  all(): readonly TelemetryRecord[];
  series(options: { from: Date; bucketSeconds: number }): Promise<SeriesPoint[]>;
  /** Calls since the start, by capability, path and failure class (one key, separated by line ends). */
  counters(): ReadonlyMap<string, number>;
  /** Durations in seconds since the start, by path. */
  latencies(): ReadonlyMap<string, Histogram>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface SeriesPoint {
  readonly ts: string;
  readonly total: number;
  readonly successful: number;
  readonly fallback: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const KEPT = 500;
const REPLAY = "replay"; // in the history, but not counted as usage
const ASKED = 202; // a call that waits for a person
const DECIDED = "decided"; // how the gate decided a call that is counted elsewhere
type HistoryEntry = Omit<TelemetryRecord, "failureClass"> & {
  readonly failureClass: FailureClass | typeof DECIDED;
};
const FLUSH_MS = 1000;
const MOST_WAITING = 10_000; // when the database is unreachable, the newest calls are dropped from the history, never the work

export interface TelemetryOptions {
  readonly database: Pick<Database, "pool" | "reader">;
  readonly logFile?: string | undefined;
}

export function openTelemetry({ database, logFile }: TelemetryOptions): Telemetry {
  const ring: TelemetryRecord[] = [];
  const counters = new Map<string, number>();
  const latencies = new Map<string, Histogram>();
  let waiting: object[] = [];
  let counted: ToolCallCount[] = [];
  const sink = logFile === undefined ? undefined : jsonlSink(logFile);

  const record: Telemetry["record"] = (entry, origin) => {
    ring.push(entry);
    if (ring.length > KEPT) ring.shift();
    const key = `${entry.capabilityId}\n${origin.path}\n${entry.failureClass}`;
    counters.set(key, (counters.get(key) ?? 0) + 1);
    if (entry.failureClass !== "dry_run") recordLatency(latencies, origin.path, entry.latencyMs / 1000);
    sink?.write(entry);
    if (waiting.length >= MOST_WAITING) return;
    waiting.push(rowOf(entry, origin));
    if (entry.failureClass !== "dry_run" && origin.path !== REPLAY) counted.push({ entry, origin });
  };
  /** Only in the history, for traces and explanations. */
  const note = (call: CallRecord, not: Partial<HistoryEntry>): void => {
    if (waiting.length < MOST_WAITING) waiting.push(rowOf({ ...recordOf(call), ...not }, originOf(call)));
  };

  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const rows = waiting;
    const calls = counted;
    waiting = [];
    counted = [];
    await database.pool.query(INSERT, [storableJson(rows)]).catch(() => {}); // best effort by design
    if (calls.length > 0) await database.pool.query(ADD_TOOL_HOURS, toolHourColumns(calls)).catch(() => {});
  };
  const timer = setInterval(flush, FLUSH_MS);
  timer.unref();

  return {
    record,
    recordCall(call) {
      // Once approved, the same call comes again and is counted then.
      if (call.outcome === "approval") note(call, { status: ASKED });
      // A task records each of its steps once, with all attempts included.
      else if (call.path === "task") note(call, { failureClass: DECIDED });
      else record(recordOf(call), originOf(call));
    },
    recent: (limit) => ring.slice(-limit).reverse(),
    all: () => ring,
    counters: () => counters,
    latencies: () => latencies,
    series: (options) => series(database, options),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
      await sink?.close();
    },
  };
}

/** In seconds: from a call within the process to one that asks a model. */
const LATENCY_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

function recordLatency(latencies: Map<string, Histogram>, path: string, seconds: number): void {
  const histogram = latencies.get(path) ?? createHistogram(LATENCY_BOUNDS);
  latencies.set(path, histogram);
  histogram.add(seconds);
}

const COLUMNS =
  "ts, path, capability_id, tool, agent_id, session_id, run_id, step, latency_ms, failure_class, fallback_used, status, call_id, user_email, decision";
const INSERT = `insert into call_history (${COLUMNS})
  select ${COLUMNS} from json_populate_recordset(null::call_history, $1::json)`;

function rowOf(entry: HistoryEntry, origin: CallOrigin): object {
  const { path, tool, agentId, sessionId, runId, callId, user, decision } = origin;
  return {
    ts: entry.ts,
    path,
    capability_id: entry.capabilityId,
    tool,
    agent_id: agentId,
    session_id: sessionId,
    run_id: runId,
    step: entry.step,
    latency_ms: entry.latencyMs,
    failure_class: entry.failureClass,
    fallback_used: entry.fallbackUsed,
    status: entry.status,
    call_id: callId,
    user_email: user,
    decision,
  };
}

function recordOf(call: CallRecord): TelemetryRecord {
  const { ts, capabilityId, latencyMs, status, step = 1, fallback = false } = call;
  const failureClass = classOf(call);
  return {
    ts,
    capabilityId,
    step,
    latencyMs,
    failureClass,
    fallbackUsed: fallback,
    ...(status !== undefined && { status }),
  };
}

/** A call that waits for a person or a client has not failed. */
function classOf({ outcome, code }: CallRecord): FailureClass {
  if (outcome === "refused") return "http_error";
  if (outcome !== "failed") return "success";
  return code === "tool_crashed" || code === "tool_timeout" || code === "cancelled"
    ? "runtime_error"
    : "http_error";
}

const originOf = (call: CallRecord): CallOrigin => {
  const { path, tool, agentId, user, sessionId, runId, callId, decision } = call;
  return {
    path,
    tool: storableText(tool), // a model may call anything
    agentId,
    user,
    ...(sessionId !== undefined && { sessionId }),
    ...(runId !== undefined && { runId }),
    callId,
    ...(decision && { decision }),
  };
};

async function series(
  { reader }: Pick<Database, "reader">,
  { from, bucketSeconds }: { from: Date; bucketSeconds: number },
): Promise<SeriesPoint[]> {
  const { rows } = await reader.query<{
    ts: Date;
    total: number;
    successful: number;
    fallback: number;
    p50: number;
    p95: number;
    p99: number;
  }>(
    `select to_timestamp(floor(extract(epoch from ts) / $2) * $2) as ts, count(*)::int as total,
       (count(*) filter (where failure_class = 'success'))::int as successful, (count(*) filter (where fallback_used))::int as fallback,
       percentile_disc(0.5) within group (order by latency_ms) as p50, percentile_disc(0.95) within group (order by latency_ms) as p95,
       percentile_disc(0.99) within group (order by latency_ms) as p99
     from call_history where ts >= $1 and failure_class not in ('dry_run', '${DECIDED}') and path <> '${REPLAY}' and status is distinct from ${ASKED} group by 1 order by 1 limit 2000`,
    [from, bucketSeconds],
  );
  return rows.map(({ ts, ...row }) => ({ ts: ts.toISOString(), ...row }));
}
