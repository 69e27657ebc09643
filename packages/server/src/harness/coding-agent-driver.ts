/**
 * A coding agent's program as the harness of an agent: started with the composed prompt in the session's folder, given the
 * agent's tools over MCP with a token of its own, and without tools of its own unless the agent allows them.
 */
import { resolve } from "node:path";
import type { CodingAgentClient, RunHandle } from "@capstan/coding-agents";
import { fail, ok, type Result, type RuntimeAgent, type SessionFileStore } from "@capstan/core";
import {
  type Attachment,
  type CodingAgentAdapter,
  type CodingAgentCapabilities,
  type CodingAgentEvent,
  capabilityRefused,
  type EffectiveCapabilities,
  type FilePart,
  type RunOptions,
  type ThinkingEffortLevel,
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
import { ownTool, SERVER_NAME } from "./own-tool.ts";
import type { OpenRunMcp, RunMcp } from "./run-mcp.ts";

const LONGEST_MS = 24 * 3600 * 1000; // the run's own limits end it; a person who is asked may take this long

export interface DriverParts {
  readonly client: () => Promise<CodingAgentClient>;
  /** What a probe saw on this machine, over what is declared. */
  readonly effective: (agent: string) => Promise<EffectiveCapabilities | undefined>;
  readonly mcp: RunMcp;
  readonly folders: SessionFolders;
  readonly files: (sessionId: string) => SessionFileStore;
}

export function codingAgentDriver(name: string, parts: DriverParts): HarnessDriver {
  let client: CodingAgentClient | undefined;
  let isInstalled = false;
  const open = async () => {
    client ??= await parts.client();
    return client;
  };
  return {
    name,
    async check(agent) {
      const opened = await open();
      const found = adapterOf(opened, name);
      if (!found.ok) return found;
      const capabilities = (await parts.effective(name)) ?? found.value.capabilities;
      const can = canRun(agent, found.value, capabilities);
      if (!can.ok) return can;
      isInstalled ||= (await opened.adapters.detect(name)).installed;
      if (!isInstalled) return notInstalled(found.value);
      const { canResume, approvalModes } = capabilities;
      return ok({ canResume, approvalModes } satisfies HarnessFacts);
    },
    start: async (request) => start(await open(), name, parts, request),
    prices: (model) => pricesOf(client, name, model),
  };
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

function notInstalled({ name, commands, capabilities }: CodingAgentAdapter): Result<never> {
  return fail("coding_agent_not_installed", {
    agent: name,
    command: commands[0],
    install: capabilities.installMethods[0]?.command,
  });
}

/** The program has its folder until it is gone; then what it changed is kept, and its token is worth nothing. */
async function start(
  client: CodingAgentClient,
  name: string,
  parts: DriverParts,
  request: HarnessRequest,
): Promise<Result<HarnessProcess>> {
  const { sessionId, recovers = false } = request;
  const place = { sessionId, files: parts.files(sessionId), owner: undefined };
  const began = Promise.withResolvers<Result<HarnessProcess>>();
  const kept = Promise.withResolvers<readonly string[]>();
  const use = { ...place, adopts: recovers, isWhole: () => true };
  const whole = parts.folders.use(use, async (folder) => {
    const refresh = () => parts.folders.refresh(place).catch(() => {}); // the end brings back what this could not
    const tools = request.agent.spec.allowNativeTools ? withFresh(request, refresh) : request;
    const mcp = await parts.mcp.open({ tools: request.agent.tools, call: tools.call });
    try {
      const options = await runOptions(client, name, request, folder, mcp);
      const handle = run(client, options, request);
      began.resolve(ok(processOf(handle, kept.promise)));
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

/** A tool sees what the program has written, and the program what the tool wrote. */
const withFresh = ({ call }: HarnessRequest, refresh: () => Promise<void>): Pick<HarnessRequest, "call"> => ({
  call: async (asked) => {
    await refresh();
    const output = await call(asked);
    await refresh();
    return output;
  },
});

/** A message may ask for an effort that this program or model does not have; the answer matters more. */
function run(client: CodingAgentClient, options: RunOptions, { agent }: HarnessRequest): RunHandle {
  const host = { nativeTools: agent.spec.allowNativeTools ? ("on" as const) : ("off" as const) };
  try {
    return client.run(options, host);
  } catch (error) {
    if (options.thinkingEffort === undefined || codingAgentRefusal(error) === undefined) throw error;
    return client.run({ ...options, thinkingEffort: undefined }, host);
  }
}

async function runOptions(
  client: CodingAgentClient,
  name: string,
  request: HarnessRequest,
  folder: string,
  mcp: OpenRunMcp,
): Promise<RunOptions> {
  const { agent, files, resume, maxTurns, maxCostUsd } = request;
  const { approvalModes, supportsImageInput, supportsFileAttachments } = client.adapters.capabilities(name);
  const takes = (file: FilePart) => (isImage(file) ? supportsImageInput : supportsFileAttachments);
  const asks = agent.spec.allowNativeTools && approvalModes.includes("prompt");
  const attachments = files.filter(takes).map((file) => attachmentOf(file, folder));
  const headers = { authorization: `Bearer ${mcp.token}` };
  return {
    agent: name,
    prompt: [request.prompt, ...files.filter((file) => !takes(file)).map(mention)].join("\n\n"),
    stream: "auto",
    cwd: folder,
    systemPrompt: agent.systemPrompt === "" ? undefined : agent.systemPrompt,
    model: cliModel(client.models, name, request.model),
    sessionId: resume,
    thinkingEffort: EFFORTS[request.reasoning ?? "none"],
    ...(agent.tools.length > 0 && { mcpServers: [{ name: SERVER_NAME, url: mcp.url, headers }] }),
    ...(attachments.length > 0 && { attachments: attachments.filter((one) => one !== undefined) }),
    approvalMode: asks ? "prompt" : "yolo", // the tools that are left have a gate of their own
    maxTurns,
    maxCostUsd,
    timeoutMs: LONGEST_MS,
  };
}

const EFFORTS: Readonly<Record<string, ThinkingEffortLevel>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "max",
  max: "max",
};

const isImage = ({ mediaType }: FilePart): boolean => mediaType.startsWith("image/");

function attachmentOf({ source, mediaType, filename }: FilePart, folder: string): Attachment | undefined {
  const name = filename === undefined ? {} : { name: filename };
  if (source.type === "data") return { data: source.base64, mimeType: mediaType, ...name };
  if (source.type === "url") return undefined;
  return { path: resolve(folder, source.path.replace(/^\/+/, "")), mimeType: mediaType, ...name };
}

/** What cannot be attached is at least named. */
const mention = ({ source, filename = "a file" }: FilePart): string =>
  source.type === "data"
    ? `[Attached, but not readable for you: ${filename}]`
    : `[Attached: ${source.type === "url" ? source.url : `.${source.path}`}]`;

function processOf(handle: RunHandle, kept: Promise<readonly string[]>): HarnessProcess {
  const events = handle[Symbol.asyncIterator]();
  const first = events.next(); // a reader from the first event on, or older ones are let go
  return {
    events: { [Symbol.asyncIterator]: () => keptBeforeEnd(first, events, kept) },
    ended: kept,
    ownTool,
    approve: (id, input) => handle.approve(id, input),
    deny: (id, reason) => handle.deny(id, reason),
    interrupt: () => handle.interrupt(),
    abort: () => handle.abort(),
  };
}

/** Whoever hears that the run ended finds its files. */
async function* keptBeforeEnd(
  first: Promise<IteratorResult<CodingAgentEvent>>,
  events: AsyncIterator<CodingAgentEvent>,
  kept: Promise<readonly string[]>,
): AsyncGenerator<CodingAgentEvent> {
  for (let next = await first; !next.done; next = await events.next()) {
    if (next.value.type === "run-ended") {
      for (const path of await kept) yield { type: "warning", message: `A file was not kept: ${path}` };
    }
    yield next.value;
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
