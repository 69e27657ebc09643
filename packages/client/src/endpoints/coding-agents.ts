/** /v1/coding-agents and /v1/models. Runs and the doctor answer with a stream that ends when they do. */

import { ok, type Result } from "@capstan/core";
import type { CodingAgentEvent } from "@capstan/core/internal";
import type { Connection } from "../connection.ts";
import { readServerSentEvents } from "../server-sent-events.ts";
import type {
  CodingAgentCommand,
  CodingAgentInfo,
  CodingAgentRun,
  DoctorEvent,
  ModelInfo,
} from "../wire/coding-agents.ts";
import type { Items, JsonObject } from "../wire/page.ts";

export interface Streaming<Event> {
  readonly onEvent: (event: Event) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamingRun extends Streaming<CodingAgentEvent> {
  /** The run's id, used to control it; closing the stream does not stop the run. */
  readonly onStart?: (runId: string) => void;
}

const part = encodeURIComponent;

export const codingAgentEndpoints = (connection: Connection) => {
  const { json } = connection;
  return {
    list: (signal?: AbortSignal) => json<Items<CodingAgentInfo>>("GET", "/v1/coding-agents", { signal }),
    get: (name: string, signal?: AbortSignal) =>
      json<CodingAgentInfo>("GET", `/v1/coding-agents/${part(name)}`, { signal }),
    run: (name: string, run: CodingAgentRun, { onStart, ...streaming }: StreamingRun) =>
      stream(connection, `/v1/coding-agents/${part(name)}/runs`, run, streaming, (response) =>
        onStart?.(response.headers.get("x-capstan-run") ?? ""),
      ),
    command: (name: string, runId: string, command: CodingAgentCommand) =>
      json<JsonObject>("POST", `/v1/coding-agents/${part(name)}/runs/${part(runId)}/commands`, {
        json: command,
      }),
    doctor: (streaming: Streaming<DoctorEvent>) =>
      stream(connection, "/v1/coding-agents/doctor", {}, streaming),
    models: (agent?: string, signal?: AbortSignal) =>
      json<Items<ModelInfo>>("GET", "/v1/models", { query: { agent }, signal }),
  };
};

async function stream<Event>(
  { send }: Connection,
  path: string,
  body: object,
  { onEvent, signal }: Streaming<Event>,
  onOpen: (response: Response) => void = () => {},
): Promise<Result<void>> {
  const sent = await send("POST", path, { json: body, headers: { accept: "text/event-stream" }, signal });
  if (!sent.ok) return sent;
  onOpen(sent.value);
  if (sent.value.body)
    await readServerSentEvents(sent.value.body, ({ data }) => onEvent(JSON.parse(data) as Event));
  return ok(undefined);
}
