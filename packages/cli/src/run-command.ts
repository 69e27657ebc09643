/** From an argument vector to an exit code: finds the command, parses its options, prints what went wrong with a next step. */

import { parseArgs } from "node:util";
import { type Failure, fail, nearest } from "@capstan/core";
import type { Command, CommandContext } from "./command.ts";
import { COMMANDS } from "./command-table.ts";

export type Surroundings = Omit<CommandContext, "args" | "options" | "json">;

const COMMON = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

export async function runCommand(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const [name = "serve", ...rest] = argv[0]?.startsWith("-") ? ["serve", ...argv] : argv;
  const { terminal } = surroundings;
  if (name === "help" || (name === "serve" && rest.includes("--help"))) {
    terminal.out(overview());
    return 0;
  }
  const entry = COMMANDS[name];
  if (!entry) return explain(unknownCommand(name), surroundings, false);
  const command = await entry.load();
  const parsed = parse(command, rest);
  if ("failure" in parsed) return explain(parsed.failure, surroundings, false);
  if (parsed.options.help) {
    terminal.out(helpOf(command));
    return 0;
  }
  const json = parsed.options.json === true;
  const outcome = await command.run({ ...surroundings, args: parsed.args, options: parsed.options, json });
  return typeof outcome === "number" ? outcome : explain(outcome.failure, surroundings, json);
}

function parse(command: Command, rest: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...rest],
      options: { ...COMMON, ...command.options },
      allowPositionals: true,
    });
    return { options: values as CommandContext["options"], args: positionals };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail("command_invalid", { message, usage: command.usage });
  }
}

function explain(failure: Failure, { terminal }: Surroundings, json: boolean): number {
  if (json)
    terminal.err(
      `${JSON.stringify({ code: failure.code, message: failure.message, nextStep: failure.nextStep })}\n`,
    );
  else terminal.err(`${failure.message}\n  ${failure.nextStep}\n`);
  return 1;
}

const unknownCommand = (name: string): Failure =>
  fail("command_unknown", { name, nearest: nearest(name, Object.keys(COMMANDS)) }).failure;

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: capstan <command> [options]\n\n${rows.join("\n")}\n\nEvery command takes --help and, where it lists or answers, --json.\nCAPSTAN_URL names the server to talk to; without it the local one is used, and started when none runs.\n`;
}

function helpOf({ usage, summary, options = {}, examples = [] }: Command): string {
  const rows = Object.entries({ ...options, json: { type: "boolean" } }).map(
    ([name, { type }]) => `  --${name}${type === "string" ? " <value>" : ""}`,
  );
  const shown =
    examples.length > 0 ? `\nExamples:\n${examples.map((example) => `  ${example}`).join("\n")}\n` : "";
  return `Usage: ${usage}\n\n${summary}\n\nOptions:\n${rows.join("\n")}\n${shown}`;
}
