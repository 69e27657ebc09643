/**
 * Installs coding agents from npm into a cache outside the repository, for tests that run the real programs.
 *
 *   node tools/install-agents.ts                 the six of the agents lane
 *   node tools/install-agents.ts claude gemini   only these
 *
 * The cache is `CAPSTAN_AGENTS_CACHE`, else `~/.cache/capstan-agents`; each agent has a separate folder in it. One that is
 * installed in the right version is skipped. What cannot be installed is reported, and the rest continues.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The versions that the manifests were verified with. */
const PACKAGES: Readonly<Record<string, readonly [name: string, version: string]>> = {
  claude: ["@anthropic-ai/claude-code", "2.1.328"],
  gemini: ["@google/gemini-cli", "0.61.0"],
  copilot: ["@github/copilot", "1.0.102"],
  codex: ["@openai/codex", "0.169.0"],
  opencode: ["opencode-ai", "1.18.33"],
  pi: ["@earendil-works/pi-coding-agent", "0.87.1"],
  omp: ["@oh-my-pi/pi-coding-agent", "18.2.3"],
  openclaw: ["openclaw", "2026.9.6"],
};
/** Only when they are named: large, slow, and tried in the slow lane. */
const ON_DEMAND = ["omp", "openclaw"];
/** What a package runs on and does not bring. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { omp: ["bun@1.3.14"] };
const INSTALL_TIMEOUT_MS = 600_000;

const cache = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const wanted =
  process.argv.length > 2
    ? process.argv.slice(2)
    : Object.keys(PACKAGES).filter((agent) => !ON_DEMAND.includes(agent));
const failed = wanted.filter((agent) => !install(agent));
if (failed.length > 0) console.error(`Not installed: ${failed.join(", ")}.`);
process.exitCode = failed.length > 0 ? 1 : 0;

function install(agent: string): boolean {
  const known = PACKAGES[agent];
  if (!known) {
    console.error(`Unknown agent "${agent}"; there are ${Object.keys(PACKAGES).join(", ")}.`);
    return false;
  }
  const [name, version] = known;
  const folder = join(cache, agent);
  if (installedVersion(folder, name) === version) {
    console.log(`${agent} ${version} is there`);
    return true;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true })}\n`);
  console.log(`installing ${name}@${version}`);
  // With scripts: two of them are stubs until their postinstall ran.
  const { status } = spawnSync(
    "npm",
    [
      "install",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      `${name}@${version}`,
      ...(BESIDE[agent] ?? []),
    ],
    {
      cwd: folder,
      stdio: "inherit",
      timeout: INSTALL_TIMEOUT_MS,
    },
  );
  return status === 0 && installedVersion(folder, name) === version;
}

function installedVersion(folder: string, name: string): string | undefined {
  const path = join(folder, "node_modules", name, "package.json");
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version
    : undefined;
}
