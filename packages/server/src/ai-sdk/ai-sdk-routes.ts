/** /v1/agents/{id}/ai-sdk: an agent for AI SDK's `useChat`, as its UI message stream; and how to rejoin a stream. */
import type { Context } from "hono";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Thread } from "../ag-ui/thread-session.ts";
import { isAdmin } from "../http/caller.ts";
import { type AppEnv, authority, checkQuery, newRoutes, requireRight } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { readJson } from "../http/read-json.ts";
import { sseEvent, sseResponse } from "../http/sse.ts";
import { traceParent } from "../http/trace-parent.ts";
import { startTurn, type Turn, type TurnParts } from "../turns/turn.ts";
import { UiRequest, uiTurn } from "./ui-request.ts";
import { UiStream } from "./ui-stream.ts";

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };

export function aiSdkRoutes(services: TurnParts) {
  const routes = newRoutes();
  routes.post("/v1/agents/:id/ai-sdk", requireRight("agent", "use"), checkQuery(), (c) => chat(c, services));
  routes.get("/v1/agents/:id/ai-sdk/:chat/stream", requireRight("agent", "use"), checkQuery(), (c) =>
    joinAgain(c, services),
  );
  describe(routes.openAPIRegistry);
  return routes;
}

async function chat(c: Context<AppEnv>, services: TurnParts): Promise<Response> {
  const request = await readJson(c, UiRequest);
  if (!request.ok) return problem(c, request.failure);
  const asked = uiTurn(request.value, uuidv7());
  if (!asked.ok) return problem(c, asked.failure);
  const { input, continues } = asked.value;
  const agentId = c.req.param("id") ?? "";
  const turn = await startTurn(services, {
    agentId,
    by: c.get("caller").email,
    client: c.get("caller").client,
    isAdmin: isAdmin(c.get("caller")),
    input,
    traceparent: traceParent(c),
  });
  if (!turn.ok) return problem(c, turn.failure);
  const clientTools = new Set(request.value.tools.map(({ name }) => name));
  return stream(turn.value, new UiStream({ messageId: continues ?? turn.value.runId, clientTools }));
}

/** A reloaded page: the active run's output so far and from now on; 204 when none is active. */
async function joinAgain(c: Context<AppEnv>, services: TurnParts): Promise<Response> {
  const agentId = c.req.param("id") ?? "";
  const threadId = c.req.param("chat") ?? "";
  const { email: owner, client } = c.get("caller");
  const active = await activeRun(services, { agentId, owner, threadId, client });
  if (active === undefined) return c.body(null, 204);
  const input = {
    threadId,
    runId: active,
    state: {},
    messages: [],
    tools: [],
    context: [],
    forwardedProps: {},
  };
  const turn = await startTurn(services, { agentId, by: owner, client, input });
  if (!turn.ok) return problem(c, turn.failure);
  return stream(turn.value, new UiStream({ messageId: active, clientTools: new Set() }));
}

async function activeRun({ runs }: TurnParts, thread: Thread): Promise<string | undefined> {
  const { sessionIdOf } = await import("../ag-ui/thread-session.ts");
  const view = await runs.view(sessionIdOf(thread), "");
  return view?.owner === thread.owner && view.active?.status === "running" ? view.active.id : undefined;
}

function stream(turn: Turn, ui: UiStream): Response {
  return sseResponse(chunks(turn, ui), turn.stop, { ...HEADERS, "x-capstan-session": turn.sessionId });
}

async function* chunks({ events }: Turn, ui: UiStream): AsyncGenerator<string> {
  for await (const event of events) for (const chunk of ui.take(event)) yield sseEvent(JSON.stringify(chunk));
  yield sseEvent("[DONE]");
}

function describe(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  const answers = {
    description: "AI SDK's UI message stream.",
    content: { "text/event-stream": { schema: z.string() } },
  };
  registry.registerPath({
    method: "post",
    path: "/v1/agents/{id}/ai-sdk",
    operationId: "chatWithAiSdk",
    tags: ["ai-sdk"],
    summary: "Chat with the agent from AI SDK's useChat: its UI message stream",
    ...authority("agent", "use"),
    request: {
      params: z.object({ id: z.string() }),
      body: { required: true, content: { "application/json": { schema: UiRequest } } },
    },
    responses: { 200: answers },
  });
  registry.registerPath({
    method: "get",
    path: "/v1/agents/{id}/ai-sdk/{chat}/stream",
    operationId: "resumeAiSdkChat",
    tags: ["ai-sdk"],
    summary: "Join the answer being written in a chat; 204 when there is none",
    ...authority("agent", "use"),
    request: { params: z.object({ id: z.string(), chat: z.string() }) },
    responses: { 200: answers, 204: { description: "No answer is being written." } },
  });
}
