/** capstan sessions link, links, unlink: read-only links to a session. */
import { SessionLinkCreate } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";

const USAGE = "capstan sessions link <id> [--hours <n>] [--files] | links <id> | unlink <id> <link>";

export async function linkSession({ server, options, print }: CommandContext, id: string) {
  const { hours, files } = options;
  const sent = { ...(hours !== undefined && { hours: Number(hours) }), files: files === true };
  const body = requestBody(SessionLinkCreate, sent, USAGE);
  if (!body.ok) return body;
  const made = await (await server()).links.create(id, body.value);
  if (!made.ok) return made;
  const { url, expires_at } = made.value;
  return print(made.value, () => `${url}\nAnyone with this link can read the session until ${expires_at}.\n`);
}

export async function listLinks({ server, print, terminal }: CommandContext, id: string) {
  const answer = await (await server()).links.list(id);
  if (!answer.ok) return answer;
  const rows = answer.value.items.map((link) => [
    link.id,
    link.status,
    link.files ? "messages and files" : "messages",
    link.created_by,
    link.expires_at,
    link.last_used_at ?? "never",
  ]);
  const head = ["ID", "STATUS", "SHOWS", "BY", "UNTIL", "LAST READ"];
  return print(answer.value, () => printList(head, rows, terminal.columns, "No links."));
}

export async function unlinkSession({ server, print, args }: CommandContext, id: string) {
  const [, , link] = args;
  if (link === undefined)
    return fail("command_invalid", { message: "unlink needs a link's id", usage: USAGE });
  const gone = await (await server()).links.revoke(id, link);
  return gone.ok ? print({ id: link, revoked: true }, "The link no longer works.\n") : gone;
}
