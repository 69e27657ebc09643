/**
 * Reads `capstan.config.ts` (or .mts, .js, .mjs) from the folder the server is started in, if it exists. It is an ES
 * module whatever its package.json says: `npm init -y` writes `"type": "commonjs"`.
 */
import { existsSync, readFileSync } from "node:fs";
import { findPackageJSON, registerHooks } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CapstanConfig, fail, ok, type Result } from "@capstan/core";
import { unknownField } from "@capstan/core/internal";

const NAMES = ["capstan.config.ts", "capstan.config.mts", "capstan.config.js", "capstan.config.mjs"];
/** A misspelt field would be silently ignored. */
const FIELDS: Readonly<Record<keyof CapstanConfig, true>> = {
  capabilities: true,
  documents: true,
  codingAgents: true,
  scorers: true,
};

export async function loadConfig(folder: string): Promise<Result<CapstanConfig>> {
  const path = NAMES.map((name) => join(folder, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) return ok({});
  const refuse = (why: string) => fail("config_invalid", { file: path, why });
  try {
    const loaded = await importModule(path, folder);
    if (typeof loaded.default !== "object" || loaded.default === null)
      return refuse("it has no default export; end it with `export default defineConfig({ ... })`");
    const unknown = Object.keys(loaded.default).filter((field) => !Object.hasOwn(FIELDS, field));
    if (unknown.length > 0)
      return refuse(unknown.map((field) => unknownField(field, Object.keys(FIELDS))).join("; "));
    return ok(loaded.default);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

interface ConfigModule {
  readonly default?: CapstanConfig;
}

async function importModule(path: string, folder: string): Promise<ConfigModule> {
  const { href } = pathToFileURL(path);
  if (!isTakenForCommonJs(path)) return import(href);
  const hooks = readAsModules(pathToFileURL(`${folder}/`).href);
  try {
    return await import(href);
  } finally {
    hooks.deregister();
  }
}

/** A module by what is in it, in a package that does not say `"type": "module"`: Node would try it as CommonJS, and warn. */
function isTakenForCommonJs(path: string): boolean {
  const file = /\.[tj]s$/.test(path) ? findPackageJSON(pathToFileURL(path)) : undefined;
  if (file === undefined || basename(file) !== "package.json") return false; // without one, Node answers with the module itself
  const { type } = JSON.parse(readFileSync(file, "utf8")) as { type?: string };
  return type !== "module" && /^\s*(?:import|export)\b/m.test(readFileSync(path, "utf8"));
}

const FORMATS: Readonly<Record<string, string>> = { ts: "module-typescript", js: "module" };

/** Files of the project itself, not of its packages. */
function readAsModules(project: string): { deregister(): void } {
  return registerHooks({
    load(url, context, nextLoad) {
      const format = FORMATS[/\.(ts|js)(\?|$)/.exec(url)?.[1] ?? ""];
      const isOwn = url.startsWith(project) && !url.includes("/node_modules/");
      return nextLoad(url, format !== undefined && isOwn ? { ...context, format } : context);
    },
  });
}
