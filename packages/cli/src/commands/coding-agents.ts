/** capstan coding-agents: the matrix; `replay` runs a recording through an adapter; `install` prints or runs the command. */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { BUILT_IN_ADAPTERS, createClient, MATRIX_COLUMNS, matrixRows, replay } from "@capstan/coding-agents";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { jsonLine } from "../json-text.ts";
import { refuseUnknown } from "../local-agents.ts";
import { printTable } from "../print-table.ts";
import { runVerb, type Verb } from "../run-verb.ts";

export const codingAgents: Command = {
  usage: "capstan coding-agents [list | replay <agent> <file.jsonl> | install <agent>] [--yes]",
  summary:
    "What ten coding agents can do. `replay` prints the events of a recording; `install` says how to install one.",
  options: { yes: { type: "boolean" } },
  examples: ["capstan coding-agents --json", "capstan coding-agents replay claude run.jsonl --json"],
  run: (context) =>
    runVerb(context, codingAgents.usage, {
      list: { run: matrix },
      replay: { needs: "a coding agent and a file", run: ofKnown(replayFile) },
      install: { needs: "a coding agent", run: ofKnown(install) },
    }),
};

const ofKnown =
  (run: Verb["run"]): Verb["run"] =>
  async (context, agent) =>
    refuseUnknown([agent]) ?? run(context, agent);

async function matrix({ print, terminal }: CommandContext): Promise<number> {
  const rows = matrixRows();
  const cells = rows.map((row) => MATRIX_COLUMNS.map((column) => row[column]));
  return print(rows, () => printTable([MATRIX_COLUMNS, ...cells], Math.max(terminal.columns, 140)));
}

async function replayFile({ terminal, args: [, , file = ""] }: CommandContext, agent: string) {
  const adapter = BUILT_IN_ADAPTERS[agent as keyof typeof BUILT_IN_ADAPTERS];
  try {
    const text = await readFile(file, "utf8");
    for (const event of replay(adapter, text)) terminal.out(jsonLine(event));
    return 0;
  } catch (error) {
    return fail("command_invalid", {
      message: `${file} cannot be read: ${error instanceof Error ? error.message : error}`,
      usage: codingAgents.usage,
    });
  }
}

async function install({ json, options, print, terminal, environment }: CommandContext, agent: string) {
  const methods = createClient({ environment }).adapters.installInstructions(agent);
  print(methods, () =>
    methods.map(({ command, notes }) => `${command}${notes ? `\n  ${notes}` : ""}\n`).join(""),
  );
  const [first] = methods;
  if (!first || json) return 0;
  const answer = options.yes ? "y" : await terminal.ask(`Run "${first.command}" now? [y/N] `);
  if (answer?.trim().toLowerCase() !== "y") return 0;
  // By the shell: some are a pipeline.
  return spawnSync(first.command, { stdio: "inherit", shell: true }).status ?? 1;
}
