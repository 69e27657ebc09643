/** /mcp: the tools of one agent over MCP, both eras, without sessions. The caller decides which agent it is. */

import { type Failure, fail, type RuntimeAgent } from "@capstan/core";
import { firstRelease } from "@capstan/core/internal";
import type { AgentReleases, ClientLogins } from "@capstan/runtime";
import type { AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import type { Context } from "hono";
import { z } from "zod";
import { bearer } from "../auth/authenticate.ts";
import { rateLimiter } from "../auth/rate-limiter.ts";
import { challenge } from "../auth/resources.ts";
import { authority, checkQuery, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { traceParent } from "../http/trace-parent.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import { refusedBatch } from "./batches.ts";
import { opensLinks, withLinkSession } from "./link-session.ts";
import { type McpCaller, type McpCallerParts, mcpCaller } from "./mcp-caller.ts";
import type { McpServerParts } from "./mcp-server.ts";
import { refusedCall } from "./misspelt-call.ts";
import { missingScopes } from "./needed-scopes.ts";

type McpHandler = ReturnType<typeof createMcpHandler>;

export interface McpRouteParts extends McpCallerParts, McpServerParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly releases: AgentReleases;
  readonly clientLogins: Pick<ClientLogins, "lacksScopes">;
  /** Fires when the server stops: streams end with a hint to reconnect. */
  readonly stopping: AbortSignal;
}

const McpQuery = z.strictObject({
  agent: z.string().max(200).optional(),
  session: z.string().max(200).optional(),
});

export function mcpRoutes(services: McpRouteParts) {
  const { settings } = services;
  const routes = newRoutes();
  let opened: Promise<McpHandler> | undefined;
  const handler = () => (opened ??= openHandler(services));
  const limiter = rateLimiter(() => performance.now());

  routes.all("/mcp", checkQuery(McpQuery), async (c) => {
    const token = bearer(c.req.header("authorization"));
    const caller = await mcpCaller(services, {
      token,
      caller: c.get("caller"),
      agentId: c.req.query("agent"),
      sessionId: c.req.query("session"),
    });
    if (!caller.ok) return refusedCaller(c, settings, caller.failure);
    const perMinute = settings.CAPSTAN_RATE_LIMIT_PER_MINUTE;
    const wait = token === undefined ? 0 : limiter(token, perMinute);
    if (wait > 0)
      return problem(c, fail("rate_limited", { perMinute, retryAfterSeconds: wait }).failure, {
        "retry-after": String(wait),
      });
    const refused =
      (await refusedBatch(c)) ?? (await refusedCall(c)) ?? (await refusedScopes(c, services, caller.value));
    if (refused) return refused;
    const authInfo: AuthInfo = {
      token: token ?? "",
      clientId: caller.value.email,
      scopes: [...caller.value.agent.scopes],
      extra: {
        caller: {
          ...caller.value,
          traceparent: traceParent(c),
          opensLinks: opensLinks(c),
        } satisfies McpCaller,
      },
    };
    const answer = await (await handler()).fetch(await unread(c), { authInfo });
    answer.headers.delete("connection"); // the SDK's `keep-alive` would hold a connection that its client wants closed
    return withLinkSession(c, answer);
  });
  describe(routes.openAPIRegistry);
  return routes;
}

function refusedCaller(c: Context, settings: Settings, failure: Failure): Response {
  const isNamed = bearer(c.req.header("authorization")) !== undefined;
  const why = isNamed ? { error: "invalid_token", error_description: failure.message } : {};
  return problem(c, failure, { "www-authenticate": challenge(c, settings, why) });
}

async function refusedScopes(
  c: Context,
  { settings, clientLogins }: Pick<McpRouteParts, "settings" | "clientLogins">,
  caller: McpCaller,
): Promise<Response | undefined> {
  const missing = await missingScopes(c, caller);
  if (!missing) return undefined;
  if (caller.loginId !== undefined) clientLogins.lacksScopes(caller.loginId);
  const facts = { error: "insufficient_scope", scope: missing.scopes.join(" ") };
  const header = { "www-authenticate": challenge(c, settings, facts) };
  return problem(c, fail("client_scope_missing", missing).failure, header);
}

/** The protocol's SDK is loaded on first use. */
async function openHandler(services: McpRouteParts): Promise<McpHandler> {
  const { log, stopping } = services;
  const [sdk, { mcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./mcp-server.ts"),
  ]);
  const versionOf = knownReleases(services.releases);
  const handler = sdk.createMcpHandler(
    async ({ authInfo }) => {
      const caller = authInfo?.extra?.caller as McpCaller;
      return mcpServer(services, caller, await versionOf(caller.agent));
    },
    { onerror: (error) => log.error({ what: "mcp", error }) },
  );
  stopping.addEventListener("abort", () => void handler.close(), { once: true });
  return handler;
}

/** The request with its body, which guards have already read. */
async function unread({ req }: Context): Promise<Request> {
  return req.raw.body === null ? req.raw : new Request(req.raw, { body: await req.text() });
}

/** One composed agent has one version, so that a tool call costs no query for it. */
function knownReleases(releases: AgentReleases): (agent: RuntimeAgent) => Promise<string> {
  const known = new WeakMap<RuntimeAgent, string>();
  return async (agent) => {
    const before = known.get(agent);
    if (before !== undefined) return before;
    const current = await releases.current(agent.spec);
    const version = current.ok ? current.value : firstRelease(agent.spec);
    known.set(agent, version);
    return version;
  };
}

function describe(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  registry.registerPath({
    method: "post",
    path: "/mcp",
    tags: ["mcp"],
    summary:
      "MCP over HTTP: the tools of the agent that the client logged in to, whose token is sent, or of `?agent=` for a key with the right to run",
    ...authority("agent", "use"),
    request: { body: { required: true, content: { "application/json": { schema: { type: "object" } } } } },
    responses: { 200: { description: "A JSON-RPC answer, or a stream of them." } },
  });
}
