/**
 * Writes docs/api.md from the OpenAPI document and docs/cli.md from the command table: `node tools/references.ts`.
 * Tests fail when either is stale.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "../packages/cli/src/command-table.ts";
import { ROOT } from "./docs-blocks.ts";

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly "x-capstan-right"?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses?: Readonly<Record<string, Answer>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}
interface Answer {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const MADE = "<!-- Made by `node tools/references.ts`; changes here are lost. -->";

export function apiReference({ paths, components }: OpenApi): string {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const tags = [...new Set(routes.map(({ tags }) => tags?.[0] ?? "other"))].sort();
  const sections = tags.map((tag) => {
    const own = routes.filter(({ tags }) => (tags?.[0] ?? "other") === tag);
    return `## ${tag}\n\n${own.map((route) => routeText(route)).join("\n\n")}`;
  });
  const schemas = Object.entries(components?.schemas ?? {})
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .map(([name, schema]) => `### ${name}\n\n${schemaText(schema)}`);
  return `# HTTP API

${MADE}

A running server has the same at \`/docs\`, and for programs at \`/openapi.json\`. Each route names the right an API key needs for it
(\`read\`, \`run\`, \`author\` or \`admin\`; on loopback none is asked for). Refusals are JSON with \`code\`, \`message\` and \`nextStep\`.
[TypeScript client](../packages/client), [discovery and AG-UI](discovery.md), [MCP](mcp.md).

${tags.map((tag) => `[${tag}](#${tag.replaceAll(" ", "-")})`).join(" · ")} · [schemas](#schemas)

${sections.join("\n\n")}

## Schemas

${schemas.join("\n\n")}
`;
}

function routeText({ path, method, ...operation }: Operation & { path: string; method: string }): string {
  const right = operation["x-capstan-right"];
  const lines = [
    `**${method.toUpperCase()}** \`${path}\`${right ? ` (${right})` : ""}: ${operation.summary ?? ""}`,
    "",
    ...(operation.parameters ?? [])
      .filter(({ in: where }) => where !== "path")
      .map(
        ({ name, in: where, required, description = "", schema = {} }) =>
          `- ${where} \`${name}\`${required ? " (required)" : ""}: ${typeOf(schema)}${said(description || schema.description)}`,
      ),
    ...bodyLines(operation),
    ...Object.entries(operation.responses ?? {}).map(([status, answer]) => answerLine(status, answer)),
  ];
  return lines.join("\n");
}

function bodyLines({ requestBody }: Operation): string[] {
  return Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema = {} }]) => [
    `- body ${type === "application/json" ? "" : `\`${type}\` `}${typeOf(schema)}`,
    ...fieldsOf(schema).map((line) => `  ${line}`),
  ]);
}

function answerLine(status: string, { description = "", content = {} }: Answer): string {
  const types = Object.entries(content).map(([type, { schema = {} }]) =>
    type === "application/json" ? typeOf(schema) : `\`${type}\``,
  );
  return `- ${status}: ${line(description)}${types.length > 0 ? ` ${types.join(", ")}` : ""}`;
}

function schemaText(schema: Schema): string {
  const fields = fieldsOf(schema);
  return fields.length > 0 ? fields.join("\n") : typeOf(schema);
}

function fieldsOf({ properties = {}, required = [], allOf = [] }: Schema): string[] {
  const own = Object.entries(properties).map(
    ([name, field]) =>
      `- \`${name}\`${required.includes(name) ? " (required)" : ""}: ${typeOf(field)}${said(field.description)}`,
  );
  const inherited = allOf.flatMap((part) => (part.$ref ? [`- all of ${typeOf(part)}`] : fieldsOf(part)));
  return [...inherited, ...own];
}

function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(schema.allOf ? " and " : " or ");
  const usual = schema.default === undefined ? "" : `, \`${JSON.stringify(schema.default)}\` by default`;
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}${usual}`;
  const type = [schema.type ?? "anything"].flat().join(" or ");
  return `${schema.format ? `${type} (${schema.format})` : type}${usual}`;
}

export async function cliReference(): Promise<string> {
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, entry]) => ({ name, entry, command: await entry.load() })),
  );
  const sections = commands.map(({ name, command }) => {
    const options = Object.entries(command.options ?? {}).map(
      ([option, { type, multiple }]) =>
        `- \`--${option}${type === "string" ? " <value>" : ""}\`${multiple ? ", any number of times" : ""}`,
    );
    const examples = command.examples ?? [];
    return [
      `## ${name}`,
      "",
      `\`${command.usage}\``,
      "",
      command.summary,
      ...(options.length > 0 ? ["", ...options] : []),
      ...(examples.length > 0 ? ["", "```sh no-run: examples of a command", ...examples, "```"] : []),
    ].join("\n");
  });
  const rows = commands.map(({ name, entry }) => `| [${name}](#${name}) | ${entry.summary} |`);
  return `# Command line

${MADE}

\`npx capstan <command>\`; \`capstan\` alone starts the server. Every command takes \`--help\`; commands with output also take \`--json\`. Errors go to
stderr with a next step and exit code 1. \`CAPSTAN_URL\` and \`CAPSTAN_KEY\` name another server than the local one, which is started when none runs.

| command | |
|---|---|
${rows.join("\n")}

${sections.join("\n\n")}
`;
}

const line = (text: string): string => text.replace(/\s+/g, " ").trim();
const said = (description: string | undefined): string => (description ? `. ${line(description)}` : "");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { openLog, parseSettings, startServer } = await import("../packages/server/src/index.ts");
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-references-"));
  const settings = parseSettings({ PORT: "0", CAPSTAN_DATA_DIR: dataDir });
  if (!settings.ok) throw new Error(settings.failure.message);
  const server = await startServer(settings.value, openLog(console.error, false));
  if (!server.ok) throw new Error(server.failure.message);
  const document = (await (await fetch(`${server.value.url}/openapi.json`)).json()) as OpenApi;
  writeFileSync(join(ROOT, "docs/api.md"), apiReference(document));
  writeFileSync(join(ROOT, "docs/cli.md"), await cliReference());
  await server.value.close();
  rmSync(dataDir, { recursive: true, force: true });
}
