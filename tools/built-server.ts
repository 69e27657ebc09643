/**
 * The server's bundle for `npm start`: made by `npm install`, run as long as no source is newer. After a change a start
 * runs the sources instead of waiting for a new bundle. Each bundle has a folder of its own, and the one before it stays,
 * because a server that is still running loads parts of it later.
 */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAMS } from "./programs.ts";
import { buildSeparately } from "./separate-build.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SCRIPT = fileURLToPath(import.meta.url);
const BUNDLES = "packages/server/.built";
const SOURCES = "sources.json"; // written last: a folder without it is not finished
const LOCK = "package-lock.json"; // stands for everything in node_modules

/** Returns why there is no new bundle; undefined on success, or when none was needed. */
export async function buildServer(say: (text: string) => void): Promise<string | undefined> {
  if (builtServer() !== undefined) return undefined;
  if (!existsSync(join(ROOT, "node_modules/rolldown"))) return "rolldown is not installed";
  return await buildSeparately({ what: "Bundling the server", script: SCRIPT, cwd: ROOT }, say);
}

/** The entry of the newest bundle, if nothing it was made of has changed since. */
export function builtServer(root = ROOT): string | undefined {
  const folder = bundlesIn(root).at(-1);
  if (folder === undefined) return undefined;
  const list = join(folder, SOURCES);
  const builtAt = statSync(list).mtimeMs;
  const isUnchanged = (file: string) => {
    const found = statSync(join(root, file), { throwIfNoEntry: false });
    return found !== undefined && found.mtimeMs <= builtAt;
  };
  const sources: readonly string[] = JSON.parse(readFileSync(list, "utf8"));
  return sources.every(isUnchanged) ? join(folder, "dist/main.js") : undefined;
}

/** Finished ones, the newest last. */
function bundlesIn(root: string): string[] {
  const folder = join(root, BUNDLES);
  if (!existsSync(folder)) return [];
  const finished = readdirSync(folder).filter((name) => existsSync(join(folder, name, SOURCES)));
  return finished.sort((a, b) => Number(a) - Number(b)).map((name) => join(folder, name));
}

async function writeBundle(): Promise<void> {
  const { bundle } = await import("./bundle.ts"); // loads the bundler, which a start does not need
  const folder = join(ROOT, BUNDLES, String(Date.now()));
  const dist = join(folder, "dist");
  const modules: string[] = [];
  for (const each of PROGRAMS.server.bundles) modules.push(...(await bundle(each, dist)));
  for (const [from, place] of Object.entries(PROGRAMS.server.assets)) {
    cpSync(join(ROOT, from), join(folder, place), { recursive: true });
    modules.push(...filesIn(join(ROOT, from)));
  }
  symlinkSync(join(ROOT, "packages/web/dist"), join(dist, "web"), "junction"); // rebuilt by itself
  const ours = modules.map((file) => relative(ROOT, file)).filter((file) => /^packages\b/.test(file));
  for (const old of bundlesIn(ROOT).slice(0, -1)) rmSync(old, { recursive: true, force: true });
  writeFileSync(join(folder, SOURCES), JSON.stringify([LOCK, ...new Set(ours)]));
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

if (process.argv[1] === SCRIPT) await writeBundle();
