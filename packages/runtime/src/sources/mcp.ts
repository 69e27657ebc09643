/**
 * An MCP server, a command or a URL, as one capability with its tools.
 *
 * A server's description of itself is untrusted: names are made legal, schemas and texts are bounded, and its hints can
 * only tighten (a tool it calls destructive requires approval). The connection is shared by all agents, so its secrets
 * come from the server's settings and not from an agent's config. A server with a login of its own is connected to for each
 * call, with the account of the call's user.
 */
import {
  type AnyTool,
  type Capability,
  type ConnectionNeed,
  fail,
  type GuardedFetch,
  ok,
  type Result,
  type Schema,
  type ToolContext,
  type ToolRisk,
} from "@capstan/core";
import { hintedFlow, takesAddress, withoutSharedWord } from "@capstan/core/internal";
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { type CommandIsolation, probeCommandIsolation } from "../commands/command-isolation.ts";
import { foreignSchema } from "./json-schema.ts";
import { serverLabel } from "./last-words.ts";
import type { DescribedMcp, McpCall, McpConnection, McpServer } from "./mcp-connection.ts";
import { mcpResult } from "./mcp-result.ts";
import { capabilityId, semverOf, UniqueNames } from "./openapi-names.ts";
import type { OperatorNetwork } from "./operator-network.ts";
import { type BoundSecrets, fillSecrets, secretNames } from "./secrets.ts";

const TOOLS = 2_000;
const DESCRIPTION_CHARS = 4_000;
const PROMPT_CHARS = 8_000;
const CALL_MS = 60_000;
const CONNECT_MS = 60_000; // `npx` may have to download the server first

/** `${NAME}` in env and headers stands for a secret of the server's settings. */
export type McpSource =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
      /** Literal values; nothing in them is replaced. */
      readonly secretEnv?: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface McpOptions {
  readonly id?: string | undefined;
  readonly settings?: BoundSecrets | undefined;
  /** For servers with a URL; its timeout must allow for the longest call. */
  readonly fetch: GuardedFetch;
  readonly callTimeoutMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly isolation?: CommandIsolation | undefined;
  /** For commands that download what they run; read when the first one starts. */
  readonly operator?: (() => Promise<OperatorNetwork>) | undefined;
  /** Called when the server reports changed tools; `refresh` then reads them. */
  readonly onToolsChanged?: (() => void) | undefined;
}

export interface OpenMcp {
  readonly capability: Capability;
  /** The server's description of itself. */
  readonly described: DescribedMcp;
  /** Reads name, prompt and tools again, over the same connection. */
  refresh(): Promise<Result<Capability>>;
  pid(): Promise<number | undefined>;
  close(): Promise<void>;
}

export async function openMcp(source: McpSource, options: McpOptions): Promise<Result<OpenMcp>> {
  const server = readSource(source, options.settings ?? (() => undefined), options.id);
  if (!server.ok) return server;
  const loaded = await import("./mcp-connection.ts"); // most installations have no MCP source, and its SDK is large
  const connection = new loaded.McpConnection({
    label: "command" in source ? serverLabel(source.command, source.args) : source.url,
    server: server.value,
    isolation: options.isolation ?? (await probeCommandIsolation()),
    operator: options.operator,
    fetch: options.fetch,
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_MS,
    onToolsChanged: () => options.onToolsChanged?.(),
  });
  const usesSecrets = bearsSecrets(source);
  const call: CallMcp = (asked) => connection.call(asked);
  const asCapability = (described: DescribedMcp) => capabilityOf(described, call, options, usesSecrets);
  const described = await connection.describe();
  if (!described.ok) {
    await connection.close();
    return described;
  }
  return ok({
    capability: asCapability(described.value),
    described: described.value,
    refresh: () => readAgain(connection, asCapability),
    pid: () => connection.pid(),
    close: () => connection.close(),
  });
}

function readSource(source: McpSource, settings: BoundSecrets, id: string | undefined): Result<McpServer> {
  if ("command" in source) {
    const env = fillSecrets(source.env ?? {}, (name) => settings(name, id && `mcp:${id}`));
    return env.ok ? ok({ kind: "command", ...source, env: { ...source.secretEnv, ...env.value } }) : env;
  }
  if (!/^https?:\/\//.test(source.url) || !URL.canParse(source.url)) {
    return fail("url_invalid", { url: source.url.slice(0, 200) });
  }
  const { host } = new URL(source.url);
  const headers = fillSecrets(source.headers ?? {}, (name) => settings(name, host));
  return headers.ok ? ok({ kind: "url", url: source.url, headers: headers.value }) : headers;
}

/** Whether the operator gave it a credential: its answers are then for that credential's owner only. */
const bearsSecrets = (source: McpSource): boolean =>
  "command" in source
    ? Object.keys(source.secretEnv ?? {}).length > 0 ||
      Object.values(source.env ?? {}).flatMap(secretNames).length > 0
    : Object.keys(source.headers ?? {}).length > 0;

async function readAgain(
  connection: McpConnection,
  asCapability: (described: DescribedMcp) => Capability,
): Promise<Result<Capability>> {
  const described = await connection.describe();
  return described.ok ? ok(asCapability(described.value)) : described;
}

/** A server with a login: described as the reviewer saw it, called with the account of each call's user. */
export function mcpWithLogin(
  { url }: { readonly url: string },
  described: DescribedMcp,
  need: ConnectionNeed,
  options: McpOptions & { readonly isolation: CommandIsolation },
): Capability {
  const call: CallMcp = async (asked, { fetch }) => {
    const loaded = await import("./mcp-connection.ts");
    const connection = new loaded.McpConnection({
      label: url,
      server: { kind: "url", url, headers: {} },
      isolation: options.isolation,
      fetch,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_MS,
      onToolsChanged: () => {},
    });
    try {
      return await connection.call(asked);
    } finally {
      await connection.leave();
    }
  };
  return { ...capabilityOf(described, call, options, true), connections: [need] };
}

type CallMcp = (call: McpCall, context: ToolContext) => Promise<Result<CallToolResult>>;

function capabilityOf(
  { name, title, version, instructions, tools }: DescribedMcp,
  call: CallMcp,
  options: McpOptions,
  usesSecrets: boolean,
): Capability {
  const names = new UniqueNames();
  const timeoutMs = options.callTimeoutMs ?? CALL_MS;
  const shown = plain(title ?? name, 100) || "MCP server";
  const prompt = plain(instructions, PROMPT_CHARS);
  const ownNames = withoutSharedWord(tools.map((tool) => tool.name));
  return {
    id: options.id ?? capabilityId(name),
    name: shown,
    description: `The tools of the MCP server ${shown}.`,
    status: "available",
    version: semverOf(version),
    source: "mcp",
    risk: "medium",
    category: "MCP",
    ...(prompt !== "" && { systemPrompt: prompt }),
    tools: tools
      .slice(0, TOOLS)
      .map((tool, at) =>
        mcpTool(call, names.choose(tool.name), tool, { timeoutMs, usesSecrets, ownName: ownNames[at] }),
      ),
    dependencies: [],
    requiredScopes: [],
  };
}

/** Without a hint, a tool counts as one that writes. */
function riskIn(annotations: Tool["annotations"]): { risk?: ToolRisk } {
  if (annotations?.readOnlyHint === true) return { risk: "read" };
  return annotations?.destructiveHint === true ? { risk: "irreversible" } : {};
}

interface McpToolOptions {
  readonly timeoutMs: number;
  readonly usesSecrets: boolean;
  /** Its name without the word that all names of its server begin with. */
  readonly ownName?: string | undefined;
}

function mcpTool(
  call: CallMcp,
  name: string,
  tool: Tool,
  { timeoutMs, usesSecrets, ownName = tool.name }: McpToolOptions,
): AnyTool {
  const { annotations, inputSchema, outputSchema } = tool;
  const flow = hintedFlow(ownName, annotations, usesSecrets);
  const input = foreignSchema(inputSchema, { compileNow: true });
  const output = outputSchema && foreignSchema(outputSchema, { compileNow: true });
  return {
    name,
    description: plain(tool.description ?? tool.title ?? tool.name, DESCRIPTION_CHARS) || name,
    input: input.ok ? input.value : NOTHING,
    ...(output?.ok && { output: output.value }),
    ...(!input.ok && { unavailable: input.failure.message }),
    policy: annotations?.destructiveHint === true && annotations.readOnlyHint !== true ? "approve" : "auto",
    scopes: [],
    timeoutMs,
    idempotent: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
    ...riskIn(annotations),
    ...flow,
    reachesAnyAddress: flow.writes.length === 0 && takesAddress(inputSchema),
    usesSecrets,
    requiresContext: false,
    runsElsewhere: true,
    async run(value: Record<string, unknown>, context: ToolContext) {
      const asked = { tool: tool.name, input: value, signal: context.signal, timeoutMs };
      const called = await call(asked, context);
      return called.ok ? mcpResult(name, called.value, context) : called;
    },
  };
}

const NOTHING: Schema = {
  jsonSchema: { type: "object" },
  parse: () => ({ ok: false, where: "its schema cannot be used" }),
};

/** Without control characters, which can hide text from the reviewer. */
function plain(text: string, chars: number): string {
  const visible = text.replaceAll(/[^\P{Cc}\n\t]|[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/gu, "");
  return visible.slice(0, chars).trim();
}
