/** capstan sessions compare and keep: one message to several programs or models, and continuing in one of the branches. */
import type { Comparison, ComparisonBranch } from "@capstan/client";
import { fail, type Result } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { printTable } from "../print-table.ts";
import { programText } from "./continue-session.ts";

const USAGE = 'capstan sessions compare <id> "<message>" --in <program>[:<model>],<program>[:<model>]';
const POLL_MS = 1000;
const ENDED = new Set(["done", "failed", "cancelled", "waiting"]);

type Api = Awaited<ReturnType<CommandContext["server"]>>;

export async function compareSession(
  { server, options, args, print, terminal }: CommandContext,
  id: string,
): ReturnType<Command["run"]> {
  const content = args.slice(2).join(" ");
  const programs = typeof options.in === "string" ? options.in.split(",").map(programOf) : [];
  if (content === "" || programs.length < 2)
    return fail("command_invalid", {
      message: "compare needs a message and two programs or more",
      usage: USAGE,
    });
  const api = await server();
  const started = await api.sessions.compare(id, { content, in: programs });
  if (!started.ok) return started;
  const ended = await whenEnded(api, started.value);
  return ended.ok ? print(ended.value, () => comparisonText(ended.value, terminal.columns)) : ended;
}

export async function keepBranch(
  { server, args, print }: CommandContext,
  id: string,
): ReturnType<Command["run"]> {
  const [, , comparison = "", branch = ""] = args;
  if (branch === "")
    return fail("command_invalid", {
      message: "keep needs a comparison and a branch",
      usage: "capstan sessions keep <id> <comparison> <branch>",
    });
  const kept = await (await server()).sessions.keepBranch(id, comparison, branch);
  return kept.ok
    ? print(kept.value, () => `The conversation continues in session ${kept.value.id}.\n`)
    : kept;
}

function programOf(text: string) {
  const [harness = "", ...model] = text.trim().split(":");
  return model.length === 0 ? { harness } : { harness, model: model.join(":") };
}

async function whenEnded(api: Api, { id, session_id }: Comparison): Promise<Result<Comparison>> {
  for (;;) {
    const read = await api.sessions.comparison(session_id, id);
    if (!read.ok || read.value.branches.every(({ status }) => ENDED.has(status))) return read;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function comparisonText({ id, session_id, branches }: Comparison, columns: number): string {
  const rows = branches.map((branch) => [
    branch.session_id,
    programText(branch.continue_in),
    branch.status,
    `${branch.seconds.toFixed(1)} s`,
    costText(branch),
    String(branch.changes.length),
  ]);
  const table = printTable([["BRANCH", "PROGRAM", "STATUS", "TIME", "COST", "FILES"], ...rows], columns);
  const next = `Continue in one: capstan sessions keep ${session_id} ${id} <branch>\n`;
  return [table, ...branches.map(branchText), next].join("\n");
}

const costText = ({ usage: { cost_usd } }: ComparisonBranch): string =>
  typeof cost_usd === "number" ? `$${cost_usd.toFixed(4)}` : "unknown";

function branchText({ continue_in, answer, error, changes }: ComparisonBranch): string {
  const said = error ? `${error.code}: ${error.message}` : answer;
  const diffs = changes.map(({ path, change, diff }) => diff ?? `${change}: ${path}\n`);
  return [`== ${programText(continue_in)}`, said, ...diffs].join("\n");
}
