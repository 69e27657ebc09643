/** Reads agents and rules from files: YAML (several documents in one file), JSON, and TypeScript with a default export. */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type AgentFile, parseAgentFile } from "@capstan/client/wire";
import { fail, ok, type Refused, type Result } from "@capstan/core";
import { parseClearJson } from "@capstan/core/internal";
import { parseAllDocuments } from "yaml";
import { type FoundRule, isRulesFile, parseRulesFile } from "../rules/rule-plan.ts";

export interface FoundAgent {
  readonly path: string;
  readonly file: AgentFile;
}

type Read = (path: string) => Promise<unknown[]>;

/** A module may export one agent or several; one without a default export is a helper of the others. */
const readModule: Read = async (path) => {
  const { default: made } = (await import(pathToFileURL(path).href)) as { default?: unknown };
  return made === undefined ? [] : [made].flat();
};

const READERS: Readonly<Record<string, Read>> = {
  ".yaml": readYaml,
  ".yml": readYaml,
  ".json": async (path) => [parseClearJson(await readFile(path, "utf8"))].flat(),
  ".ts": readModule,
  ".mts": readModule,
  ".js": readModule,
  ".mjs": readModule,
};

export interface FoundFiles {
  readonly agents: readonly FoundAgent[];
  readonly rules: readonly FoundRule[];
}

export async function readAgentFiles(place: string): Promise<Result<FoundFiles>> {
  const paths = await pathsIn(resolve(place));
  if (!paths.ok) return paths;
  const found: FoundAgent[] = [];
  const rules: FoundRule[] = [];
  for (const path of paths.value) {
    const shown = relative(process.cwd(), path) || path;
    const read = await readOne(path);
    const parsed = read.ok ? parseAll(shown, read.value, { found, rules }) : read;
    if (!parsed.ok) return located(shown, parsed);
  }
  if (found.length + rules.length > 0) return twice(found) ?? ok({ agents: found, rules });
  return fail("agent_file_invalid", { where: `${place} contains no agent and no rules` });
}

function parseAll(
  path: string,
  documents: readonly unknown[],
  { found, rules }: { readonly found: FoundAgent[]; readonly rules: FoundRule[] },
): Result<true> {
  for (const document of documents) {
    const parsed = isRulesFile(document) ? parseRulesFile(document) : parseAgentFile(document);
    if (!parsed.ok) return parsed;
    if (Array.isArray(parsed.value)) rules.push(...parsed.value.map((rule) => ({ path, rule })));
    else found.push({ path, file: parsed.value });
  }
  return ok(true);
}

async function pathsIn(place: string): Promise<Result<string[]>> {
  const found = await stat(place).catch(() => undefined);
  if (!found) return fail("path_refused", { why: `there is no file or folder ${place}` });
  if (found.isFile()) return ok([place]);
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const outside = (path: string) => !relative(place, path).split(/[\\/]/).includes("node_modules");
  return ok(files.filter((path) => extname(path) in READERS && outside(path)).sort());
}

async function readOne(path: string): Promise<Result<unknown[]>> {
  const reader = READERS[extname(path)];
  if (!reader) return fail("agent_file_invalid", { where: "it is neither YAML nor JSON nor TypeScript" });
  try {
    return ok(await reader(path));
  } catch (error) {
    return fail("agent_file_invalid", { where: error instanceof Error ? error.message : String(error) });
  }
}

async function readYaml(path: string): Promise<unknown[]> {
  const documents = parseAllDocuments(await readFile(path, "utf8"));
  if (!Array.isArray(documents)) return []; // an empty file
  return documents.flatMap((document) => {
    const [broken] = document.errors;
    if (broken) throw broken;
    return document.toJS({ maxAliasCount: 100 }) ?? [];
  });
}

/** Two files for one agent would overwrite each other on every apply. */
function twice(found: readonly FoundAgent[]): Refused | undefined {
  const seen = new Map<string, string>();
  for (const { path, file } of found) {
    const before = seen.get(file.name);
    if (before !== undefined)
      return fail("agent_file_invalid", { where: `${before} and ${path} both describe "${file.name}"` });
    seen.set(file.name, path);
  }
  return undefined;
}

export const located = (path: string, { failure }: Refused): Refused => ({
  ok: false,
  failure: { ...failure, message: `${path}: ${failure.message}` },
});
