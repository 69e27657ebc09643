/** capstan roles: which right and scopes the groups and claims of an OpenID provider give. */
import { RoleCreate } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const roles: Command = {
  usage:
    "capstan roles [list | add <claim=value> [--role read|run|author|admin] [--scope <scope>] | remove <id>]",
  summary:
    "Lists, adds and removes roles for a provider's groups and claims. Changes take effect within a second.",
  options: { role: { type: "string" }, scope: { type: "string", multiple: true } },
  examples: [
    "capstan roles add groups=staff --role run --scope Mail.Read",
    "capstan roles add sub=* --role read",
  ],
  run: (context) =>
    runVerb(context, roles.usage, {
      list: { run: list },
      add: { needs: "a claim and its value, as groups=staff", run: add },
      remove: { needs: "a role's id", run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).roles.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, claim, value, role, scopes, created_by }) => [
    id ?? "CAPSTAN_OIDC_ADMINS",
    `${claim}=${value}`,
    role ?? "",
    scopes.join(" "),
    created_by ?? "",
  ]);
  const none = "No roles. `capstan roles add groups=staff --role run` lets that group use agents.";
  return print(answer.value, () =>
    printList(["ID", "WHO", "ROLE", "SCOPES", "BY"], rows, terminal.columns, none),
  );
}

async function add({ server, print, options }: CommandContext, who: string) {
  const at = who.indexOf("=");
  if (at < 1) return fail("command_invalid", { message: "add needs claim=value", usage: roles.usage });
  const sent = {
    claim: who.slice(0, at),
    value: who.slice(at + 1),
    role: options.role,
    scopes: options.scope,
  };
  const body = requestBody(RoleCreate, sent, roles.usage);
  if (!body.ok) return body;
  const answer = await (await server()).roles.create(body.value);
  return answer.ok ? print(answer.value, `Added ${answer.value.id}\n`) : answer;
}

async function remove({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).roles.remove(id);
  return answer.ok ? print({ removed: id }, `Removed ${id}\n`) : answer;
}
