/** From an argument vector to an exit code: finds the command, parses its options, prints errors with a next step. */

import { parseArgs } from "node:util";
import { type Failure, fail } from "@capstan/core";
import { nearest } from "@capstan/core/internal";
import { withAgentId } from "./agents/agent-option.ts";
import type { Command, CommandContext } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { jsonDocument, jsonLine } from "./json-text.ts";
import { LoginFileRefused } from "./stored-login.ts";

export type Surroundings = Omit<CommandContext, "args" | "options" | "json" | "print">;

const COMMON = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

export async function runCommand(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  const [name = "serve", ...rest] = spoken(argv);
  if (name === "help") {
    terminal.out(overview());
    return 0;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const wantsJson = rest.includes("--json"); // also when the rest cannot be read
  if (!entry) return explain(unknownCommand(name), surroundings, wantsJson);
  const command = await entry.load();
  const parsed = parse(command, rest);
  if ("failure" in parsed) return explain(parsed.failure, surroundings, wantsJson);
  const { args, options } = parsed;
  if (options.help) {
    terminal.out(helpOf(command));
    return 0;
  }
  const json = options.json === true;
  const print: CommandContext["print"] = (value, text) => {
    terminal.out(json ? jsonDocument(value) : typeof text === "string" ? text : text());
    return 0;
  };
  const run = async () => {
    const meant = await withAgentId(options, surroundings.server);
    return meant.ok ? command.run({ ...surroundings, args, options: meant.value, json, print }) : meant;
  };
  const outcome = await run().catch(systemRefusal);
  return typeof outcome === "number" ? outcome : explain(outcome.failure, surroundings, json);
}

/** Normalises the vector: `--help` is `help`, `help agents` is `agents --help`, options alone belong to `serve`. */
function spoken(argv: readonly string[]): readonly string[] {
  const [first = "", about] = argv;
  if (first === "help" && about !== undefined && !about.startsWith("-")) return [about, "--help"];
  if (first === "--help" || first === "-h") return ["help"];
  return first.startsWith("-") ? ["serve", ...argv] : argv;
}

/** A local file or folder that cannot be used; anything else that is thrown is a bug, and shows its stack. */
function systemRefusal(error: NodeJS.ErrnoException): { readonly failure: Failure } {
  if (error instanceof LoginFileRefused)
    return fail("login_file_refused", { file: error.file, why: error.message });
  if (error.code === undefined || error.path === undefined) throw error;
  return fail("path_refused", { why: error.message });
}

function parse(command: Command, rest: readonly string[]) {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...rest],
      options: { ...COMMON, ...command.options },
      allowPositionals: true,
      tokens: true,
    });
    const message = givenTwice(command, tokens);
    if (message !== undefined) return fail("command_invalid", { message, usage: command.usage });
    return { options: values as CommandContext["options"], args: positionals };
  } catch (error) {
    return fail("command_invalid", { message: misread(command, error as Error), usage: command.usage });
  }
}

/** `parseArgs` would keep the last value and drop the others. */
function givenTwice(
  { options = {} }: Command,
  tokens: readonly { readonly kind: string; readonly name?: string }[],
): string | undefined {
  const given = new Set<string>();
  const twice = tokens.find(({ kind, name = "" }) => {
    const holdsOne = kind === "option" && options[name]?.type === "string" && !options[name].multiple;
    return holdsOne && given.size === given.add(name).size;
  });
  return twice && `--${twice.name} is given twice`;
}

/** `parseArgs`' message, without its advice about positional arguments; for a misspelt option, with a suggestion. */
function misread({ options = {} }: Command, { message }: Error): string {
  const [said = ""] = message.split(". ");
  const option = /^Unknown option '--?([^']+)'/.exec(said)?.[1];
  if (option === undefined) return said;
  const near = nearest(option, Object.keys({ ...COMMON, ...options })).map((name) => `--${name}`);
  return `${said.replace("Unknown", "unknown")}${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : ""}`;
}

function explain(failure: Failure, { terminal }: Surroundings, json: boolean): number {
  const { code, message, nextStep } = failure;
  if (json) terminal.err(jsonLine({ code, message, nextStep }));
  else terminal.err(`${failure.message}\n  ${failure.nextStep}\n`);
  return 1;
}

const unknownCommand = (name: string): Failure =>
  fail("command_unknown", { name, nearest: nearest(name, Object.keys(COMMANDS)) }).failure;

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: capstan <command> [options]\n\n${rows.join("\n")}\n\nEvery command takes --help; commands with output also take --json.\nCommands use the local server and start it if needed. Set CAPSTAN_URL to use another server.\n`;
}

function helpOf({ usage, summary, options = {}, examples = [] }: Command): string {
  const rows = Object.entries({ ...options, json: { type: "boolean" } }).map(
    ([name, { type }]) => `  --${name}${type === "string" ? " <value>" : ""}`,
  );
  const shown =
    examples.length > 0 ? `\nExamples:\n${examples.map((example) => `  ${example}`).join("\n")}\n` : "";
  return `Usage: ${usage}\n\n${summary}\n\nOptions:\n${rows.join("\n")}\n${shown}`;
}
