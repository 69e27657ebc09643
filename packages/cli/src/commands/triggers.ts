/** capstan triggers: what services sent, and what became of it. */
import { createApi } from "@capstan/client";
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";
import { printList } from "../print-table.ts";

export const triggers: Command = {
  usage: "capstan triggers [list | retry <id> | drop <id>] [--status failed]",
  summary: "Lists triggers; tries a failed one again, or drops one.",
  options: { status: { type: "string" } },
  async run({ args: [verb = "list", id = ""], options, server, json, terminal }) {
    const api = createApi(await server());
    if (verb === "retry" || verb === "drop") {
      const changed = await api.triggers[verb](id);
      if (!changed.ok) return changed;
      terminal.out(json ? `${JSON.stringify(changed.value, null, 2)}\n` : `${id}: ${changed.value.status}\n`);
      return 0;
    }
    if (verb !== "list")
      return fail("command_invalid", {
        message: `"${verb}" is not a verb of triggers`,
        usage: triggers.usage,
      });
    const answer = await api.triggers.list(
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
  },
};
