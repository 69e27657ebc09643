/** capstan users: lists users, and disables or enables one. */
import { UserPut } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const users: Command = {
  usage:
    "capstan users [list | disable <email> | enable <email> | delete <email> [--sessions] | weight <email> <number>]",
  summary:
    "Lists users. `disable` also disables a user's keys, tokens, logins, schedules and approvals; `delete` removes a disabled user's data, with --sessions their sessions too; `weight` sets a user's share of run capacity.",
  options: { sessions: { type: "boolean" } },
  examples: [
    "capstan users",
    "capstan users disable left@example.com",
    "capstan users delete left@example.com",
    "capstan users weight ann@example.com 3",
  ],
  run: (context) =>
    runVerb(context, users.usage, {
      list: { run: list },
      disable: { needs: "an e-mail address", run: (all, email) => put(all, email, true) },
      delete: { needs: "an e-mail address", run: remove },
      enable: { needs: "an e-mail address", run: (all, email) => put(all, email, false) },
      weight: { needs: "an e-mail address and a number", run: weigh },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).users.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ email, active, disabled, scopes, weight }) => [
    email,
    disabled ? "disabled" : active ? "active" : "no role",
    String(weight),
    scopes.join(" "),
  ]);
  return print({ items: answer.value }, () =>
    printList(["USER", "STATE", "WEIGHT", "SCOPES"], rows, terminal.columns, "No users."),
  );
}

async function put({ server, print }: CommandContext, email: string, disabled: boolean) {
  const answer = await (await server()).users.put(email, { disabled });
  return answer.ok ? print(answer.value, `${disabled ? "Disabled" : "Enabled"} ${email}\n`) : answer;
}

async function weigh({ server, print, args }: CommandContext, email: string) {
  const body = requestBody(UserPut, { weight: Number(args[2]) }, users.usage);
  if (!body.ok) return body;
  const answer = await (await server()).users.put(email, body.value);
  return answer.ok ? print(answer.value, `${email} now has weight ${answer.value.weight}\n`) : answer;
}

async function remove({ server, print, options }: CommandContext, email: string) {
  const answer = await (await server()).users.delete(email, {
    sessions: options.sessions ? "delete" : "keep",
  });
  if (!answer.ok) return answer;
  const { not_revoked_at_provider: untold } = answer.value;
  const note = untold.length > 0 ? `Also end the consent at: ${untold.join(", ")}.\n` : "";
  return print(answer.value, `Deleted ${email}. The address stays disabled.\n${note}`);
}
