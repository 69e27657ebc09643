/** capstan triggers: what services sent, and what became of it. */
import { createApi } from "@capstan/client";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
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

async function change({ server, json, terminal }: CommandContext, verb: "retry" | "drop", id: string) {
  const changed = await createApi(await server()).triggers[verb](id);
  if (!changed.ok) return changed;
  terminal.out(json ? `${JSON.stringify(changed.value, null, 2)}\n` : `${id}: ${changed.value.status}\n`);
  return 0;
}

async function list({ options, server, json, terminal }: CommandContext) {
  const answer = await createApi(await server()).triggers.list(
    typeof options.status === "string" ? { status: options.status } : {},
  );
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id: of, capability, status, user, type, attempts, reason }) => [
    of,
    capability ?? "",
    status,
    user ?? "",
    type ?? "",
    String(attempts),
    reason ?? "",
  ]);
  terminal.out(
    json
      ? `${JSON.stringify(answer.value, null, 2)}\n`
      : printList(
          ["ID", "CAPABILITY", "STATUS", "USER", "TYPE", "TRIES", "REASON"],
          rows,
          terminal.columns,
          "No trigger has come.",
        ),
  );
  return 0;
}
