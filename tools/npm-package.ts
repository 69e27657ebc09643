/** A package's files from the registry, fetched once and cached in node_modules; never part of the repository. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/capstan/openapi", import.meta.url));

export async function packageFolder(name: string, version: string): Promise<string> {
  const base = `${name.replace("@", "").replace("/", "-")}-${version}`;
  const folder = join(CACHE, base);
  if (existsSync(join(folder, "package/package.json"))) return join(folder, "package");
  mkdirSync(folder, { recursive: true });
  const run = promisify(execFile);
  await run("npm", ["pack", "--silent", "--pack-destination", CACHE, `${name}@${version}`]);
  await run("tar", ["xzf", join(CACHE, `${base}.tgz`), "-C", folder]);
  return join(folder, "package");
}
