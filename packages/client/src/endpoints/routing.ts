/** Tasks: rank, plan, run, and their results. */
import { ok, type Result } from "@capstan/core";
import type { Connection } from "../connection.ts";
import { readServerSentEvents } from "../server-sent-events.ts";
import type { Items } from "../wire/page.ts";
import type {
  RouteAnswer,
  RouteRequest,
  TaskAnswer,
  TaskEvent,
  TaskRequest,
  TaskStarted,
  TaskState,
  TelemetryAnswer,
  TelemetryBucket,
} from "../wire/routing.ts";

const part = encodeURIComponent;

export const routeEndpoints = ({ json, send }: Connection) => ({
  /** Which capability would serve the task, and why; nothing runs. */
  explain: (request: RouteRequest, signal?: AbortSignal) =>
    json<RouteAnswer>("POST", "/v1/route", { json: request, signal }),
  execute: (request: TaskRequest, signal?: AbortSignal) =>
    json<TaskAnswer>("POST", "/api/execute-task", { json: request, signal }),
  /** Returns immediately; follow the task or poll it by its id. Repeating the key returns the same task. */
  start: (request: TaskRequest, { idempotencyKey }: { idempotencyKey?: string | undefined } = {}) =>
    json<TaskStarted>("POST", "/api/execute-task", {
      json: { ...request, async: true },
      headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
    }),
  task: (id: string, signal?: AbortSignal) => json<TaskState>("GET", `/api/tasks/${part(id)}`, { signal }),
  /** Until it is done or the stream breaks; then use `task` for the answer. */
  async follow(id: string, onEvent: (event: TaskEvent) => void, signal?: AbortSignal): Promise<Result<void>> {
    const stream = await send("GET", `/api/tasks/${part(id)}/events`, { signal });
    if (!stream.ok) return stream;
    if (stream.value.body)
      await readServerSentEvents(stream.value.body, ({ data }) =>
        onEvent(JSON.parse(data) as TaskEvent),
      ).catch(() => {});
    return ok(undefined);
  },
  telemetry: (query: { limit?: number } = {}, signal?: AbortSignal) =>
    json<TelemetryAnswer>("GET", "/api/execution-telemetry", { query, signal }),
  series: (query: { hours?: number; bucket_seconds?: number } = {}, signal?: AbortSignal) =>
    json<Items<TelemetryBucket>>("GET", "/v1/telemetry/series", { query, signal }),
});
