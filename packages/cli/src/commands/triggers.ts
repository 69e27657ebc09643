/** capstan triggers: triggers sent by services, and their outcome. */
import { TriggerQuery } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const triggers: Command = {
  usage:
    "capstan triggers [list | retry <id> | drop <id>] [--status failed] [--capability name] [--user email] [--limit 50] [--cursor next]",
  summary: "Lists triggers, failed and invalid ones first; retries or drops one.",
  options: {
    status: { type: "string" },
    capability: { type: "string" },
    user: { type: "string" },
    limit: { type: "string" },
    cursor: { type: "string" },
  },
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
  const { status, capability, user, limit = "50", cursor } = options;
  const asked = { status, capability, user, limit, cursor };
  const query = requestBody(TriggerQuery, asked, triggers.usage);
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
  const isFiltered = [status, capability, user, cursor].some((each) => each !== undefined);
  const head = ["ID", "CAPABILITY", "STATUS", "USER", "TYPE", "TRIES", "REASON"];
  const { next_cursor, total } = answer.value;
  const more =
    next_cursor === undefined
      ? ""
      : `${rows.length} of ${total}. More: capstan triggers --cursor ${next_cursor}\n`;
  return print(
    answer.value,
    () =>
      `${printList(head, rows, terminal.columns, isFiltered ? "No triggers match." : "No triggers yet.")}${more}`,
  );
}
