/**
 * createClient: ten coding agents behind one client, without a server and without a database.
 *
 * `run()` first checks everything that needs no process, and throws refusals; after that nothing
 * throws: a failing run ends as `failed`.
 */
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { fail } from "@capstan/core";
import {
  type AgentName,
  type AgentTransport,
  type ApprovalMode,
  type CodingAgentAdapter,
  type CodingAgentCapabilities,
  type CodingAgentEvent,
  createModelRegistry,
  type ModelCapabilities,
  type ModelRegistry,
  nativeThinking,
  overTransport,
  parseRunOptions,
  type RunOptions,
  runError,
  validateRun,
} from "@capstan/core/internal";
import { type AdapterRegistry, createAdapterRegistry } from "./adapter-registry.ts";
import { MODEL_SNAPSHOTS } from "./built-in/models.ts";
import { createRefreshers } from "./built-in/refreshers.ts";
import { chosenModel, priceBy, replacedWarning } from "./chosen-model.ts";
import type { ClientOptions, CodingAgentClient, HostOptions, SessionBrowser } from "./coding-agent-client.ts";
import { type CommandRunner, runCommand } from "./command/run-command.ts";
import { createPlugins } from "./plugins/plugin-operations.ts";
import { createRemoteClient } from "./remote/remote-client.ts";
import { ambientEnvironment } from "./runner/ambient-environment.ts";
import { checkAttachments } from "./runner/check-attachments.ts";
import { startRun } from "./runner/live-run.ts";
import type { CostOf } from "./runner/run-costs.ts";
import type { RunHandle } from "./runner/run-handle.ts";
import { RUNNER_SETTINGS, type RunnerSettings } from "./runner/runner-settings.ts";
import { listSessions, readSession } from "./sessions/session-browser.ts";
import { versionNotices } from "./version-notices.ts";

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
  const settings = { ...RUNNER_SETTINGS, ...options.runner };
  const { effective } = options;
  const notices = versionNotices(adapters, effective);
  const local: LocalParts = { ambient, env, adapters, models, settings, effective, run, notices };
  const start = (asked: RunOptions, host?: HostOptions) => startLocal(local, asked, host);
  const plugins = createPlugins({ run, env, capabilities: (agent) => adapters.capabilities(agent) });
  return { adapters, models, plugins, sessions: sessionBrowser(local, start), run: start };
}

interface LocalParts {
  readonly ambient: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string>>;
  readonly adapters: AdapterRegistry;
  readonly models: ModelRegistry;
  readonly settings: RunnerSettings;
  readonly effective: ClientOptions["effective"];
  readonly run: CommandRunner;
  readonly notices: (agent: AgentName) => Promise<readonly CodingAgentEvent[]>;
}

function startLocal(
  local: LocalParts,
  asked: RunOptions,
  { nativeTools = "on", user, home, confined = false }: HostOptions = {},
): RunHandle {
  const parsed = parseRunOptions(asked);
  if (!parsed.ok) throw runError(parsed.failure);
  const { adapters, models } = local;
  const adapter = adapters.get(asked.agent);
  const declared = local.effective?.(adapter.name) ?? adapter.capabilities;
  const options = {
    ...parsed.value,
    approvalMode: asked.approvalMode ?? defaultMode(declared.approvalModes),
  };
  const transport = transportOf(adapter, options, nativeTools);
  const capabilities = overTransport(declared, transport);
  const { model, warnings, runsOn } = chosenModel(models, adapter.name, options.model);
  const check = validateRun(options, declared, model, { defaultModel: runsOn, transport });
  if (!check.ok) throw runError(check.failure);
  const cwd = options.cwd ?? process.cwd();
  checkFolder(adapter.name, cwd);
  checkAttachments({ agent: adapter.name, cwd, confined }, options.attachments);
  const costOf = priceBy(models, adapter.name, runsOn);
  checkBudget(options, capabilities, runsOn, costOf);
  const thinking = nativeThinking({ ...options, agent: adapter.name, model: runsOn }, adapter.thinking);
  const { streamFallback } = check.value;
  return startRun({
    id: randomUUID(),
    adapter,
    options,
    transport: transport?.name ?? "default",
    capabilities,
    user,
    model: thinking.modelName ?? model?.cliArgValue ?? options.model,
    thinking,
    nativeTools,
    ambient: home === undefined ? local.ambient : inHome(home, local.ambient, adapter),
    home: options.env?.HOME ?? home ?? local.env.HOME ?? homedir(),
    cwd,
    confined,
    settings: local.settings,
    opening: [
      ...(streamFallback.length > 0
        ? [{ type: "stream_fallback" as const, buffered: [...streamFallback] }]
        : []),
      ...warnings,
      ...thinking.warnings.map(({ code, message }): CodingAgentEvent => ({ type: "warning", code, message })),
    ],
    notices: local.notices(adapter.name),
    onModel: (name) => replacedWarning(models, adapter.name, runsOn, name),
    costOf,
  });
}

/** The environment of a run in another home, without references to this user's state or temporary folder. */
const inHome = (home: string, ambient: LocalParts["ambient"], { stateVariables }: CodingAgentAdapter) => ({
  ...Object.fromEntries(
    Object.entries(ambient).filter(
      ([name]) => !/^(TMPDIR|TMP|TEMP)$/.test(name) && stateVariables?.test(name) !== true,
    ),
  ),
  HOME: home,
});

/** Default: nothing that requires approval runs, if the agent supports that. */
const defaultMode = (modes: readonly ApprovalMode[]): ApprovalMode =>
  modes.includes("deny") ? "deny" : (modes[0] ?? "yolo");

/** The requested transport, otherwise the adapter's choice for such a run. */
function transportOf(
  adapter: CodingAgentAdapter,
  options: RunOptions,
  nativeTools: "on" | "off",
): AgentTransport | undefined {
  const { transports = [], name } = adapter;
  const wanted = options.transport ?? adapter.chooseTransport?.(options, nativeTools) ?? transports[0]?.name;
  const found = transports.find((transport) => transport.name === wanted);
  if (found || options.transport === undefined) return found;
  const known = transports.map((transport) => transport.name);
  throw runError(fail("transport_unknown", { agent: name, transport: options.transport, known }).failure);
}

function checkFolder(agent: AgentName, folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw runError(fail("coding_agent_folder_missing", { agent, folder }).failure);
}

/** A cost limit that cannot be enforced is refused; it must not look like a limit. */
function checkBudget(
  { agent, maxCostUsd, model }: RunOptions,
  { reportsUsage, reportsCost }: CodingAgentCapabilities,
  runsOn: ModelCapabilities | null,
  costOf: CostOf,
): void {
  if (maxCostUsd === undefined || reportsCost) return;
  const why =
    reportsUsage === "never"
      ? "the agent does not report its token usage"
      : costOf({ type: "usage", inputTokens: 1, outputTokens: 1 }, model) === undefined
        ? "its price is unknown"
        : undefined;
  if (why === undefined) return;
  const named = runsOn?.modelId ?? model ?? "its default";
  throw runError(fail("coding_agent_budget_refused", { agent, model: named, why }).failure);
}

function sessionBrowser(local: LocalParts, start: CodingAgentClient["run"]): SessionBrowser {
  const place = { home: local.env.HOME ?? homedir(), env: local.env, run: local.run };
  return {
    list: (agent, cwd) =>
      listSessions(local.adapters.get(agent), { ...place, ...(cwd !== undefined && { cwd }) }),
    read: (agent, id, options) => readSession(local.adapters.get(agent), id, place, options),
    resume: (agent, sessionId, prompt, options) => start({ ...options, agent, prompt, sessionId }),
    fork: (agent, forkSessionId, prompt, options) => start({ ...options, agent, prompt, forkSessionId }),
  };
}

const defined = (environment: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
