/**
 * npm packages in a cache outside the repository, for tests with programs and libraries that `npm install` must not bring:
 * too large, or in a version that another package would get too. A folder is complete or absent.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const CACHE = process.env.CAPSTAN_CLIENTS_CACHE ?? join(homedir(), ".cache", "capstan-clients");
const LONGEST_INSTALL_MS = 300_000; // CopilotKit is 700 MB: 100 s on a good line

export interface Depended {
  /** What they depend on is as it was on that day. */
  readonly before: string;
  /** Versions of what they depend on: a registry may list a package before it has what that package needs. */
  readonly overrides: Readonly<Record<string, string>>;
}

/**
 * The folder with these packages (`name@version`) in its node_modules; `undefined`, with a word on stderr, where the
 * registry is out of reach. A registry that answers and lacks a version is a fault, not a skipped test. Install scripts do
 * not run.
 */
export function cachedPackages(
  name: string,
  packages: readonly string[],
  depended?: Depended,
): string | undefined {
  const dated = depended === undefined ? [] : [`--before=${depended.before}`];
  const overrides = depended?.overrides ?? {};
  const key = createHash("sha256")
    .update([...packages, ...dated, ...Object.entries(overrides).map((each) => each.join("@"))].join("\n"))
    .digest("hex")
    .slice(0, 12);
  const folder = join(CACHE, `${name}-${key}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const half = mkdtempSync(join(CACHE, `${name}-`));
  try {
    writeFileSync(
      join(half, "package.json"),
      `${JSON.stringify({ private: true, type: "module", overrides })}\n`,
    );
    if (!npmInstall(half, packages, dated)) return undefined;
    if (!existsSync(folder)) renameSync(half, folder);
    return folder;
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

function npmInstall(folder: string, packages: readonly string[], dated: readonly string[]): boolean {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"];
  // Peer packages of integrations that nobody uses would double the size.
  const small = ["--legacy-peer-deps", "--prefer-offline"];
  const { status, stderr } = spawnSync(
    "npm",
    [
      "install",
      ...quiet,
      ...small,
      ...dated,
      "--fetch-retries=1",
      "--fetch-retry-mintimeout=1000",
      ...packages,
    ],
    {
      cwd: folder,
      encoding: "utf8",
      timeout: LONGEST_INSTALL_MS,
    },
  );
  if (status === 0) return true;
  const why = `Not installed: ${packages.join(", ")}. ${(stderr ?? "").split("\n").slice(0, 3).join(" ")}`;
  if (/code (?:ETARGET|E404|ERESOLVE)/.test(stderr ?? "")) throw new Error(why);
  console.error(why);
  return false;
}
