/** Builds the studio when its sources are newer than its build: run by `npm install`, and by `npm start` if necessary. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSeparately } from "./separate-build.ts";

const WEB = fileURLToPath(new URL("../packages/web", import.meta.url));
const VITE = fileURLToPath(new URL("../node_modules/vite/bin/vite.js", import.meta.url));

/** Returns why there is no new build; undefined on success, or when none was needed. */
export async function buildStudio(say: (text: string) => void): Promise<string | undefined> {
  if (!existsSync(join(WEB, "index.html")) || newest(WEB) <= builtAt()) return undefined;
  if (!existsSync(VITE)) return "vite is not installed (`npm install` brings it)";
  const build = { script: VITE, args: ["build", "--logLevel", "warn"], cwd: WEB };
  return await buildSeparately({ what: "Building the studio (once after a change)", ...build }, say);
}

function builtAt(): number {
  const index = join(WEB, "dist/index.html");
  return existsSync(index) ? statSync(index).mtimeMs : 0;
}

const NO_SOURCES = ["dist", "node_modules"];

function newest(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NO_SOURCES.includes(name))
    .reduce((latest, entry) => {
      const path = join(folder, entry.name);
      return Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
    }, 0);
}
