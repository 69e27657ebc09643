/** capstan approvals: lists the inbox and answers approvals. */

import { fail } from "@capstan/core";
import { parseClearJson } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

export const approvals: Command = {
  usage: "capstan approvals [list | approve <id> [--args json] [--words text] | deny <id> [--words text]]",
  summary: "Lists pending approvals and answers them.",
  options: { args: { type: "string" }, words: { type: "string" }, all: { type: "boolean" } },
  run: (context) =>
    runVerb(context, approvals.usage, {
      list: { run: list },
      approve: { needs: "an approval's id", run: (_, id) => answer(context, "approve", id) },
      deny: { needs: "an approval's id", run: (_, id) => answer(context, "deny", id) },
    }),
};

async function list({ server, options, print, terminal }: CommandContext) {
  const answer = await (await server()).approvals.list(options.all ? {} : { status: "pending" });
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, tool, status, agent_name, input }) => [
    id,
    tool,
    status,
    agent_name ?? "",
    JSON.stringify(input),
  ]);
  const head = ["ID", "TOOL", "STATUS", "AGENT", "ARGUMENTS"];
  return print(answer.value, () => printList(head, rows, terminal.columns, "No pending approvals."));
}

async function answer({ server, options, print }: CommandContext, decision: "approve" | "deny", id: string) {
  const edited = parsed(options.args);
  if (edited === undefined)
    return fail("command_invalid", { message: "--args is not JSON", usage: approvals.usage });
  const answered = await (await server()).approvals.answer(id, {
    decision,
    ...(edited && { edited_args: edited }),
    ...(typeof options.words === "string" && { words: options.words }),
  });
  if (!answered.ok) return answered;
  return print(answered.value, `${answered.value.status}: ${answered.value.tool}\n`);
}

/** Null when not given, undefined when it cannot be parsed. */
function parsed(text: CommandContext["options"][string]): Record<string, unknown> | null | undefined {
  if (typeof text !== "string") return null;
  try {
    return parseClearJson(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
