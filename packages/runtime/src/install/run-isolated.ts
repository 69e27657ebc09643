/**
 * Runs an unreviewed command, to read how it describes itself: without network, as another user, in an
 * empty folder, with little time, memory and output. Only called with consent.
 */
import { chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "@capstan/core";
import { MANIFEST_MAX_CHARS } from "@capstan/core/internal";
import { type CommandIsolation, ownerOf, uidIn } from "../commands/command-isolation.ts";
import type { CommandLine } from "../commands/command-line.ts";
import { type CommandOutcome, runCommand } from "../commands/run-command.ts";

const MEMORY_BYTES = 512 * 1024 * 1024;

export async function runIsolated(
  { argv, readable }: CommandLine,
  words: readonly string[],
  limits: { timeoutMs: number; onFlood: "kill" | "cut" },
  isolation: CommandIsolation,
): Promise<Result<CommandOutcome>> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-help-"));
  try {
    const home = join(folder, "home");
    await mkdir(home);
    const uid = uidIn(isolation, "nobody@describe.invalid");
    const owner = ownerOf(isolation, uid);
    if (owner !== undefined) await Promise.all([chown(folder, owner, owner), chown(home, owner, owner)]);
    return await runCommand(
      {
        argv: [...argv, ...words],
        cwd: home,
        env: {
          PATH: "/usr/local/bin:/usr/bin:/bin",
          HOME: home,
          TMPDIR: home,
          LANG: "C.UTF-8",
          COLUMNS: "120",
          NO_COLOR: "1",
          PAGER: "cat",
        },
        ...limits,
        maxOutputBytes: MANIFEST_MAX_CHARS,
        maxMemoryBytes: MEMORY_BYTES,
        network: "none",
        uid,
        readable,
        writable: [home],
      },
      isolation,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
