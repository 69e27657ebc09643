/** capstan keys: API keys of the server. A new key is printed once. */
import { KeyCreate } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const keys: Command = {
  usage: "capstan keys [list | create <name> [--right read|run|author|admin] | revoke <id>]",
  summary: "Lists, creates and revokes API keys.",
  options: { right: { type: "string", multiple: true }, owner: { type: "string" } },
  run: (context) =>
    runVerb(context, keys.usage, {
      list: { run: list },
      create: { needs: "a name", run: create },
      revoke: { needs: "a key's id", run: revoke },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).keys.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ id, prefix, rights, owner, revoked, name }) => [
    id,
    `${prefix}…`,
    rights.join(","),
    owner,
    revoked ? "revoked" : "active",
    name,
  ]);
  const head = ["ID", "KEY", "RIGHTS", "OWNER", "STATE", "NAME"];
  const none =
    "No keys yet. Create one with `capstan keys create <name>`; you do not need one on this machine.";
  return print(itemsOf(answer.value), () => printList(head, rows, terminal.columns, none));
}

async function create({ server, options, print }: CommandContext, name: string) {
  const body = requestBody(KeyCreate, { name, rights: options.right, owner: options.owner }, keys.usage);
  if (!body.ok) return body;
  const answer = await (await server()).keys.create(body.value);
  return answer.ok
    ? print(answer.value, `${answer.value.key}\nStore it now; it will not be shown again.\n`)
    : answer;
}

async function revoke({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).keys.revoke(id);
  return answer.ok ? print({ revoked: id }, `Revoked ${id}\n`) : answer;
}
