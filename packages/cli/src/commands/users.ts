/** capstan users: lists users, and disables or enables one. */
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

export const users: Command = {
  usage: "capstan users [list | disable <email> | enable <email>]",
  summary: "Lists users; disables one, with all keys, tokens, logins, schedules and approvals.",
  options: {},
  examples: ["capstan users", "capstan users disable left@example.com"],
  run: (context) =>
    runVerb(context, users.usage, {
      list: { run: list },
      disable: { needs: "an e-mail address", run: (all, email) => put(all, email, true) },
      enable: { needs: "an e-mail address", run: (all, email) => put(all, email, false) },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).users.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ email, active, disabled, scopes }) => [
    email,
    disabled ? "disabled" : active ? "active" : "no role",
    scopes.join(" "),
  ]);
  return print({ items: answer.value }, () =>
    printList(["USER", "STATE", "SCOPES"], rows, terminal.columns, "No users."),
  );
}

async function put({ server, print }: CommandContext, email: string, disabled: boolean) {
  const answer = await (await server()).users.put(email, { disabled });
  return answer.ok ? print(answer.value, `${disabled ? "Disabled" : "Enabled"} ${email}\n`) : answer;
}
