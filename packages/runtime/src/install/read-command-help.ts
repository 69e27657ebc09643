/** Asks a command for its help in the usual ways, isolated, until one of them is answered with help. */
import { fail, ok, type Result } from "@capstan/core";
import { type CommandHelp, isHelp, readHelp } from "@capstan/core/internal";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import type { CommandLine } from "../commands/command-line.ts";
import type { CommandOutcome } from "../commands/run-command.ts";
import { runIsolated } from "./run-isolated.ts";

const HELP_MS = 15_000;
const WAYS = ["--help", "-h", "help"];

export interface HelpReader {
  readonly line: CommandLine;
  readonly program: string;
  readonly isolation: CommandIsolation;
  readonly timeoutMs?: number | undefined;
}

export async function readCommandHelp(
  { line, program, isolation, timeoutMs = HELP_MS }: HelpReader,
  subcommand: readonly string[] = [],
): Promise<Result<{ help: CommandHelp; text: string }>> {
  let why = "";
  for (const way of subcommand.length > 0 ? WAYS.slice(0, 2) : WAYS) {
    const outcome = await runIsolated(line, [...subcommand, way], { timeoutMs, onFlood: "cut" }, isolation);
    if (!outcome.ok) return outcome;
    for (const text of [outcome.value.stdout, outcome.value.stderr]) {
      const help = readHelp(text, program, subcommand);
      if (isHelp(help)) return ok({ help, text });
    }
    why = whyNot(outcome.value, way, timeoutMs) || why;
  }
  return fail("wrap_no_help", { program: [program, ...subcommand].join(" "), tried: WAYS, why });
}

/** The version in its own output, if any. */
export async function readVersion({ line, isolation }: HelpReader): Promise<string | undefined> {
  for (const way of ["--version", "-V"]) {
    const outcome = await runIsolated(line, [way], { timeoutMs: HELP_MS, onFlood: "cut" }, isolation);
    const said = outcome.ok ? `${outcome.value.stdout}\n${outcome.value.stderr}` : "";
    const found = /\b(\d+\.\d+(?:\.\d+)?)/.exec(said)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function whyNot({ exit, stdout, stderr }: CommandOutcome, way: string, timeoutMs: number): string {
  if (exit === "timeout") return `${way} did not end within ${timeoutMs} ms`;
  return (stderr.trim() || stdout.trim()).split("\n").at(-1)?.slice(0, 300) ?? "";
}
