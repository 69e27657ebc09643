/** capstan coding-agents: the matrix; `replay` runs a recording through an adapter; `install` prints or runs the command. */

import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import {
  BUILT_IN_ADAPTERS,
  CodingAgentError,
  createClient,
  MATRIX_COLUMNS,
  matrixRows,
  replay,
} from "@capstan/coding-agents";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { jsonDocument, jsonLine } from "../json-text.ts";
import { refuseUnknown } from "../local-agents.ts";
import { printTable } from "../print-table.ts";
import { runVerb, type Verb } from "../run-verb.ts";
import { delegate, RUN_FLAGS, RUN_USAGE } from "./delegate.ts";

export const codingAgents: Command = {
  usage: `capstan coding-agents [list | run ${RUN_USAGE} | plugins <agent> [list | search | install | uninstall] [<plugin>] | sessions <agent> [<id>] | replay <agent> <file.jsonl> | install <agent>] [--yes]`,
  summary:
    "Compares coding agents. `run` runs one and streams its output, `plugins` lists and changes its plugins, `sessions` lists and reads its stored sessions, `replay` prints the events of a recording, `install` shows how to install one.",
  options: { yes: { type: "boolean" }, ...RUN_FLAGS },
  examples: ["capstan coding-agents --json", "capstan coding-agents replay claude run.jsonl --json"],
  run: (context) =>
    runVerb(context, codingAgents.usage, {
      list: { run: matrix },
      replay: { needs: "a coding agent and a file", run: ofKnown(replayFile) },
      install: { needs: "a coding agent", run: ofKnown(install) },
      run: { needs: "a coding agent and a prompt", run: ofKnown(runAgent) },
      plugins: { needs: "a coding agent", run: ofKnown(plugins) },
      sessions: { needs: "a coding agent", run: ofKnown(sessions) },
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
  // With a shell: some commands are a pipeline.
  return spawnSync(first.command, { stdio: "inherit", shell: true }).status ?? 1;
}

/** Same as `delegate`, where people look for it. */
const runAgent: Verb["run"] = async (context) => delegate.run({ ...context, args: context.args.slice(1) });

const PLUGIN_VERBS = ["list", "search", "install", "uninstall"];

async function plugins({ args, json, terminal, environment }: CommandContext, agent: string) {
  const [, , verb = "list", ...words] = args;
  if (!PLUGIN_VERBS.includes(verb)) {
    const message = `plugins does not know "${verb}"; use one of ${PLUGIN_VERBS.join(", ")}`;
    return fail("command_invalid", { message, usage: codingAgents.usage });
  }
  const operations = createClient({ environment }).plugins;
  const name = words.join(" ");
  try {
    if (verb === "install" || verb === "uninstall") {
      terminal.out(`${await operations[verb](agent, name)}\n`);
      return 0;
    }
    const found = verb === "search" ? await operations.search(agent, name) : await operations.list(agent);
    if (json) terminal.out(jsonDocument(found));
    else for (const plugin of found) terminal.out(`${plugin.name}\n`);
    return 0;
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown) {
  if (error instanceof CodingAgentError) return { failure: error.failure };
  throw error;
}

async function sessions({ args, json, terminal, environment }: CommandContext, agent: string) {
  const [, , id] = args;
  const browser = createClient({ environment }).sessions;
  if (id === undefined) {
    const found = await browser.list(agent).catch(refusalOf);
    if ("failure" in found) return found;
    if (json) terminal.out(jsonDocument(found));
    else {
      const rows = found.map(({ id, title, cwd, model, updatedAt }) =>
        [id, title, cwd, model, updatedAt].map((cell) => cell ?? ""),
      );
      terminal.out(
        printTable([["ID", "TITLE", "FOLDER", "MODEL", "UPDATED"], ...rows], Math.max(terminal.columns, 140)),
      );
    }
    return 0;
  }
  const messages = await browser.read(agent, id);
  if (!messages.ok) return messages;
  if (json) terminal.out(jsonDocument(messages.value));
  else for (const { role, text } of messages.value) terminal.out(`${role}: ${text}\n\n`);
  return 0;
}
