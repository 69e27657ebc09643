/** Reads `capstan.config.ts` (or .js, .mjs) from the folder the server is started in, when there is one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CapstanConfig, fail, ok, type Result } from "@capstan/core";

const NAMES = ["capstan.config.ts", "capstan.config.js", "capstan.config.mjs"];

export async function loadConfig(folder: string): Promise<Result<CapstanConfig>> {
  const path = NAMES.map((name) => join(folder, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) return ok({});
  try {
    const loaded = (await import(pathToFileURL(path).href)) as { default?: CapstanConfig };
    return loaded.default === undefined
      ? fail("settings_invalid", { where: `${path} has no default export` })
      : ok(loaded.default);
  } catch (error) {
    return fail("settings_invalid", {
      where: `${path}: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}
