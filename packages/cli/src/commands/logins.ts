/** capstan logins: where people are signed in, and how to sign them out. */
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

export const logins: Command = {
  usage: "capstan logins [list | revoke <id>]",
  summary: "Lists your sign-ins (for an admin, everyone's) and ends one of them.",
  options: {},
  examples: ["capstan logins", "capstan logins revoke 0199c3f0-6a57-7c1e-9d8e-2f1a1a6f3b77"],
  run: (context) =>
    runVerb(context, logins.usage, {
      list: { run: list },
      revoke: { needs: "a login's id", run: revoke },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).logins.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ id, kind, user, device, last_used_at, expires_at, is_this }) => [
    id,
    is_this ? `${kind} (this)` : kind,
    user,
    device,
    last_used_at,
    expires_at,
  ]);
  const head = ["ID", "KIND", "USER", "DEVICE", "LAST USED", "ENDS"];
  return print(itemsOf(answer.value), () => printList(head, rows, terminal.columns, "No one is signed in."));
}

async function revoke({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).logins.revoke(id);
  return answer.ok ? print({ revoked: id }, `Signed out ${id}\n`) : answer;
}
