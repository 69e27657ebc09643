/**
 * MCP servers as packages: the archive is the short declaration of how to reach the server. What a command downloads and
 * runs is not part of it, so those bytes are not pinned; the review says so, and listing its tools requires consent.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { z } from "zod";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import type { McpAccounts } from "../connections/mcp-accounts.ts";
import type { PackageDescription } from "../db/schema/package-record.ts";
import type { SecretsFor } from "../sources/cli.ts";
import { type McpSource, mcpWithLogin, type OpenMcp, openMcp } from "../sources/mcp.ts";
import type { DescribedMcp } from "../sources/mcp-connection.ts";
import { capabilityId } from "../sources/openapi-names.ts";
import type { OperatorNetwork } from "../sources/operator-network.ts";
import type { BoundSecrets } from "../sources/secrets.ts";
import { descriptionOf } from "./document-description.ts";
import { sha256Hex } from "./node-codec.ts";
import type { PackageKindRules } from "./package-kind.ts";
import type { PackageLoader } from "./package-registry.ts";
import type { PackageStore } from "./package-store.ts";

const Texts = z.record(z.string().max(200), z.string().max(10_000));
/** The declaration's name for the server; otherwise derived from its command or address. */
const Name = z.string().min(1).max(200).optional();
const Declaration = z.union([
  z.object({
    name: Name,
    command: z.string().min(1).max(1000),
    args: z.array(z.string().max(10_000)).max(100).optional(),
    env: Texts.optional(),
  }),
  z.object({ name: Name, url: z.url({ protocol: /^https?$/ }), headers: Texts.optional() }),
]);

export interface McpKindParts {
  readonly fetch: GuardedFetch;
  readonly settings: BoundSecrets;
  readonly isolation: CommandIsolation;
  readonly operator?: (() => Promise<OperatorNetwork>) | undefined;
  readonly secretsFor: SecretsFor;
  readonly mcpAccounts?: McpAccounts | undefined;
}

export function mcpKind(parts: McpKindParts): PackageKindRules {
  return {
    staysOpen: true,
    read(bytes) {
      const source = readDeclaration(bytes);
      if (!source.ok) return source;
      const isCommand = "command" in source.value;
      const notes = isCommand
        ? ["Only the command line is pinned by the hash, not what the command downloads and runs."]
        : [];
      return ok({ description: unread(source.value), files: 1, unpackedBytes: bytes.length, notes });
    },
    async describe(bytes, description, reviewer) {
      const source = readDeclaration(bytes);
      if (!source.ok) return source;
      const { name } = description;
      const tried = await openUnasked(source.value, name, parts);
      if (tried.challenge !== undefined)
        return describeWithLogin(bytes, { ...tried, reviewer, description }, parts);
      const { opened } = tried;
      if (!opened.ok) return opened;
      const described = descriptionOf(opened.value.capability);
      await opened.value.close();
      return ok({ ...described, commands: description.commands });
    },
    async place({ bytes, folder }) {
      await writeFile(join(folder, "mcp.json"), bytes);
      return ok(true);
    },
  };
}

type Tried =
  | { readonly opened: Result<OpenMcp>; readonly challenge?: undefined }
  /** It wants a login: the `WWW-Authenticate` of its 401. */
  | { readonly url: string; readonly challenge: string };

/** A server with a key in its headers needs no login: the operator's key is used. */
async function openUnasked(source: McpSource, name: string, parts: McpKindParts): Promise<Tried> {
  let challenge: string | undefined;
  const fetch: GuardedFetch = async (...asked) => {
    const answer = await parts.fetch(...asked);
    if (answer.ok && answer.value.status === 401)
      challenge = answer.value.headers.get("www-authenticate") ?? "";
    return answer;
  };
  const opened = await openMcp(await withSecrets(source, name, parts), { ...parts, fetch, id: name });
  const mayLogIn = "url" in source && source.headers === undefined && parts.mcpAccounts !== undefined;
  return !opened.ok && mayLogIn && challenge !== undefined ? { url: source.url, challenge } : { opened };
}

/** With the reviewer's own account; the result is kept for the loader. */
async function describeWithLogin(
  bytes: Uint8Array,
  asked: {
    readonly url: string;
    readonly challenge: string;
    readonly reviewer: string;
    readonly description: PackageDescription;
  },
  parts: McpKindParts,
): Promise<Result<PackageDescription>> {
  const { url, description } = asked;
  const { mcpAccounts } = parts;
  const login = await mcpAccounts?.login(asked);
  if (!login?.ok) return login ?? fail("mcp_unreachable", { server: url, why: "it wants a login" });
  const { provider, scopes, issuer, fetch } = login.value;
  const opened = await openMcp({ url }, { ...parts, fetch, id: description.name });
  if (!opened.ok) return opened;
  await opened.value.close();
  const { described } = opened.value;
  await mcpAccounts?.put(sha256Hex(bytes), { provider, scopes, described });
  const capability = mcpWithLogin(
    { url },
    described,
    { provider, scopes },
    { ...parts, id: description.name },
  );
  const summary = `${capability.description} Each user logs in at ${new URL(issuer).host}.`;
  return ok({ ...descriptionOf(capability), summary, hosts: [new URL(url).host], commands: [] });
}

export function mcpLoader(store: Pick<PackageStore, "archive">, parts: McpKindParts): PackageLoader {
  return async ({ name, sha256 }) => {
    const bytes = await store.archive(sha256);
    const source = bytes
      ? readDeclaration(bytes)
      : fail("package_broken", { name, why: "its declaration is not in the store" });
    if (!source.ok) return source;
    const account = "url" in source.value ? await parts.mcpAccounts?.get(sha256) : undefined;
    if (account && "url" in source.value) {
      const { provider, scopes, described } = account;
      const need = { provider, scopes };
      const options = { ...parts, id: name };
      return ok({
        capabilities: [mcpWithLogin(source.value, described as DescribedMcp, need, options)],
      });
    }
    const opened = await openMcp(await withSecrets(source.value, name, parts), { ...parts, id: name });
    if (!opened.ok) return opened;
    return ok({ capabilities: [opened.value.capability], close: () => opened.value.close() });
  };
}

/** The connection is shared, so only secrets for all users are used; `${NAME}` in a given value stays unchanged. */
async function withSecrets(source: McpSource, id: string, { secretsFor }: McpKindParts): Promise<McpSource> {
  if (!("command" in source)) return source;
  const given = await secretsFor(id, undefined);
  return { ...source, secretEnv: given };
}

function readDeclaration(bytes: Uint8Array): Result<McpSource> {
  try {
    return ok(Declaration.parse(JSON.parse(new TextDecoder().decode(bytes))) as McpSource);
  } catch {
    return fail("archive_refused", {
      why: 'an MCP server is {"command": ..., "args": [...]} or {"url": ...}',
    });
  }
}

/** What is known before connecting. */
function unread(source: McpSource): PackageDescription {
  const words = "command" in source ? [source.command, ...(source.args ?? [])] : [];
  return {
    name: nameOf(source),
    version: "0.0.0",
    role: "other",
    summary:
      "command" in source
        ? `The MCP server started by "${words.join(" ")}".`
        : `The MCP server at ${source.url}.`,
    tools: [],
    scopes: [],
    commands: words.length > 0 ? [words.join(" ")] : [],
    dependencies: [],
    install_scripts: [],
    skills: [],
    must_run_code: true,
  };
}

/** Path segments that do not name a server. */
const NAMELESS = new Set(["index", "main", "server", "cli", "dist", "build", "src", "bin", "lib", ""]);

/** `npx -y @modelcontextprotocol/server-everything@1` is server_everything; an address is its host. */
function nameOf(source: McpSource & { name?: string }): string {
  if (source.name !== undefined) return capabilityId(source.name);
  if ("url" in source) return capabilityId(new URL(source.url).hostname);
  const [first = "mcp", second] = [source.command, ...(source.args ?? [])].filter(
    (word) => !word.startsWith("-"),
  );
  const isRunner = /(^|\/)(npx|node|uvx|python3?|bunx|pnpm|docker)$/.test(first);
  const chosen = (isRunner ? second : first) ?? first;
  const parts = chosen
    .replace(/(?<=.)@[^@/]*$/, "")
    .replace(/\.[cm]?[jt]s$|\.py$/, "")
    .split("/");
  return capabilityId(parts.findLast((part) => !NAMELESS.has(part)) ?? "mcp");
}
