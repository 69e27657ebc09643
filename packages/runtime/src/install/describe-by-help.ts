/**
 * A package without manifest.json describes itself by printing JSON for `--help`. That runs its code before anyone has
 * reviewed it, so it happens only after a yes, without network, in an empty folder, with little time and output.
 */
import { chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, type Manifest, type Result, readManifest } from "@capstan/core";
import { MANIFEST_MAX_CHARS } from "@capstan/core/internal";
import { type CommandIsolation, ownerOf, uidFor } from "../commands/command-isolation.ts";
import type { CommandLine } from "../commands/command-line.ts";
import { type CommandOutcome, runCommand } from "../commands/run-command.ts";

const HELP_MS = 15_000; // Python and its imports on a crowded machine; a manifest is printed, not computed
const HELP_MEMORY_BYTES = 512 * 1024 * 1024;

export async function describeByHelp(
  { argv, readable }: CommandLine,
  isolation: CommandIsolation,
  timeoutMs = HELP_MS,
): Promise<Result<Manifest>> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-help-"));
  try {
    const home = join(folder, "home");
    await mkdir(home);
    const uid = uidFor("nobody@describe.invalid");
    const owner = ownerOf(isolation, uid);
    if (owner !== undefined) await Promise.all([chown(folder, owner, owner), chown(home, owner, owner)]);
    const outcome = await runCommand(
      {
        argv: [...argv, "--help"],
        cwd: home,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: home, LANG: "C.UTF-8" },
        timeoutMs,
        maxOutputBytes: MANIFEST_MAX_CHARS,
        onFlood: "kill",
        maxMemoryBytes: HELP_MEMORY_BYTES,
        network: false,
        uid,
        readable,
        writable: [home],
      },
      isolation,
    );
    return outcome.ok ? readOutcome(outcome.value, timeoutMs) : outcome;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readOutcome(outcome: CommandOutcome, timeoutMs: number): Result<Manifest> {
  const whys: Record<CommandOutcome["exit"], string | undefined> = {
    exited:
      outcome.code === 0
        ? undefined
        : `--help ended with code ${outcome.code}: ${outcome.stderr.trim().slice(-300)}`,
    timeout: `--help did not end within ${timeoutMs} ms`,
    flooded: `--help printed more than ${MANIFEST_MAX_CHARS} bytes`,
    memory: "--help took too much memory",
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
