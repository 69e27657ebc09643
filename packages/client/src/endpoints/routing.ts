/** Tasks: rank, plan, run, and what came of it. */
import type { Connection } from "../connection.ts";
import type { Items } from "../wire/page.ts";
import type {
  RouteAnswer,
  RouteRequest,
  TaskAnswer,
  TaskRequest,
  TelemetryAnswer,
  TelemetryBucket,
} from "../wire/routing.ts";

export const routeEndpoints = ({ json }: Connection) => ({
  /** What would serve the task, and why; nothing runs. */
  explain: (request: RouteRequest, signal?: AbortSignal) =>
    json<RouteAnswer>("POST", "/v1/route", { json: request, signal }),
  execute: (request: TaskRequest, signal?: AbortSignal) =>
    json<TaskAnswer>("POST", "/api/execute-task", { json: request, signal }),
  telemetry: (query: { limit?: number } = {}, signal?: AbortSignal) =>
    json<TelemetryAnswer>("GET", "/api/execution-telemetry", { query, signal }),
  series: (query: { hours?: number; bucket_seconds?: number } = {}, signal?: AbortSignal) =>
    json<Items<TelemetryBucket>>("GET", "/v1/telemetry/series", { query, signal }),
});
