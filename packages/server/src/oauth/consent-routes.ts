/** /v1/client-logins: what a client asks for, and the person's answer. Nothing is stored before the answer. */
import {
  ClientLoginAnswer,
  ClientLoginAnswered,
  ClientLoginAsk,
  ClientLoginReview,
} from "@capstan/client/wire";
import { fail, ok, type Result, type RuntimeTool } from "@capstan/core";
import { riskOf } from "@capstan/core/internal";
import type { AuditLog, ClientLogins, Composer } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { allowsTool, EVERY_TOOL, isScope, isWithin } from "../auth/client-scopes.ts";
import { publicOrigin } from "../auth/resources.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";
import { type AuthorizationRequest, readRequest } from "./authorization-request.ts";
import type { Clients } from "./known-client.ts";
import { isLoopbackHttp, receiverOf, withAnswer } from "./redirect-uris.ts";

const review = createRoute({
  operationId: "reviewClientLogin",
  ...needs("token", "see"),
  method: "post",
  path: "/v1/client-logins/review",
  summary: "Who asks to log in, and for which tools of which agent",
  request: { body: jsonBody(ClientLoginAsk) },
  responses: { 200: json(ClientLoginReview, "What the person decides about.") },
});

const answer = createRoute({
  operationId: "answerClientLogin",
  ...needs("token", "change"),
  method: "post",
  path: "/v1/client-logins",
  summary: "Allow or deny a client to act as an agent with your rights",
  request: { body: jsonBody(ClientLoginAnswer) },
  responses: { 200: json(ClientLoginAnswered, "Where the browser goes next.") },
});

export interface ConsentParts {
  readonly settings: Settings;
  readonly clients: Clients;
  readonly clientLogins: ClientLogins;
  readonly composer: Pick<Composer, "composeFor">;
  readonly audit: AuditLog;
}

export function consentRoutes({ settings, clients, clientLogins, composer, audit }: ConsentParts) {
  const routes = newRoutes("logins");
  routes.openapi(review, async (c) => {
    const { request: query, agent_id } = c.req.valid("json");
    const { email: userEmail } = c.get("caller");
    const request = await readRequest(clients, { origin: publicOrigin(c, settings), userEmail }, query);
    if (!request.ok) return problem(c, request.failure);
    const agentId = request.value.resource.agentId ?? agent_id;
    if (agentId === undefined) return c.json(reviewOf(request.value, []), 200);
    const agent = await composer.composeFor(agentId, userEmail);
    if (!agent.ok) return problem(c, agent.failure);
    return c.json(reviewOf(request.value, agent.value.tools), 200);
  });
  routes.openapi(answer, async (c) => {
    const decision = c.req.valid("json");
    const { email } = c.get("caller");
    const origin = publicOrigin(c, settings);
    const request = await readRequest(clients, { origin, userEmail: email }, decision.request);
    if (!request.ok) return problem(c, request.failure);
    const { client, redirectUri, state, codeChallenge, resource } = request.value;
    const denied = { error: "access_denied", state, iss: origin };
    if (!decision.allow) return c.json({ redirect_to: withAnswer(redirectUri, denied) }, 200);
    const allowed = allowedBy(request.value, decision);
    if (!allowed.ok) return problem(c, allowed.failure);
    const agent = await composer.composeFor(allowed.value.agentId, email);
    if (!agent.ok) return problem(c, agent.failure);
    const { scopes } = allowed.value;
    const agentId = agent.value.spec.id;
    const { code, id } = await clientLogins.allow({
      clientId: client.id,
      clientName: client.name,
      mustSign: client.mustSign,
      redirectUri,
      resource: resource.url,
      scopes,
      agentId,
      userEmail: email,
      codeChallenge,
    });
    const details = { client: client.name, receiver: receiverOf(redirectUri), agent_id: agentId, scopes };
    await audit.add({ actor: email, action: "client.allowed", subject: id, details });
    return c.json({ redirect_to: withAnswer(redirectUri, { code, state, iss: origin }) }, 200);
  });
  return routes;
}

/** The agent and scopes that the person allows: no other agent than the address names, and no more than was asked for. */
function allowedBy(
  { resource, scopes: asked }: AuthorizationRequest,
  { agent_id, scopes = [...asked] }: ClientLoginAnswer,
): Result<{ agentId: string; scopes: string[] }> {
  const agentId = resource.agentId ?? agent_id;
  if (agentId === undefined || (agent_id !== undefined && agent_id !== agentId))
    return fail("input_invalid", { where: "agent_id must name the agent that the client may act as" });
  if (!scopes.every(isScope) || !isWithin(scopes, asked))
    return fail("input_invalid", { where: `scopes must be within what was asked for: ${asked.join(" ")}` });
  if (resource.surface !== "mcp" && !scopes.includes(EVERY_TOOL))
    return fail("input_invalid", {
      where: `scopes: ${resource.surface} clients use the whole agent, "tools"`,
    });
  return ok({ agentId, scopes });
}

function reviewOf(request: AuthorizationRequest, tools: readonly RuntimeTool[]): ClientLoginReview {
  const { client, redirectUri, resource, scopes } = request;
  return {
    client: {
      name: client.name,
      host: client.host ?? null,
      home_page: client.homePage ?? null,
      receiver: receiverOf(redirectUri),
      loopback: isLoopbackHttp(new URL(redirectUri)),
    },
    surface: resource.surface,
    agent_id: resource.agentId ?? null,
    scopes: [...scopes],
    tools: tools
      .filter(({ policy }) => policy !== "deny" && policy !== "client")
      .map((each) => ({
        name: each.name,
        description: each.tool.description,
        risk: riskOf(each.tool),
        policy: each.policy,
        asked_for: allowsTool(scopes, each.name, each),
      })),
  };
}
