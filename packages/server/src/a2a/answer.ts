/** Responses of the A2A routes: an agent's card, and calls of clients of 1.0 and 0.3. Loaded on first use. */
import { A2A_VERSION_HEADER, type AgentCard, formatSSEErrorEvent, formatSSEEvent } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from "@a2a-js/sdk/server";
import { type CapabilityRegistry, ok, type Result } from "@capstan/core";
import { findCapability } from "@capstan/core/internal";
import type { Context } from "hono";
import { type AgentCapabilityParts, agentCapabilities } from "../ag-ui/agent-capabilities.ts";
import { isLoopback } from "../auth/guard-origin.ts";
import { isAdmin } from "../http/caller.ts";
import type { AppEnv } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { otherType } from "../http/read-json.ts";
import { sseResponse, streamStop } from "../http/sse.ts";
import { traceParent } from "../http/trace-parent.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import { A2aHandler, type A2aHandlerParts } from "./a2a-handler.ts";
import { agentCard, cardJson } from "./agent-card.ts";
import { misspeltMessage } from "./misspelt-message.ts";

const LEGACY = "0.3"; // the version of a client that names none

export interface A2aAnswerParts extends A2aHandlerParts, AgentCapabilityParts {
  readonly settings: Settings;
  readonly registry: CapabilityRegistry;
  /** Fires when the server stops: streams end with a hint to reconnect. */
  readonly stopping: AbortSignal;
  readonly log: Log;
}

export async function answerCard(
  c: Context<AppEnv>,
  services: A2aAnswerParts,
  agentId: string,
): Promise<Response> {
  const made = await cardOf(c, services, agentId);
  if (!made.ok) return problem(c, made.failure);
  return c.json(cardJson(made.value), 200, { "cache-control": "no-cache" });
}

async function cardOf(
  c: Context<AppEnv>,
  services: A2aAnswerParts,
  agentId: string,
): Promise<Result<AgentCard>> {
  const found = await agentCapabilities(services, agentId, c.get("caller"));
  if (!found.ok) return found;
  const { agent, declared } = found.value;
  return ok(
    agentCard({
      declared,
      url: `${new URL(c.req.url).origin}/v1/agents/${agent.spec.id}/a2a`,
      needsKey: !isLoopback(services.settings.HOST),
      capability: (id) =>
        findCapability(services.registry, agent.spec.capabilities.find((ref) => ref.id === id) ?? { id }),
    }),
  );
}

export async function answerCall(c: Context<AppEnv>, services: A2aAnswerParts): Promise<Response> {
  const refused = otherType(c);
  if (refused) return problem(c, refused.failure);
  const made = await cardOf(c, services, c.req.param("id") ?? "");
  if (!made.ok) return problem(c, made.failure);
  const version = c.req.header(A2A_VERSION_HEADER) || LEGACY;
  const body = await c.req.text();
  const misspelt = misspeltMessage(body);
  if (misspelt !== undefined)
    return c.json({ jsonrpc: "2.0", id: idOf(body), error: { code: -32602, message: misspelt } } as object);
  const stop = streamStop(services.stopping);
  const handler = new A2aHandler({
    services,
    email: c.get("caller").email,
    client: c.get("caller").client,
    isAdmin: isAdmin(c.get("caller")),
    card: made.value,
    signal: stop.signal,
    traceparent: traceParent(c),
    agentId: c.req.param("id") ?? "",
  });
  const legacy = version.startsWith(LEGACY);
  const transport = legacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const errorOf = legacy
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const failed = (error: unknown) => ({ jsonrpc: "2.0", id: idOf(body), error: errorOf(error) });
  try {
    validateVersion(legacy ? LEGACY : version, made.value, "JSONRPC");
    const context = new ServerCallContext({ requestedVersion: version });
    const answer = await transport.handle(body, context);
    if (isStream(answer)) return sseResponse(texts(answer, failed), stop);
    stop.abort();
    return c.json(answer as object);
  } catch (error) {
    stop.abort();
    services.log.error({ what: "a2a", error });
    return c.json(failed(error) as object);
  }
}

async function* texts(
  answers: AsyncIterable<unknown>,
  failed: (error: unknown) => object,
): AsyncGenerator<string> {
  try {
    for await (const answer of answers) yield formatSSEEvent(answer);
  } catch (error) {
    yield formatSSEErrorEvent(failed(error));
  }
}

const isStream = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;

function idOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { id?: unknown }).id ?? null;
  } catch {
    return null;
  }
}
