/** What a running tool may touch, made for each call from the server's parts. */
import type { GuardedFetch, RuntimeTool, Sandbox, ToolContext } from "@capstan/core";
import { capabilityStore, compileGrep, type Database, fileStore, type GateRequest } from "@capstan/runtime";
import type { Settings } from "./settings.ts";

export interface ToolParts {
  readonly database: Database;
  readonly settings: Settings;
  readonly fetch: GuardedFetch;
  readonly sandbox?: Sandbox;
}

export function toolContexts(parts: ToolParts) {
  const { database, settings, fetch, sandbox } = parts;
  const limits = {
    fileBytes: settings.CAPSTAN_FILE_LIMIT_BYTES,
    sessionBytes: settings.CAPSTAN_SESSION_LIMIT_BYTES,
  };
  return (request: GateRequest, tool: RuntimeTool, signal: AbortSignal): ToolContext => {
    const { sessionId, runId, user, callId } = request;
    const scope = sessionId === undefined ? `user:${user.email}` : `session:${sessionId}`;
    return {
      user,
      agentId: request.agent.spec.id,
      ...(runId !== undefined && { runId }),
      ...(sessionId !== undefined && {
        sessionId,
        fileStore: fileStore({ pool: database.pool, sessionId, compile: compileGrep, limits }),
      }),
      fetch,
      ...(sandbox && { sandbox }),
      store: capabilityStore(database, tool.capabilityId, scope),
      config: tool.config,
      signal,
      idempotencyKey: callId,
      now: () => new Date(),
    };
  };
}
