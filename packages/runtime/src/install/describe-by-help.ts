/**
 * A package without manifest.json describes itself by printing JSON for `--help`. That runs its code before anyone has
 * reviewed it, so it happens only after a yes and isolated.
 */
import { fail, type Manifest, type Result, readManifest } from "@capstan/core";
import { MANIFEST_MAX_CHARS } from "@capstan/core/internal";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import type { CommandLine } from "../commands/command-line.ts";
import type { CommandOutcome } from "../commands/run-command.ts";
import { runIsolated } from "./run-isolated.ts";

const HELP_MS = 15_000; // Python and its imports on a crowded machine; a manifest is printed, not computed

export async function describeByHelp(
  line: CommandLine,
  isolation: CommandIsolation,
  timeoutMs = HELP_MS,
): Promise<Result<Manifest>> {
  const outcome = await runIsolated(line, ["--help"], { timeoutMs, onFlood: "kill" }, isolation);
  return outcome.ok ? readOutcome(outcome.value, timeoutMs) : outcome;
}

function readOutcome(outcome: CommandOutcome, timeoutMs: number): Result<Manifest> {
  const whys: Record<CommandOutcome["exit"], string | undefined> = {
    exited:
      outcome.code === 0
        ? undefined
        : `--help exited with code ${outcome.code}: ${outcome.stderr.trim().slice(-300)}`,
    timeout: `--help timed out after ${timeoutMs} ms`,
    flooded: `--help printed more than ${MANIFEST_MAX_CHARS} bytes`,
    memory: "--help exceeded its memory limit",
    cancelled: "--help was cancelled",
    "not-started": `it could not be started: ${outcome.stderr.trim().slice(-300)}`,
  };
  const why = whys[outcome.exit];
  if (why) return fail("package_not_described", { why });
  if (!outcome.stdout.trimStart().startsWith("{")) {
    return fail("package_not_described", { why: "--help printed no JSON description" });
  }
  return readManifest(outcome.stdout);
}
