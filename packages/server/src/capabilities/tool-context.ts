/** The context of a running tool, created for each call from the server's parts. */
import {
  agentSpec,
  type GuardedFetch,
  type RuntimeTool,
  type Sandbox,
  type ToolContext,
} from "@capstan/core";
import {
  capabilityStore,
  type Database,
  type GateRequest,
  type MemoryAccessParts,
  memoryAccess,
} from "@capstan/runtime";
import type { SessionFiles } from "../sessions/session-files.ts";

export interface ToolParts extends MemoryAccessParts {
  readonly database: Database;
  readonly files: SessionFiles;
  readonly fetch: GuardedFetch;
  readonly sandbox?: Sandbox;
}

export function toolContexts(parts: ToolParts) {
  const { database, files, fetch, sandbox } = parts;
  return (request: GateRequest, tool: RuntimeTool, signal: AbortSignal): ToolContext => {
    const { sessionId, runId, user, callId } = request;
    const scope = sessionId === undefined ? `user:${user.email}` : `session:${sessionId}`;
    return {
      user,
      agentId: request.agent.spec.id,
      ...(runId !== undefined && { runId }),
      ...(sessionId !== undefined && {
        sessionId,
        fileStore: files(sessionId),
      }),
      fetch,
      ...(sandbox && { sandbox: sandboxOf(sandbox, user.email) }),
      store: capabilityStore(database, tool.tool.storedUnder ?? tool.capabilityId, scope),
      memory: memoryAccess(parts, {
        user: user.email,
        agentId: request.agent.spec.id === UNSAVED ? undefined : request.agent.spec.id,
        sessionId: request.path === "replay" ? undefined : sessionId, // what a replay recalls leaves no label there
        runId,
        callId,
        tool: tool.name,
        capabilityId: tool.capabilityId,
      }),
      config: tool.config,
      signal,
      idempotencyKey: callId,
      now: () => new Date(),
      ...(request.progress && { progress: request.progress }),
    };
  };
}

const UNSAVED = agentSpec({ name: "" }).id;

/** Places in the sandbox are shared out between users. */
const sandboxOf = (sandbox: Sandbox, owner: string): Sandbox => ({
  unavailable: (language) => sandbox.unavailable(language),
  run: (request) => sandbox.run({ ...request, owner }),
});
