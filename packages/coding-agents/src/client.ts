/**
 * createClient: ten coding agents behind one client, without a server and without a database.
 *
 * `run()` decides everything that can be decided without a process first, and throws what it refuses; after that nothing
 * throws: a run that fails is a run that ended as `failed`.
 */
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import {
  type AgentName,
  type ApprovalMode,
  type CliUsage,
  type CodingAgentEvent,
  createModelRegistry,
  type ModelCapabilities,
  type ModelRegistry,
  type ModelValidationResult,
  nativeThinking,
  parseRunOptions,
  type RunOptions,
  runError,
  validateRun,
} from "@capstan/core/internal";
import { type AdapterRegistry, createAdapterRegistry } from "./adapter-registry.ts";
import type { ClientOptions, CodingAgentClient, HostOptions, SessionBrowser } from "./coding-agent-client.ts";
import { type CommandRunner, runCommand } from "./command/run-command.ts";
import { ambientEnvironment } from "./engine/ambient-environment.ts";
import { ENGINE_SETTINGS, type EngineSettings } from "./engine/engine-settings.ts";
import { startRun } from "./engine/live-run.ts";
import type { RunHandle } from "./engine/run-handle.ts";
import { MODEL_SNAPSHOTS } from "./models/all.ts";
import { createRefreshers } from "./models/refreshers.ts";
import { createPlugins } from "./plugins/plugin-operations.ts";
import { createRemoteClient } from "./remote/remote-client.ts";
import { listSessions, readSession } from "./sessions/session-browser.ts";

export function createClient(options: ClientOptions = {}): CodingAgentClient {
  const ambient = options.environment ?? ambientEnvironment();
  const env = defined(ambient);
  const run: CommandRunner = runCommand;
  const adapters = createAdapterRegistry({ run, env });
  const models =
    options.models ??
    createModelRegistry({
      snapshots: MODEL_SNAPSHOTS,
      refreshers: createRefreshers({ run, fetch, env, now: () => new Date() }),
      now: () => new Date(),
    });
  if (options.url !== undefined) return createRemoteClient(options.url, options.apiKey, { adapters, models });
  const settings = { ...ENGINE_SETTINGS, ...options.engine };
  const local: LocalParts = { ambient, env, adapters, models, settings, effective: options.effective, run };
  const start = (asked: RunOptions, host?: HostOptions) => startLocal(local, asked, host);
  const plugins = createPlugins({ run, env, capabilities: (agent) => adapters.capabilities(agent) });
  return { adapters, models, plugins, sessions: sessionBrowser(local, start), run: start };
}

interface LocalParts {
  readonly ambient: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string>>;
  readonly adapters: AdapterRegistry;
  readonly models: ModelRegistry;
  readonly settings: EngineSettings;
  readonly effective: ClientOptions["effective"];
  readonly run: CommandRunner;
}

function startLocal(
  local: LocalParts,
  asked: RunOptions,
  { nativeTools = "on" }: HostOptions = {},
): RunHandle {
  const parsed = parseRunOptions(asked);
  if (!parsed.ok) throw runError(parsed.failure);
  const { adapters, models } = local;
  const adapter = adapters.get(asked.agent);
  const capabilities = local.effective?.(adapter.name) ?? adapter.capabilities;
  const options = {
    ...parsed.value,
    approvalMode: asked.approvalMode ?? defaultMode(capabilities.approvalModes),
  };
  const named = options.model === undefined ? undefined : models.validate(adapter.name, options.model);
  const model = named?.model ?? null;
  const check = validateRun(options, capabilities, model);
  if (!check.ok) throw runError(check.failure);
  const runsOn = options.model === undefined ? models.defaultModel(adapter.name) : model;
  const thinking = nativeThinking({ ...options, agent: adapter.name, model: runsOn });
  const { streamFallback } = check.value;
  return startRun({
    id: randomUUID(),
    adapter,
    options,
    model: thinking.modelName ?? model?.cliArgValue ?? options.model,
    thinking,
    nativeTools,
    ambient: local.ambient,
    home: options.env?.HOME ?? local.env.HOME ?? homedir(),
    cwd: options.cwd ?? process.cwd(),
    settings: local.settings,
    opening: [
      ...(streamFallback.length > 0
        ? [{ type: "stream_fallback" as const, buffered: [...streamFallback] }]
        : []),
      ...modelWarning(named),
      ...thinking.warnings.map(({ code, message }): CodingAgentEvent => ({ type: "warning", code, message })),
    ],
    costOf: (usage) => costOf(models, adapter.name, runsOn, usage),
  });
}

/** Nobody said: nothing that needs approval runs, where the agent can be told so. */
const defaultMode = (modes: readonly ApprovalMode[]): ApprovalMode =>
  modes.includes("deny") ? "deny" : (modes[0] ?? "yolo");

/** A model we do not know may still exist: the run goes on, with a word about it. */
function modelWarning(named: ModelValidationResult | undefined): CodingAgentEvent[] {
  if (!named || named.status === "ok" || named.status === "alias") return [];
  return [{ type: "warning", code: `model_${named.status}`, message: named.message }];
}

function costOf(
  models: ModelRegistry,
  agent: AgentName,
  model: ModelCapabilities | null,
  usage: CliUsage,
): number {
  if (!model) return 0;
  const {
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
    thinkingTokens = 0,
  } = usage;
  const input = inputTokens + cachedInputTokens + cacheWriteTokens;
  return models.estimateCost(agent, model.modelId, input, outputTokens, {
    cachedInputTokens,
    thinkingTokens,
  });
}

function sessionBrowser(local: LocalParts, start: CodingAgentClient["run"]): SessionBrowser {
  const place = { home: local.env.HOME ?? homedir(), env: local.env, run: local.run };
  return {
    list: (agent, cwd) =>
      listSessions(local.adapters.get(agent), { ...place, ...(cwd !== undefined && { cwd }) }),
    read: (agent, id) => readSession(local.adapters.get(agent), id, place),
    resume: (agent, sessionId, prompt, options) => start({ ...options, agent, prompt, sessionId }),
    fork: (agent, forkSessionId, prompt, options) => start({ ...options, agent, prompt, forkSessionId }),
  };
}

const defined = (environment: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
