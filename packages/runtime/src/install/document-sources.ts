/**
 * Detects what a JSON or YAML file is: an OpenAPI document, a declarative capability, MCP servers as Claude, Cursor and VS Code
 * write them, or an entry of the MCP registry. `file.json#name` selects one of several servers.
 */
import { fail, ok, type Result } from "@capstan/core";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import type { PackageArchive } from "./fetch-package.ts";

type Fields = Readonly<Record<string, unknown>>;

const ClientServer = z.looseObject({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.string().optional(),
  serverUrl: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

const Variable = z.looseObject({ name: z.string(), value: z.string().optional() });
const Argument = z.looseObject({
  type: z.string().optional(),
  name: z.string().optional(),
  value: z.string().optional(),
});
const RegistryEntry = z.looseObject({
  name: z.string(),
  packages: z
    .array(
      z.looseObject({
        registryType: z.string().optional(),
        registry_type: z.string().optional(),
        identifier: z.string(),
        version: z.string().optional(),
        packageArguments: z.array(Argument).optional(),
        environmentVariables: z.array(Variable).optional(),
      }),
    )
    .optional(),
  remotes: z.array(z.looseObject({ url: z.string(), headers: z.array(Variable).optional() })).optional(),
});

/** Undefined when it is none of these, so that the caller can report what was requested. */
export function readDocumentSource(name: string, bytes: Uint8Array): Result<PackageArchive> | undefined {
  const [path = name, chosen] = name.split("#");
  const document = parsed(bytes);
  if (document === undefined) return undefined;
  if ("openapi" in document || "swagger" in document) return ok({ kind: "openapi", bytes, origin: path });
  const servers = serversIn(document);
  if (servers) return oneServer(path, chosen, servers);
  const isCapability = typeof document.id === "string" && ("tools" in document || "prompt" in document);
  return isCapability ? ok({ kind: "document", bytes, origin: path }) : undefined;
}

function parsed(bytes: Uint8Array): Fields | undefined {
  try {
    const document: unknown = parseYaml(new TextDecoder().decode(bytes)); // JSON is YAML
    return typeof document === "object" && document !== null ? (document as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** By name, each as our declaration. */
function serversIn(document: Fields): Record<string, unknown> | undefined {
  const inside = document.mcp as Fields | undefined;
  const clients = document.mcpServers ?? (isFields(inside) ? inside.servers : undefined) ?? document.servers;
  if (Array.isArray(clients)) return fromRegistry(clients);
  if (isFields(clients)) return Object.fromEntries(Object.entries(clients).map(fromClient));
  return "packages" in document || "remotes" in document ? fromRegistry([document]) : undefined;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function fromClient([name, written]: [string, unknown]): [string, unknown] {
  const server = ClientServer.safeParse(written);
  if (!server.success) return [name, undefined];
  const { command, args = [], env, url, serverUrl, headers } = server.data;
  if (command !== undefined) return [name, { name, command, args, ...(env && { env: references(env) }) }];
  const address = url ?? serverUrl;
  return [name, address && { name, url: address, ...(headers && { headers: references(headers) }) }];
}

/** VS Code's `${env:NAME}` and `${input:id}` become `${NAME}` and `${ID}`: a secret that the operator sets. */
const references = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(?:env|input):([\w-]+)\}/g, (_, name: string) => `\${${variableName(name)}}`),
    ]),
  );

const variableName = (name: string): string => name.replaceAll("-", "_").toUpperCase();

const RUNNERS: Readonly<Record<string, (identifier: string, version?: string) => [string, string[]]>> = {
  npm: (identifier, version) => ["npx", ["-y", version ? `${identifier}@${version}` : identifier]],
  pypi: (identifier, version) => ["uvx", [version ? `${identifier}@${version}` : identifier]],
};

function fromRegistry(entries: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const inner = isFields(entry) && isFields(entry.server) ? entry.server : entry;
      const read = RegistryEntry.safeParse(inner);
      return read.success ? [[read.data.name, declarationOf(read.data)]] : [];
    }),
  );
}

/** A package with a known runner is preferred to an address: it needs no external service. */
function declarationOf({ name, packages = [], remotes = [] }: z.infer<typeof RegistryEntry>): unknown {
  const short = name.split("/").at(-1) ?? name;
  for (const each of packages) {
    const runner = RUNNERS[each.registryType ?? each.registry_type ?? ""];
    if (!runner) continue;
    const [command, args] = runner(each.identifier, each.version);
    const more = (each.packageArguments ?? []).flatMap((argument) =>
      argument.value === undefined ? [] : [...(argument.name ? [argument.name] : []), argument.value],
    );
    const env = Object.fromEntries((each.environmentVariables ?? []).map(variableOf));
    return { name: short, command, args: [...args, ...more], env };
  }
  const [remote] = remotes;
  return (
    remote && {
      name: short,
      url: remote.url,
      headers: Object.fromEntries((remote.headers ?? []).map(variableOf)),
    }
  );
}

const variableOf = ({ name, value }: z.infer<typeof Variable>): [string, string] => [
  name,
  value ?? `\${${variableName(name)}}`,
];

function oneServer(
  path: string,
  chosen: string | undefined,
  servers: Readonly<Record<string, unknown>>,
): Result<PackageArchive> {
  const names = Object.keys(servers);
  const name = chosen ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined)
    return fail("package_source_several", { source: path, inside: names.map((each) => `${path}#${each}`) });
  const declaration = servers[name];
  if (declaration === undefined) {
    const why = Object.hasOwn(servers, name)
      ? `its server "${name}" has neither a command, a package of npm or PyPI, nor an address`
      : `it has no server "${name}"; it has ${names.join(", ")}`;
    return fail("archive_refused", { why });
  }
  const bytes = new TextEncoder().encode(`${JSON.stringify(declaration, null, 2)}\n`);
  return ok({ kind: "mcp", bytes, origin: `${path}#${name}` });
}
