/** capstan scim: tokens with which a company's directory pushes its users and groups. */
import { peopleWire } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const scim: Command = {
  usage: "capstan scim [list | create <name> | revoke <id>]",
  summary:
    "Lists, creates and revokes tokens for a directory (SCIM 2.0). A token gives access only to /scim/v2 of its organisation.",
  options: {},
  examples: ["capstan scim create entra"],
  run: (context) =>
    runVerb(context, scim.usage, {
      list: { run: list },
      create: { needs: "a name, such as entra", run: create },
      revoke: { needs: "a token's id", run: revoke },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).scimTokens.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, name, prefix, created_by, last_used_at }) => [
    id,
    name,
    `${prefix}…`,
    created_by,
    last_used_at ?? "never",
  ]);
  const none = "No tokens. `capstan scim create entra` creates one for your directory.";
  return print(answer.value, () =>
    printList(["ID", "NAME", "TOKEN", "BY", "LAST USED"], rows, terminal.columns, none),
  );
}

async function create({ server, print }: CommandContext, name: string) {
  const body = requestBody(peopleWire.ScimTokenCreate, { name }, scim.usage);
  if (!body.ok) return body;
  const answer = await (await server()).scimTokens.create(body.value);
  return answer.ok
    ? print(
        answer.value,
        `${answer.value.token}\nEnter it in your directory now; it will not be shown again.\n`,
      )
    : answer;
}

async function revoke({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).scimTokens.revoke(id);
  return answer.ok ? print({ revoked: id }, `Revoked ${id}\n`) : answer;
}
