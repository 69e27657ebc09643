/** capstan keys: API keys of the server. A new key is printed once. */
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

interface Key {
  id: string;
  name: string;
  owner: string;
  prefix: string;
  rights: string[];
  revoked: boolean;
}

export const keys: Command = {
  usage: "capstan keys [list | create <name> [--right read|run|admin] | revoke <id>]",
  summary: "Lists, creates and revokes API keys.",
  options: { right: { type: "string", multiple: true }, owner: { type: "string" } },
  run: (context) =>
    runVerb(context, keys.usage, {
      list: { run: list },
      create: { needs: "a name", run: create },
      revoke: { needs: "a key's id", run: revoke },
    }),
};

async function list({ server, json, terminal }: CommandContext) {
  const answer = await (await server()).json<{ items: Key[] }>("GET", "/v1/keys");
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, prefix, rights, owner, revoked, name }) => [
    id,
    `${prefix}…`,
    rights.join(","),
    owner,
    revoked ? "revoked" : "active",
    name,
  ]);
  terminal.out(
    json
      ? `${JSON.stringify(answer.value, null, 2)}\n`
      : printList(
          ["ID", "KEY", "RIGHTS", "OWNER", "STATE", "NAME"],
          rows,
          terminal.columns,
          "No key yet. `capstan keys create <name>` makes one; on this machine none is needed.",
        ),
  );
  return 0;
}

async function create({ server, options, json, terminal }: CommandContext, name: string) {
  const body = {
    name,
    ...(options.right !== undefined && { rights: options.right }),
    ...(options.owner !== undefined && { owner: options.owner }),
  };
  const answer = await (await server()).json<Key & { key: string }>("POST", "/v1/keys", { json: body });
  if (!answer.ok) return answer;
  terminal.out(
    json
      ? `${JSON.stringify(answer.value, null, 2)}\n`
      : `${answer.value.key}\nKeep it: it is shown only now.\n`,
  );
  return 0;
}

async function revoke({ server, json, terminal }: CommandContext, id: string) {
  const answer = await (await server()).send("DELETE", `/v1/keys/${encodeURIComponent(id)}`);
  if (!answer.ok) return answer;
  terminal.out(json ? `${JSON.stringify({ revoked: id })}\n` : `Revoked ${id}\n`);
  return 0;
}
