/**
 * Who calls over MCP, and as which agent: an agent's token, a run's token, a client that logged in, or a person's key
 * (none on loopback) with `?agent=`. The token decides what is visible; nothing in the request can widen it.
 */
import { fail, ok, type Result, type RuntimeAgent, type RuntimeTool } from "@capstan/core";
import { type Budget, concernsLabels, flowOf, includesRight, rightFor } from "@capstan/core/internal";
import {
  type Composer,
  type Database,
  isTokenText,
  placeOfRun,
  type SessionStore,
  storedBudgets,
  type TokenRecord,
  type TokenStore,
  withinScopes,
} from "@capstan/runtime";
import { threadSession } from "../ag-ui/thread-session.ts";
import { EVERY_TOOL } from "../auth/client-scopes.ts";
import type { Caller } from "../http/caller.ts";

export interface McpCaller {
  readonly agent: RuntimeAgent;
  readonly path: "mcp" | "harness";
  readonly email: string;
  readonly runId?: string;
  /** Of a client that logged in. */
  readonly loginId?: string | undefined;
  /** What the person allowed, of a client that logged in; otherwise every tool. */
  readonly allowed: readonly string[];
  /** Identifies its conversations with the agent itself: those of another token are not found. */
  readonly thread: string;
  /** The trace that the request is part of. */
  readonly traceparent?: string | undefined;
  /** Whether a 2025 client declared that it opens links. */
  readonly opensLinks?: boolean;
  /** The session of a tool; created at the first call that needs one. */
  sessionFor(tool: RuntimeTool | undefined): Promise<Result<string | undefined>>;
  /** The remaining allowance; counts this call. */
  budgets(sessionId: string | undefined): Promise<Budget[]>;
}

export interface McpRequest {
  readonly token: string | undefined;
  readonly caller: Caller;
  readonly agentId: string | undefined;
  readonly sessionId: string | undefined;
}

export interface McpCallerParts {
  readonly tokens: TokenStore;
  readonly composer: Composer;
  readonly sessions: SessionStore;
  readonly database: Database;
}

export async function mcpCaller(services: McpCallerParts, request: McpRequest): Promise<Result<McpCaller>> {
  const { token } = request;
  if (token === undefined || !isTokenText(token)) return byPerson(services, request);
  const record = await services.tokens.find(token);
  if (!record)
    return fail("unauthenticated", {
      why: "the token is unknown, expired or revoked, or its run is over",
    });
  if (record.kind === "client" && !isFor(record, request.agentId))
    return fail("unauthenticated", { why: "the token is for another agent, or not for MCP" });
  return record.runId === null ? byAgentToken(services, record) : byRunToken(services, record, record.runId);
}

/** A client's token is valid at the address that the person allowed, and for the agent in it. */
function isFor({ agentId, login }: TokenRecord, asked: string | undefined): boolean {
  if (login === undefined || new URL(login.resource).pathname !== "/mcp") return false;
  return asked === undefined || asked === agentId;
}

async function byPerson(
  services: McpCallerParts,
  { token, caller, agentId, sessionId }: McpRequest,
): Promise<Result<McpCaller>> {
  const needed = rightFor("agent", "use");
  if (needed === undefined || !includesRight(caller.rights, needed)) {
    const message = "This key is not allowed to run tools.";
    return fail("forbidden", { message, nextStep: 'Use a key with the right "run", or an agent\'s token.' });
  }
  if (agentId === undefined)
    return token === undefined
      ? fail("unauthenticated", {
          why: "no agent was named: log in with the client, or open /mcp?agent=<id>",
        })
      : fail("input_invalid", { where: "name the agent: /mcp?agent=<id>, or send an agent's token" });
  const agent = await services.composer.composeFor(agentId, caller.email);
  if (!agent.ok) return agent;
  if (sessionId !== undefined) {
    const session = await services.sessions.get(sessionId);
    if (!session.ok) return session;
    if (session.value.owner !== caller.email) return fail("not_found", { what: "session", id: sessionId });
  }
  return ok(outsideARun(services, agent.value, { email: caller.email, sessionId, thread: "mcp" }));
}

async function byAgentToken(services: McpCallerParts, record: TokenRecord): Promise<Result<McpCaller>> {
  const { id, agentId, userEmail: email, sessionId, maxCalls, follows } = record;
  const agent = await services.composer.composeFor(agentId, email, follows);
  if (!agent.ok) return agent;
  const thread = `mcp:${record.login?.id ?? id}`; // a client keeps its files when its token is renewed
  const place = { email, sessionId: sessionId ?? undefined, thread };
  const own = outsideARun(services, agent.value, place, record.login?.scopes);
  const budgets = async (session: string | undefined): Promise<Budget[]> => {
    const [used, ofSession] = await Promise.all([services.tokens.spend(id), own.budgets(session)]);
    return maxCalls === null
      ? ofSession
      : [{ name: "calls of the token", used, limit: maxCalls }, ...ofSession];
  };
  return ok({ ...own, loginId: record.login?.id, budgets });
}

function outsideARun(
  services: McpCallerParts,
  agent: RuntimeAgent,
  place: { email: string; sessionId: string | undefined; thread: string },
  allowed: readonly string[] = [EVERY_TOOL],
): McpCaller {
  const { email, sessionId, thread } = place;
  return {
    agent,
    path: "mcp",
    email,
    allowed,
    thread,
    async sessionFor(tool) {
      if (sessionId !== undefined || !tool || !needsSession(tool)) return ok(sessionId);
      const made = await threadSession(services, { agentId: agent.spec.id, owner: email, threadId: thread });
      return made.ok ? ok(made.value.id) : made;
    },
    budgets: async (session) =>
      session === undefined ? [] : storedBudgets(services.database.pool, session, agent.spec.limits),
  };
}

/** All calls over one token are one conversation, so that its labels can be stored. */
const needsSession = ({ tool, config }: RuntimeTool): boolean =>
  tool.requiresContext || concernsLabels(flowOf(tool, config));

async function byRunToken(
  services: McpCallerParts,
  record: TokenRecord,
  runId: string,
): Promise<Result<McpCaller>> {
  const run = await placeOfRun(services.database, runId);
  if (!run) return fail("not_found", { what: "run", id: runId });
  const composed = await services.composer.composeFor(run.agentId ?? record.agentId, run.owner, run.follows);
  if (!composed.ok) return composed;
  const agent = withinScopes(composed.value, run.ceiling ?? undefined);
  return ok({
    agent,
    path: "harness",
    email: run.owner,
    allowed: [EVERY_TOOL],
    thread: `run:${runId}`,
    runId,
    sessionFor: async () => ok(run.sessionId),
    async budgets(session) {
      await services.tokens.spend(record.id);
      return storedBudgets(services.database.pool, session ?? run.sessionId, agent.spec.limits);
    },
  });
}
