/**
 * A coding agent's program as the harness of an agent: started with the composed prompt in the session's folder, with the
 * agent's tools over MCP and its own token, and without its own tools unless the agent allows them.
 */
import type { CodingAgentClient, DetectedAgent, HostOptions, RunHandle } from "@capstan/coding-agents";
import { fail, ok, type Result, type RuntimeAgent, type SessionFileStore } from "@capstan/core";
import {
  type Attachment,
  baseName,
  type CodingAgentAdapter,
  type CodingAgentCapabilities,
  type CodingAgentEvent,
  capabilityRefused,
  type EffectiveCapabilities,
  type FilePart,
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
} from "@capstan/runtime";
import { codingAgentRefusal } from "../coding-agents/coding-agent-refusal.ts";
import { cliModel } from "./cli-model.ts";
import type { HarnessUser, HarnessUsers } from "./harness-users.ts";
import { ownTool, SERVER_NAME } from "./own-tool.ts";
import type { OpenRunMcp, RunMcp } from "./run-mcp.ts";

const LONGEST_MS = 24 * 3600 * 1000; // the run's own limits end it; a person may take this long to answer

export interface DriverParts {
  readonly client: () => Promise<CodingAgentClient>;
  /** Findings of a probe on this machine override what is declared. */
  readonly effective: (agent: string) => Promise<EffectiveCapabilities | undefined>;
  readonly mcp: RunMcp;
  readonly folders: SessionFolders;
  readonly files: (sessionId: string) => SessionFileStore;
  /** The OS user for programs that keep their own tools; they cannot access anybody else's files. */
  readonly users: HarnessUsers;
}

export function codingAgentDriver(name: string, parts: DriverParts): HarnessDriver {
  let client: CodingAgentClient | undefined;
  let installed: DetectedAgent | undefined;
  const open = async () => {
    client ??= await parts.client();
    return client;
  };
  return {
    name,
    async check(agent, named) {
      const opened = await open();
      const found = adapterOf(opened, name);
      if (!found.ok) return found;
      const capabilities = (await parts.effective(name)) ?? found.value.capabilities;
      const can = canRun(agent, found.value, capabilities);
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
      installed ??= await detectInstalled(opened, name); // once: a program may take seconds to say its version
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

function canRun(
  { spec, tools }: RuntimeAgent,
  { name, hidesNativeTools }: CodingAgentAdapter,
  { supportsMCP }: CodingAgentCapabilities,
): Result<true> {
  if (tools.length > 0 && !supportsMCP) {
    const message = `Agent '${name}' does not support MCP, so it cannot be given the tools of this agent`;
    return capabilityRefused(name, "mcp", message);
  }
  return hidesNativeTools || spec.allowNativeTools
    ? ok(true)
    : fail("harness_native_tools", { harness: name });
}

/** A model that the program does not know is refused here, where somebody can still choose another one. */
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
  const { sessionId, recovers = false } = request;
  const user = await parts.users.userFor(request, name, parts.command);
  if (!user.ok) return user;
  const place = { sessionId, files: parts.files(sessionId), owner: user.value?.user.uid };
  const began = Promise.withResolvers<Result<HarnessProcess>>();
  const kept = Promise.withResolvers<readonly string[]>();
  const use = { ...place, adopts: recovers, isWhole: () => true };
  const whole = parts.folders.use(use, async (folder) => {
    const refresh = () => parts.folders.refresh(place).catch(() => {}); // the end saves what this could not
    const tools = request.agent.spec.allowNativeTools ? withFresh(request, refresh) : request;
    const mcp = await parts.mcp.open({ tools: request.agent.tools, call: tools.call });
    try {
      const attached = await attachmentsOf(client.adapters.capabilities(name), request, place.files);
      if (!attached.ok) return began.resolve(attached);
      const options = runOptions(client, name, request, { folder, mcp, ...attached.value });
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
      kept.resolve(used.ok ? used.value.changes.refused.map(({ path, why }) => `${path}: ${why}`) : []);
    })
    .catch((error) => {
      const failure = codingAgentRefusal(error);
      if (failure) began.resolve({ ok: false, failure });
      else began.reject(error);
      kept.resolve([]);
    });
  return began.promise;
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
  readonly mcp: OpenRunMcp;
}

function runOptions(
  client: CodingAgentClient,
  name: string,
  request: HarnessRequest,
  { folder, mcp, attachments, mentions }: RunSettings,
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

const isImage = ({ mediaType }: FilePart): boolean => mediaType.startsWith("image/");

interface AttachedFiles {
  readonly attachments: readonly Attachment[];
  /** Text for the prompt about files that the program cannot be given. */
  readonly mentions: readonly string[];
}

/** Paths are session paths: they are read from the session's files, never from the machine. */
async function attachmentsOf(
  { supportsImageInput, supportsFileAttachments }: CodingAgentCapabilities,
  { files }: HarnessRequest,
  store: SessionFileStore,
): Promise<Result<AttachedFiles>> {
  const attachments: Attachment[] = [];
  const mentions: string[] = [];
  for (const file of files) {
    const takes = isImage(file) ? supportsImageInput : supportsFileAttachments;
    if (!takes || file.source.type === "url") {
      mentions.push(mention(file));
      continue;
    }
    const read = await bytesOf(file, store);
    if (!read.ok) return read;
    const name = file.filename ?? (file.source.type === "session" ? baseName(file.source.path) : undefined);
    attachments.push({ data: read.value, mimeType: file.mediaType, ...(name && { name }) });
  }
  return ok({ attachments, mentions });
}

async function bytesOf({ source }: FilePart, store: SessionFileStore): Promise<Result<string>> {
  if (source.type === "data") return ok(source.base64);
  if (source.type === "url") return ok("");
  const read = await store.read(source.path);
  return read.ok ? ok(Buffer.from(read.value).toString("base64")) : read;
}

/** What cannot be attached is at least named. */
const mention = ({ source, filename = "a file" }: FilePart): string =>
  source.type === "data"
    ? `[Attached, but not readable for you: ${filename}]`
    : `[Attached: ${source.type === "url" ? source.url : `.${source.path}`}]`;

function processOf(
  handle: RunHandle,
  kept: Promise<readonly string[]>,
  warnings: readonly string[],
): HarnessProcess {
  const events = handle[Symbol.asyncIterator]();
  const first = events.next(); // a reader from the first event on, or older ones are let go
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
