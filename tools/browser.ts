/**
 * A Chromium for browser tests: the system's own if there is one, otherwise the one in node_modules, unpacked once.
 * And the built studio, built once however many test files need it at the same time.
 */
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WEB = join(ROOT, "packages/web");
const CACHE = join(ROOT, "node_modules/.cache/capstan"); // temporary folders are removed after each run of the tests
const SYSTEM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

export async function launchBrowser(): Promise<Browser> {
  const given = process.env.CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path));
  if (given) return chromium.launch({ executablePath: given, args: FLAGS });
  const { executablePath, env } = await unpacked();
  return chromium.launch({
    executablePath,
    args: FLAGS,
    env: { ...process.env, ...env } as Record<string, string>,
  });
}

interface Unpacked {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

/** Unpacks into a folder named by the version; a rename makes it atomic. */
async function unpacked(): Promise<Unpacked> {
  const main = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const bin = join(dirname(main), "../bin");
  const { version } = JSON.parse(readFileSync(join(dirname(main), "../package.json"), "utf8"));
  const folder = join(CACHE, `chromium-${version}`);
  if (!existsSync(folder)) {
    const half = `${folder}.${process.pid}`;
    mkdirSync(half, { recursive: true });
    await writeFile(join(half, "chromium"), brotliDecompressSync(readFileSync(join(bin, "chromium.br"))));
    chmodSync(join(half, "chromium"), 0o755);
    await writeFile(
      join(half, "libraries.tar"),
      brotliDecompressSync(readFileSync(join(bin, "al2023.tar.br"))),
    );
    await run("tar", ["-xf", "libraries.tar"], { cwd: half });
    if (existsSync(folder)) rmSync(half, { recursive: true });
    else renameSync(half, folder);
  }
  const executablePath = join(folder, "chromium");
  const works = await run(executablePath, ["--version"]).then(
    () => true,
    () => false,
  );
  // Its own libraries only where the system lacks them: they are older than most systems' ones.
  return { executablePath, env: works ? {} : { LD_LIBRARY_PATH: join(folder, "lib") } };
}

const LOCK = join(CACHE, "studio-build.lock");
const WAIT_MS = 100;
const LONGEST_BUILD_MS = 120_000; // a lock older than this was left by a process that died

/** Builds the studio unless its build is newer than its sources. */
export async function builtStudio(): Promise<string> {
  while (newest(WEB) > builtAt()) {
    if (!takeLock()) {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      continue;
    }
    try {
      await build({ root: WEB, logLevel: "warn" });
    } finally {
      rmSync(LOCK, { recursive: true, force: true });
    }
  }
  return join(WEB, "dist");
}

function takeLock(): boolean {
  mkdirSync(CACHE, { recursive: true });
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    if (existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > LONGEST_BUILD_MS)
      rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}

function builtAt(): number {
  const index = join(WEB, "dist/index.html");
  return existsSync(index) ? statSync(index).mtimeMs : 0;
}

function newest(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "dist" && name !== "node_modules" && !name.includes(".test."))
    .reduce((latest, entry) => {
      const path = join(folder, entry.name);
      return Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
    }, 0);
}
