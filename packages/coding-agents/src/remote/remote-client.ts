/**
 * The client of a remote Capstan: the same interface, with runs over HTTP.
 *
 * Capabilities are those of the adapter that runs there, once `detect` or a run asked for them; until then those that ship
 * with this version. The server checks every run again; its refusals reject `result`.
 */
import { fail, ok } from "@capstan/core";
import {
  type AgentName,
  CapabilityError,
  type ModelRegistry,
  parseRemoteRunOptions,
  type RunOptions,
  runError,
  validateRun,
} from "@capstan/core/internal";
import type { AdapterRegistry } from "../adapter-registry.ts";
import type { CodingAgentClient, SessionBrowser } from "../coding-agent-client.ts";
import type { PluginOperations } from "../plugins/plugin-operations.ts";
import type { RunHandle } from "../runner/run-handle.ts";
import { remoteAdapters } from "./remote-adapters.ts";
import { RemoteRun } from "./remote-run.ts";
import { createRemoteServer, type RemoteServer } from "./remote-server.ts";

export interface RemoteParts {
  readonly adapters: AdapterRegistry;
  readonly models: ModelRegistry;
}

export function createRemoteClient(
  url: string,
  apiKey: string | undefined,
  parts: RemoteParts,
): CodingAgentClient {
  const server = createRemoteServer(url, apiKey);
  const adapters = remoteAdapters(server, parts.adapters);
  const run = (options: RunOptions): RunHandle => {
    const parsed = parseRemoteRunOptions(options);
    if (!parsed.ok) throw runError(parsed.failure);
    const { agent, model } = parsed.value;
    const known = model === undefined ? null : parts.models.model(agent, model);
    const check = validateRun(parsed.value, adapters.capabilities(agent), known);
    if (!check.ok) throw runError(check.failure);
    return new RemoteRun(server, parsed.value);
  };
  return { adapters, models: parts.models, plugins: NO_PLUGINS, sessions: remoteSessions(server, run), run };
}

/** Installing software on another machine is only possible on that machine. */
const refusePlugins = (agent: AgentName): never => {
  throw new CapabilityError(
    agent,
    "plugins",
    `Plugins of agent '${agent}' are changed on the machine it runs on`,
  );
};

const NO_PLUGINS: PluginOperations = {
  list: refusePlugins,
  search: refusePlugins,
  install: refusePlugins,
  uninstall: refusePlugins,
};

/** Stored sessions are on the other machine; continuing one only needs its id. */
function remoteSessions(server: RemoteServer, run: (options: RunOptions) => RunHandle): SessionBrowser {
  return {
    list: async (agent) => server.sessions(agent),
    read: async (agent, id) => {
      const messages = await server.sessionMessages(agent, id);
      return messages ? ok(messages) : fail("session_not_found", { agent, id });
    },
    resume: (agent, sessionId, prompt, options) => run({ ...options, agent, prompt, sessionId }),
    fork: (agent, forkSessionId, prompt, options) => run({ ...options, agent, prompt, forkSessionId }),
  };
}
