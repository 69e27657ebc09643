/** /v1/agents/{id}/ag-ui: AG-UI 1.0 over SSE, or protobuf on explicit request; and the agent's capabilities. */
import {
  AgentCapabilitiesDocument,
  CancelledThread,
  CancelThread,
  CapabilitiesQuery,
} from "@capstan/client/wire";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { isAdmin } from "../http/caller.ts";
import {
  type AppEnv,
  asWire,
  authority,
  checkQuery,
  Id,
  json,
  jsonBody,
  needs,
  newRoutes,
  requireRight,
} from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { readJson } from "../http/read-json.ts";
import { sseEvent, sseResponse, streamStop } from "../http/sse.ts";
import { traceParent } from "../http/trace-parent.ts";
import { type AgentCapabilityParts, agentCapabilities } from "./agent-capabilities.ts";
import { untilClientLeaves } from "./client-left.ts";
import { answerEvents, type SentEvent } from "./event-stream.ts";
import { readForwarded } from "./forwarded-props.ts";
import { parseRunInput } from "./run-input.ts";
import { type Answering, type Asking, type StartRunParts, startRun } from "./start-run.ts";
import { readThread } from "./thread-session.ts";

const PROTOBUF = "application/vnd.ag-ui.event+proto";

const capabilities = createRoute({
  operationId: "getAgentCapabilities",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents/{id}/ag-ui/capabilities",
  tags: ["ag-ui"],
  summary: "What the agent can do: AG-UI's AgentCapabilities; `observed=true` adds what runs have shown",
  request: {
    params: Id,
    query: CapabilitiesQuery,
  },
  responses: { 200: json(AgentCapabilitiesDocument, "AgentCapabilities.") },
});

const cancel = createRoute({
  operationId: "cancelThread",
  ...needs("run", "use"),
  method: "post",
  path: "/v1/agents/{id}/ag-ui/cancel",
  tags: ["ag-ui"],
  summary: "Cancel the run of an AG-UI thread, by the client's own thread id",
  request: { params: Id, body: jsonBody(CancelThread) },
  responses: { 200: json(CancelledThread, "The cancelled run.") },
});

export interface AgUiRouteParts extends AgentCapabilityParts, StartRunParts {
  /** Fires when the server stops: streams end with a hint to reconnect. */
  readonly stopping: AbortSignal;
}

export function agUiRoutes(services: AgUiRouteParts) {
  const routes = newRoutes();
  routes.openapi(capabilities, async (c) => {
    const found = await agentCapabilities(services, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const { declared, observed } = found.value;
    const body = c.req.valid("query").observed === "true" ? { ...declared, observed } : declared;
    return c.json(asWire<z.input<typeof AgentCapabilitiesDocument>>({ ...body }), 200);
  });
  routes.openapi(cancel, async (c) => {
    const { threadId } = c.req.valid("json");
    const { email: owner, client } = c.get("caller");
    const thread = { agentId: c.req.valid("param").id.toLowerCase(), owner, threadId, client };
    const opened = await readThread(services, thread, "");
    if (!opened.ok) return problem(c, opened.failure);
    const agent = await services.agents.get(thread.agentId);
    if (!agent.ok) return problem(c, agent.failure);
    const cancelled = await services.runs.cancel(opened.value.session.id, { by: owner });
    return cancelled.ok ? c.json({ runId: cancelled.value.runId }, 200) : problem(c, cancelled.failure);
  });
  describeRun(routes.openAPIRegistry);
  routes.post("/v1/agents/:id/ag-ui", requireRight("agent", "use"), checkQuery(), (c) => run(c, services));
  return routes;
}

async function run(c: Context<AppEnv>, services: AgUiRouteParts): Promise<Response> {
  const agentId = c.req.param("id") ?? "";
  const { email, client } = c.get("caller");
  const body = await readJson(c, z.unknown());
  const input = body.ok ? parseRunInput(body.value) : body;
  if (!input.ok) return problem(c, input.failure);
  const stop = streamStop(services.stopping);
  const asking = {
    agentId,
    by: email,
    client,
    isAdmin: isAdmin(c.get("caller")),
    input: input.value,
    signal: stop.signal,
    sharesState: true,
    follows: true,
    traceparent: traceParent(c),
  };
  const started = await startRun(services, asking).catch((error) => {
    stop.abort();
    throw error;
  });
  if (!started.ok && started.failure.code !== "resume_required") {
    stop.abort();
    return problem(c, started.failure);
  }
  const events = started.ok
    ? followedEvents(services, asking, started.value)
    : refusedRun(input.value, started.failure.message, started.failure.code);
  const place = started.ok ? placeHeaders(started.value) : {};
  return c.req.header("accept")?.includes(PROTOBUF)
    ? protobuf(events, stop, place)
    : sseResponse(texts(events), stop, place);
}

function followedEvents(
  services: AgUiRouteParts,
  { input }: Asking,
  answering: Answering & { sessionId: string },
): AsyncIterable<readonly SentEvent[]> {
  const { sessionId, runId } = answering;
  const forwarded = readForwarded(input.forwardedProps);
  const ephemeral = forwarded.ok && forwarded.value.props.ephemeral === true;
  return untilClientLeaves(services, { sessionId, runId, ephemeral }, answerEvents(input, answering));
}

/** Where the run's events are stored, for a client that continues there after its connection broke. */
const placeHeaders = ({
  sessionId,
  runId,
  after,
}: Answering & { sessionId: string }): Record<string, string> => ({
  "x-capstan-session": sessionId,
  ...(runId !== undefined && { "x-capstan-run": runId }),
  "x-capstan-after": String(after),
});

/** Events stored together are sent together. */
async function* texts(events: AsyncIterable<readonly SentEvent[]>): AsyncGenerator<string> {
  for await (const batch of events) yield batch.map(({ json, seq }) => sseEvent(json, seq)).join("");
}

/** A refused run: reported as a failed run, so that every client shows it. */
async function* refusedRun(
  input: { threadId: string; runId: string },
  message: string,
  code: string,
): AsyncGenerator<SentEvent[]> {
  const { threadId, runId } = input;
  yield [
    { json: JSON.stringify({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" }) },
    { json: JSON.stringify({ type: "RUN_ERROR", message, code }) },
  ];
}

async function protobuf(
  events: AsyncIterable<readonly SentEvent[]>,
  stop: AbortController,
  headers: Record<string, string>,
): Promise<Response> {
  const { EventEncoder } = await import("@ag-ui/encoder");
  const encoder = new EventEncoder({ accept: PROTOBUF });
  const iterator = events[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next().catch((error) => {
        stop.abort();
        throw error;
      });
      if (done) {
        stop.abort();
        return controller.close();
      }
      for (const { json } of value) controller.enqueue(encoder.encodeBinary(JSON.parse(json)));
    },
    async cancel() {
      stop.abort();
      await iterator.return?.();
    },
  });
  return new Response(body, {
    headers: { "content-type": PROTOBUF, "cache-control": "no-cache", ...headers },
  });
}

/** `RunAgentInput` is described by hand: its own schema cannot be converted to JSON Schema. */
function describeRun(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  const text = { type: "string" as const };
  const list = { type: "array" as const, items: { type: "object" as const } };
  const schema = {
    type: "object" as const,
    required: ["threadId", "runId", "messages"],
    properties: {
      threadId: text,
      runId: text,
      messages: list,
      tools: list,
      context: list,
      state: {},
      forwardedProps: {},
      resume: list,
    },
  };
  registry.registerPath({
    operationId: "runAgent",
    method: "post",
    path: "/v1/agents/{id}/ag-ui",
    tags: ["ag-ui"],
    summary: "Run the agent: AG-UI events over SSE, or protobuf on explicit request",
    ...authority("agent", "use"),
    request: { params: Id, body: { required: true, content: { "application/json": { schema } } } },
    responses: {
      200: {
        description: "AG-UI events.",
        content: { "text/event-stream": { schema: text }, [PROTOBUF]: { schema: text } },
      },
    },
  });
}
