/**
 * A coding agent's program as the harness of an agent: started with the composed prompt in the session's folder, with the
 * agent's tools over MCP and its own token, and without its own tools unless the agent allows them.
 */
import type { CodingAgentClient, DetectedAgent, HostOptions, RunHandle } from "@capstan/coding-agents";
import {
  type AgentSpec,
  fail,
  ok,
  type Result,
  type RuntimeAgent,
  type SessionFileStore,
} from "@capstan/core";
import {
  type CodingAgentAdapter,
  type CodingAgentCapabilities,
  type CodingAgentEvent,
  capabilityRefused,
  type EffectiveCapabilities,
  overTransport,
  type RunOptions,
  type ThinkingEffortLevel,
  validateRun,
} from "@capstan/core/internal";
import type {
  HarnessDriver,
  HarnessFacts,
  HarnessProcess,
  HarnessRequest,
  ModelPrices,
  SessionFolders,
  Worktrees,
} from "@capstan/runtime";
import { codingAgentRefusal } from "../coding-agents/coding-agent-refusal.ts";
import { type AttachedFiles, attachmentsOf } from "./attached-files.ts";
import { cliModel } from "./cli-model.ts";
import type { HarnessUser, HarnessUsers } from "./harness-users.ts";
import { ownTool, SERVER_NAME } from "./own-tool.ts";
import type { OpenRunMcp, RunMcp } from "./run-mcp.ts";
import { folderPlace, sessionPlace, type WorkPlace } from "./work-place.ts";

const LONGEST_MS = 24 * 3600 * 1000; // the run's own limits end it; a person may take this long to answer

export interface DriverParts {
  readonly client: () => Promise<CodingAgentClient>;
  /** Findings of a probe on this machine override what is declared. */
  readonly effective: (agent: string) => Promise<EffectiveCapabilities | undefined>;
  readonly mcp: RunMcp;
  readonly folders: SessionFolders;
  /** For agents that work in a real folder. */
  readonly worktrees: Worktrees;
  readonly files: (sessionId: string) => SessionFileStore;
  /** The OS user for programs that keep their own tools; they cannot access anyone else's files. */
  readonly users: HarnessUsers;
}

export function codingAgentDriver(name: string, parts: DriverParts): HarnessDriver {
  let client: CodingAgentClient | undefined;
  let installed: DetectedAgent | undefined;
  const open = async () => {
    client ??= await parts.client();
    return client;
  };
  /** What it can do, by a probe's findings or else as declared. */
  const capabilitiesOf = async (adapter: CodingAgentAdapter) =>
    (await parts.effective(name)) ?? adapter.capabilities;
  return {
    name,
    async takesTools() {
      const found = adapterOf(await open(), name);
      return found.ok && (await capabilitiesOf(found.value)).supportsMCP;
    },
    async check(agent, named) {
      const opened = await open();
      const found = adapterOf(opened, name);
      if (!found.ok) return found;
      const capabilities = await capabilitiesOf(found.value);
      const can = await canRun(agent, found.value, capabilities, parts.worktrees);
      if (!can.ok) return can;
      const model = modelKnown(opened, name, named ?? agent.spec.model);
      if (!model.ok) return model;
      const thinks = canThink(opened, agent, capabilities);
      if (!thinks.ok) return thinks;
      installed ??= await detectInstalled(opened, name);
      if (!installed) return notInstalled(found.value);
      return ok(factsOf(agent, found.value, capabilities));
    },
    async start(request) {
      const opened = await open();
      installed ??= await detectInstalled(opened, name); // once: a program may take seconds to print its version
      return start(opened, name, { ...parts, command: installed?.path }, request);
    },
    prices: (model) => pricesOf(client, name, model),
  };
}

async function detectInstalled(
  { adapters }: CodingAgentClient,
  name: string,
): Promise<DetectedAgent | undefined> {
  const found = await adapters.detect(name);
  return found.installed ? found : undefined;
}

function adapterOf({ adapters }: CodingAgentClient, name: string): Result<CodingAgentAdapter> {
  try {
    return ok(adapters.get(name));
  } catch (error) {
    const failure = codingAgentRefusal(error);
    if (!failure) throw error;
    return { ok: false, failure };
  }
}

async function canRun(
  { spec, tools }: RuntimeAgent,
  { name, hidesNativeTools }: CodingAgentAdapter,
  { supportsMCP }: CodingAgentCapabilities,
  worktrees: Worktrees,
): Promise<Result<unknown>> {
  if (tools.length > 0 && !supportsMCP) {
    const message = `Agent '${name}' does not support MCP, so it cannot be given the tools of this agent`;
    return capabilityRefused(name, "mcp", message);
  }
  if (!hidesNativeTools && !spec.allowNativeTools) return fail("harness_native_tools", { harness: name });
  return canUseFolder(spec, worktrees);
}

/** A folder that is gone, or no longer allowed, is noticed before the program starts. */
async function canUseFolder(
  { folder, allowNativeTools }: AgentSpec,
  worktrees: Worktrees,
): Promise<Result<unknown>> {
  if (folder === undefined) return ok(true);
  if (!allowNativeTools) return fail("folder_without_tools", { why: "allow_native_tools is false" });
  return worktrees.check(folder);
}

/** A model that the program does not know is refused here, where someone can still choose another one. */
function modelKnown({ models }: CodingAgentClient, name: string, model: string | undefined): Result<true> {
  const wanted = cliModel(models, name, model);
  if (wanted === undefined || models.models(name).length === 0) return ok(true);
  const { valid, message } = models.validate(name, wanted);
  return valid ? ok(true) : fail("coding_agent_model_unknown", { agent: name, message });
}

/** An effort or budget that the program or model does not support is refused when the agent is saved. */
function canThink(
  { models }: CodingAgentClient,
  agent: RuntimeAgent,
  capabilities: CodingAgentCapabilities | EffectiveCapabilities,
): Result<unknown> {
  const name = capabilities.agent;
  const model = cliModel(models, name, agent.spec.model);
  const asked = { agent: name, prompt: "", model, ...thinkingOf({ agent }) };
  const known = model === undefined ? null : models.model(name, model);
  return validateRun(asked, capabilities, known, { defaultModel: models.defaultModel(name) });
}

/** What the agent's runs can rely on: the approval mode decides the transport, and that decides whether it can resume. */
function factsOf(
  { spec }: RuntimeAgent,
  adapter: CodingAgentAdapter,
  capabilities: CodingAgentCapabilities,
): HarnessFacts {
  const { approvalModes } = capabilities;
  const approvalMode = spec.allowNativeTools && approvalModes.includes("prompt") ? "prompt" : "yolo";
  const nativeTools = spec.allowNativeTools ? "on" : "off";
  const resumed = { agent: adapter.name, prompt: "", sessionId: "s", approvalMode } as const;
  const name = adapter.chooseTransport?.(resumed, nativeTools);
  const transport = adapter.transports?.find((one) => one.name === name) ?? adapter.transports?.[0];
  const over = overTransport(capabilities, transport);
  return { canResume: over.canResume && over.approvalModes.includes(approvalMode), approvalModes };
}

function notInstalled({ name, commands, capabilities }: CodingAgentAdapter): Result<never> {
  return fail("coding_agent_not_installed", {
    agent: name,
    command: commands[0],
    install: capabilities.installMethods[0]?.command,
  });
}

/** The program owns its folder until it ends; then its changes are saved, and its token becomes invalid. */
async function start(
  client: CodingAgentClient,
  name: string,
  parts: DriverParts & { readonly command: string | undefined },
  request: HarnessRequest,
): Promise<Result<HarnessProcess>> {
  const user = await parts.users.userFor(request, name, parts.command);
  if (!user.ok) return user;
  const files = parts.files(request.sessionId);
  const place = placeOf(parts, request, files, user.value?.user.uid);
  const began = Promise.withResolvers<Result<HarnessProcess>>();
  const kept = Promise.withResolvers<readonly string[]>();
  const whole = place.use(async (folder) => {
    const tools = request.agent.spec.allowNativeTools ? withFresh(request, place.refresh) : request;
    const mcp = await parts.mcp.open({ tools: request.agent.tools, call: tools.call });
    try {
      const attached = await attachmentsOf(client.adapters.capabilities(name), request, files);
      if (!attached.ok) return began.resolve(attached);
      const env = place.environment(folder);
      const options = runOptions(client, name, request, { folder, env, mcp, ...attached.value });
      const { handle, warnings } = run(client, options, request, user.value);
      began.resolve(ok(processOf(handle, kept.promise, warnings)));
      await handle.result;
    } finally {
      mcp.close();
    }
  });
  whole
    .then((used) => {
      if (!used.ok) began.resolve(used);
      kept.resolve(used.ok ? used.value : []);
    })
    .catch((error) => {
      const failure = codingAgentRefusal(error);
      if (failure) began.resolve({ ok: false, failure });
      else began.reject(error);
      kept.resolve([]);
    });
  return began.promise;
}

function placeOf(
  { folders, worktrees }: DriverParts,
  { sessionId, agent, recovers = false }: HarnessRequest,
  files: SessionFileStore,
  owner: number | undefined,
): WorkPlace {
  const { folder } = agent.spec;
  return folder === undefined
    ? sessionPlace(folders, { sessionId, files, owner, adopts: recovers })
    : folderPlace(worktrees, { sessionId, folder, owner });
}

/** Syncs files: a tool sees what the program has written, and the program what the tool wrote. */
const withFresh = ({ call }: HarnessRequest, refresh: () => Promise<void>): Pick<HarnessRequest, "call"> => ({
  call: async (asked) => {
    await refresh();
    const output = await call(asked);
    await refresh();
    return output;
  },
});

/** A message may ask for an effort that this program or model does not support: it is answered without it, with a warning. */
function run(
  client: CodingAgentClient,
  options: RunOptions,
  { agent }: HarnessRequest,
  user: HarnessUser | undefined,
): { readonly handle: RunHandle; readonly warnings: readonly string[] } {
  const host: HostOptions = { nativeTools: agent.spec.allowNativeTools ? "on" : "off", ...user };
  try {
    return { handle: client.run(options, host), warnings: [] };
  } catch (error) {
    const refused = codingAgentRefusal(error);
    if (options.thinkingEffort === undefined || !refused) throw error;
    const handle = client.run({ ...options, thinkingEffort: undefined }, host);
    return { handle, warnings: [`${refused.message}; the message is answered without it.`] };
  }
}

interface RunSettings extends AttachedFiles {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mcp: OpenRunMcp;
}

function runOptions(
  client: CodingAgentClient,
  name: string,
  request: HarnessRequest,
  { folder, env, mcp, attachments, mentions }: RunSettings,
): RunOptions {
  const { agent, resume, maxTurns, maxCostUsd } = request;
  const { approvalModes } = client.adapters.capabilities(name);
  const asks = agent.spec.allowNativeTools && approvalModes.includes("prompt");
  const headers = { authorization: `Bearer ${mcp.token}` };
  return {
    agent: name,
    prompt: [request.prompt, ...mentions].join("\n\n"),
    stream: "auto",
    cwd: folder,
    env,
    systemPrompt: agent.systemPrompt === "" ? undefined : agent.systemPrompt,
    model: cliModel(client.models, name, request.model),
    sessionId: resume,
    ...thinkingOf(request),
    ...(agent.tools.length > 0 && { mcpServers: [{ name: SERVER_NAME, url: mcp.url, headers }] }),
    ...(attachments.length > 0 && { attachments }),
    approvalMode: asks ? "prompt" : "yolo", // the remaining tools pass our gate
    maxTurns,
    maxCostUsd,
    timeoutMs: LONGEST_MS,
  };
}

/** The message's setting overrides the agent's. */
function thinkingOf({
  agent: { spec },
  reasoning,
}: Pick<HarnessRequest, "agent" | "reasoning">): ThinkingOptions {
  if (reasoning !== undefined) return { thinkingEffort: EFFORTS[reasoning] };
  return { thinkingEffort: spec.thinkingEffort, thinkingBudgetTokens: spec.thinkingBudget };
}

type ThinkingOptions = Pick<RunOptions, "thinkingEffort" | "thinkingBudgetTokens">;

const EFFORTS: Readonly<Record<string, ThinkingEffortLevel>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "max",
  max: "max",
};

function processOf(
  handle: RunHandle,
  kept: Promise<readonly string[]>,
  warnings: readonly string[],
): HarnessProcess {
  const events = handle[Symbol.asyncIterator]();
  const first = events.next(); // read from the start, because older events are dropped
  return {
    events: { [Symbol.asyncIterator]: () => keptBeforeEnd(first, events, kept, warnings) },
    ended: kept,
    ownTool,
    approve: (id, input) => handle.approve(id, input),
    deny: (id, reason) => handle.deny(id, reason),
    interrupt: () => handle.interrupt(),
    abort: () => handle.abort(),
  };
}

/** When the run's end is reported, its files are saved. */
async function* keptBeforeEnd(
  first: Promise<IteratorResult<CodingAgentEvent>>,
  events: AsyncIterator<CodingAgentEvent>,
  kept: Promise<readonly string[]>,
  warnings: readonly string[],
): AsyncGenerator<CodingAgentEvent> {
  const told = [...warnings];
  for (let next = await first; !next.done; next = await events.next()) {
    if (next.value.type === "run-ended") {
      for (const path of await kept) yield { type: "warning", message: `A file was not saved: ${path}` };
    }
    yield next.value;
    for (const message of told.splice(0)) yield { type: "warning", message };
  }
}

function pricesOf(
  client: CodingAgentClient | undefined,
  name: string,
  model: string | undefined,
): ModelPrices | undefined {
  const known = model === undefined ? client?.models.defaultModel(name) : client?.models.model(name, model);
  const { inputPricePerMillion: input, outputPricePerMillion: output } = known ?? {};
  if (input === undefined || output === undefined) return undefined;
  const cachedInput = known?.cachedInputPricePerMillion;
  return { input, output, ...(cachedInput !== undefined && { cachedInput }) };
}
