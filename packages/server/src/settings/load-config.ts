/** Reads `capstan.config.ts` (or .js, .mjs) from the folder the server is started in, when there is one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CapstanConfig, fail, ok, type Result } from "@capstan/core";

const NAMES = ["capstan.config.ts", "capstan.config.js", "capstan.config.mjs"];
/** A misspelt field would be left out in silence. */
const FIELDS: Readonly<Record<keyof CapstanConfig, true>> = {
  capabilities: true,
  documents: true,
  codingAgents: true,
};

export async function loadConfig(folder: string): Promise<Result<CapstanConfig>> {
  const path = NAMES.map((name) => join(folder, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) return ok({});
  const refuse = (why: string) => fail("config_invalid", { file: path, why });
  try {
    const loaded = (await import(pathToFileURL(path).href)) as { default?: CapstanConfig };
    if (typeof loaded.default !== "object" || loaded.default === null)
      return refuse("it has no default export; end it with `export default defineConfig({ ... })`");
    const unknown = Object.keys(loaded.default).filter((field) => !Object.hasOwn(FIELDS, field));
    if (unknown.length > 0)
      return refuse(`it knows no ${unknown.join(", ")}; there is ${Object.keys(FIELDS).join(", ")}`);
    return ok(loaded.default);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}
