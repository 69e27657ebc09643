/** capstan triggers: what services sent, and what became of it. */
import { TriggerQuery } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const triggers: Command = {
  usage: "capstan triggers [list | retry <id> | drop <id>] [--status failed]",
  summary: "Lists triggers; tries a failed one again, or drops one.",
  options: { status: { type: "string" } },
  run: (context) =>
    runVerb(context, triggers.usage, {
      list: { run: list },
      retry: { needs: "a trigger's id", run: (_, id) => change(context, "retry", id) },
      drop: { needs: "a trigger's id", run: (_, id) => change(context, "drop", id) },
    }),
};

async function change({ server, print }: CommandContext, verb: "retry" | "drop", id: string) {
  const changed = await (await server()).triggers[verb](id);
  return changed.ok ? print(changed.value, `${id}: ${changed.value.status}\n`) : changed;
}

async function list({ options, server, print, terminal }: CommandContext) {
  const query = requestBody(TriggerQuery, { status: options.status }, triggers.usage);
  if (!query.ok) return query;
  const answer = await (await server()).triggers.list(query.value);
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, capability, status, user, type, attempts, reason }) => [
    id,
    capability,
    status,
    user ?? "",
    type ?? "",
    String(attempts),
    reason ?? "",
  ]);
  const head = ["ID", "CAPABILITY", "STATUS", "USER", "TYPE", "TRIES", "REASON"];
  return print(answer.value, () => printList(head, rows, terminal.columns, "No trigger has come."));
}
