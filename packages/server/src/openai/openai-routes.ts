/** /openai/v1: agents as models for OpenAI clients. Chat completions, responses, and the list of models. */
import { type Failure, fail, ok, type Result } from "@capstan/core";
import type { AgentSharings, AgentStore, Database, SessionStore } from "@capstan/runtime";
import type { Context, MiddlewareHandler } from "hono";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { usableByCaller } from "../auth/ownership.ts";
import { type AppEnv, newRoutes, queryFault, requireRight } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { readJson } from "../http/read-json.ts";
import { sseResponse } from "../http/sse.ts";
import { traceParent } from "../http/trace-parent.ts";
import { AnswerReader } from "../turns/answer-reader.ts";
import { startTurn, type Turn, type TurnParts } from "../turns/turn.ts";
import { agentForModel, agentsAsModels, type NamedAgent } from "./agents-as-models.ts";
import { type AnswerPlace, chatChunks, chatCompletion } from "./chat-answer.ts";
import { ChatRequest } from "./chat-request.ts";
import { conversationThread, keepConversation } from "./conversations.ts";
import { describeOpenAi } from "./describe-openai.ts";
import { responseEvents, runOfResponse, wholeResponse } from "./responses-answer.ts";
import { ResponsesRequest, responsesForwarded, saidInResponses } from "./responses-request.ts";
import { type ClientTool, chatForwarded, runInput, type Said, saidInChat } from "./run-input.ts";

export interface OpenAiParts extends TurnParts {
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly sessions: SessionStore;
  readonly database: Database;
}

export function openAiRoutes(services: OpenAiParts) {
  const routes = newRoutes();
  routes.get("/openai/v1/models", requireRight("agent", "see"), refuseQuery, async (c) => {
    const named = await agentsAsModels(
      services.agents,
      await usableByCaller(services.sharing, c.get("caller")),
    );
    const { agentId } = c.get("caller");
    const seen = named.filter(({ agent }) => agentId === undefined || agent.id === agentId);
    return c.json({ object: "list", data: seen.map(modelOf) });
  });
  routes.get("/openai/v1/models/:model", requireRight("agent", "see"), refuseQuery, async (c) => {
    const found = await modelFor(c, services, c.req.param("model"));
    if (!found.ok) return refuse(c, found);
    return c.json(modelOf({ model: c.req.param("model"), agent: found.value }));
  });
  routes.post("/openai/v1/chat/completions", requireRight("agent", "use"), refuseQuery, (c) =>
    chat(c, services),
  );
  routes.post("/openai/v1/responses", requireRight("agent", "use"), refuseQuery, (c) => respond(c, services));
  describeOpenAi(routes.openAPIRegistry);
  return routes;
}

/** Azure clients name an API version there; here there is only one, so it has no effect. */
const OpenAiQuery = z.strictObject({ "api-version": z.string().max(100).optional() });

const refuseQuery: MiddlewareHandler<AppEnv> = async (c, next) => {
  const failure = queryFault(c, OpenAiQuery);
  return failure === undefined ? next() : refuse(c, { failure });
};

const modelFor = async (c: Context<AppEnv>, { agents, sharing }: OpenAiParts, model: string) => {
  const caller = c.get("caller");
  const sharedTo = await usableByCaller(sharing, caller);
  return agentForModel(agents, model, { allowedId: caller.agentId, ...(sharedTo && { sharedTo }) });
};

const modelOf = ({ model, agent }: NamedAgent) => ({
  id: model,
  object: "model",
  created: Math.floor(agent.createdAt.getTime() / 1000),
  owned_by: agent.owner,
});

async function chat(c: Context<AppEnv>, services: OpenAiParts): Promise<Response> {
  const body = await readJson(c, ChatRequest);
  if (!body.ok) return refuse(c, body);
  const request = body.value;
  const started = await start(c, services, {
    model: request.model,
    said: saidInChat(request.messages),
    tools: (request.tools ?? []).map((each) => each.function),
    forwarded: chatForwarded(request),
    keeps: request.store !== false,
  });
  if (!started.ok) return refuse(c, started);
  const { turn, answer, place, ended } = started.value;
  if (!request.stream) return wholeAnswer(c, started.value, () => chatCompletion(place, answer));
  const withUsage = request.stream_options?.include_usage ?? false;
  return sseResponse(chatChunks(place, { turn, answer, withUsage, ended }), turn.stop, placeOf(turn));
}

async function respond(c: Context<AppEnv>, services: OpenAiParts): Promise<Response> {
  const body = await readJson(c, ResponsesRequest);
  if (!body.ok) return refuse(c, body);
  const request = body.value;
  const previous = request.previous_response_id ?? null;
  const thread = await threadOfResponse(services, c.get("caller").email, previous);
  if (!thread.ok) return refuse(c, thread);
  const stored = request.store !== false;
  const started = await start(c, services, {
    model: request.model,
    threadId: thread.value,
    said: saidInResponses(request),
    tools: (request.tools ?? []).map(({ name, description, parameters }) => ({
      name,
      description: description ?? "",
      parameters: parameters ?? undefined,
    })),
    forwarded: responsesForwarded(request),
    keeps: stored,
  });
  if (!started.ok) return refuse(c, started);
  const { turn, answer, ended } = started.value;
  const place = { ...started.value.place, previous, stored };
  if (!request.stream) return wholeAnswer(c, started.value, () => wholeResponse(place, answer));
  return sseResponse(responseEvents(place, { turn, answer, ended }), turn.stop, placeOf(turn));
}

/** The session of an earlier response; undefined when the request names none. Another user's is not found. */
async function threadOfResponse(
  { runs, sessions }: OpenAiParts,
  email: string,
  previous: string | null,
): Promise<Result<string | undefined>> {
  if (previous === null) return ok(undefined);
  const missing = fail("not_found", { what: "response", id: previous });
  const run = await runs.run(runOfResponse(previous));
  if (!run.ok) return missing;
  const session = await sessions.get(run.value.sessionId);
  return session.ok && session.value.owner === email ? ok(session.value.id) : missing;
}

interface Asked {
  readonly model: string;
  readonly threadId?: string | undefined;
  readonly said: readonly Said[];
  readonly tools: readonly ClientTool[];
  readonly forwarded: Readonly<Record<string, unknown>>;
  readonly keeps: boolean;
}

interface Started {
  readonly turn: Turn;
  readonly answer: AnswerReader;
  readonly place: AnswerPlace;
  /** Once, when the answer is complete and before the client is told. */
  readonly ended: () => Promise<void>;
}

async function start(c: Context<AppEnv>, services: OpenAiParts, asked: Asked): Promise<Result<Started>> {
  const { model, said, tools, forwarded, keeps } = asked;
  const agent = await modelFor(c, services, model);
  if (!agent.ok) return agent;
  const { email, client } = c.get("caller");
  const agentId = agent.value.id;
  const threadId = asked.threadId ?? (await conversationThread(services, { agentId, email, client }, said));
  const input = runInput({ threadId, runId: uuidv7(), said, tools, forwarded });
  const turn = await startTurn(services, { agentId, by: email, client, input, traceparent: traceParent(c) });
  if (!turn.ok) return turn;
  const answer = new AnswerReader(tools.map(({ name }) => name));
  const place = { id: turn.value.runId, model, createdSeconds: Math.floor(Date.now() / 1000) };
  const ended = () => endTurn(services, turn.value, { said, answer, keeps });
  return ok({ turn: turn.value, answer, place, ended });
}

async function wholeAnswer(
  c: Context<AppEnv>,
  { turn, answer, ended }: Started,
  body: () => object,
): Promise<Response> {
  try {
    for await (const event of turn.events) answer.take(event);
  } finally {
    turn.stop.abort();
  }
  await ended();
  if (answer.failure) return refuse(c, { failure: answer.failure });
  return c.json(body(), 200, placeOf(turn));
}

/** Where the conversation is stored. */
const placeOf = ({ sessionId, runId }: Turn) => ({ "x-capstan-session": sessionId, "x-capstan-run": runId });

/** `store: false` deletes the session, unless someone still has to answer a question or run a tool. */
async function endTurn(
  services: OpenAiParts,
  { sessionId }: Turn,
  { said, answer, keeps }: { said: readonly Said[]; answer: AnswerReader; keeps: boolean },
): Promise<void> {
  const waits = answer.finished.length > 0 || answer.failure?.code === "approvals_pending";
  if (!keeps && !waits) {
    await services.sessions.delete(sessionId);
    return;
  }
  if (answer.failure) return;
  const answered: Said = { role: "assistant", text: answer.text, calls: answer.finished };
  await keepConversation(services, sessionId, [...said, answered]);
}

export function refuse(c: Context<AppEnv>, { failure }: { failure: Failure }): Response {
  return problem(c, failure);
}
