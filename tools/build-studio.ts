/**
 * Builds the studio when its sources are newer than its build: run by `npm install`, and by `npm start` if necessary.
 * In a separate process, because a build takes 450 MB that a server would keep.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("../packages/web", import.meta.url));
const VITE = fileURLToPath(new URL("../node_modules/vite/bin/vite.js", import.meta.url));
const SHOWN_LINES = 4;

/** Returns why there is no new build; undefined on success, or when none was needed. */
export async function buildStudio(say: (text: string) => void): Promise<string | undefined> {
  if (!existsSync(join(WEB, "index.html")) || newest(WEB) <= builtAt()) return undefined;
  if (!existsSync(VITE)) return "vite is not installed (`npm install` brings it)";
  const seconds = secondsShown(say, "Building the studio (once after a change)");
  const child = spawn(process.execPath, [VITE, "build", "--logLevel", "warn"], {
    cwd: WEB,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (bytes) => {
    errors += bytes;
  });
  const ending = await new Promise<number | NodeJS.Signals>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? code ?? 1)),
  );
  seconds.stop();
  if (ending === 0) return undefined;
  if (ending === "SIGKILL") return "it was killed, probably because memory ran out: a build takes 450 MB";
  if (errors.includes("Cannot find native binding"))
    return "npm left out its optional packages, which the build needs. Run `npm install --include=optional`.";
  return errors.trim().split("\n").slice(0, SHOWN_LINES).join("\n  ");
}

/** On a terminal the seconds are counted; elsewhere it is one line. */
function secondsShown(say: (text: string) => void, what: string): { stop(): void } {
  say(`${what} ...`);
  if (!process.stdout.isTTY) {
    say("\n");
    return { stop: () => {} };
  }
  let seconds = 0;
  const timer = setInterval(() => say(`\r${what} ... ${++seconds} s`), 1000);
  return {
    stop() {
      clearInterval(timer);
      say("\n");
    },
  };
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
