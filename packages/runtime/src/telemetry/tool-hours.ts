/** Tool calls, aggregated per hour as they are written: a one-second batch becomes a few rows. */
import { bucketOf } from "./latency-buckets.ts";
import type { CallOrigin, TelemetryRecord } from "./telemetry.ts";

export interface ToolCallCount {
  readonly entry: TelemetryRecord;
  readonly origin: CallOrigin;
}

const HOUR_MS = 3_600_000;

/** Sorted, so that two processes lock the same rows in the same order. */
export const ADD_TOOL_HOURS = `insert into tool_hours (hour, capability_id, tool, agent_id, user_email, latency_bucket,
    calls, failures, total_ms, max_ms)
  select hour, capability_id, tool, agent_id, user_email, bucket, count(*), sum(failed), sum(latency_ms), max(latency_ms)
  from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::int[], $8::int[])
    as call(hour, capability_id, tool, agent_id, user_email, bucket, failed, latency_ms)
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (hour, capability_id, tool, agent_id, user_email, latency_bucket) do update set
    calls = tool_hours.calls + excluded.calls, failures = tool_hours.failures + excluded.failures,
    total_ms = tool_hours.total_ms + excluded.total_ms, max_ms = greatest(tool_hours.max_ms, excluded.max_ms)`;

export function toolHourColumns(calls: readonly ToolCallCount[]): unknown[][] {
  return [
    calls.map(({ entry }) => new Date(Math.floor(Date.parse(entry.ts) / HOUR_MS) * HOUR_MS)),
    calls.map(({ entry }) => entry.capabilityId),
    calls.map(({ origin }) => origin.tool),
    calls.map(({ origin }) => origin.agentId ?? ""),
    calls.map(({ origin }) => origin.user ?? ""),
    calls.map(({ entry }) => bucketOf(entry.latencyMs)),
    calls.map(({ entry }) => (entry.failureClass === "success" ? 0 : 1)),
    calls.map(({ entry }) => entry.latencyMs),
  ];
}
