/** capstan tokens: clients that logged in and tokens of agents, with how to end them. */
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

export const tokens: Command = {
  usage: "capstan tokens [list | revoke <id>]",
  summary: "Lists and revokes agents' tokens and logged-in clients.",
  options: {},
  examples: ["capstan tokens", "capstan tokens revoke 0199c3f0-6a57-7c1e-9d8e-2f1a1a6f3b77"],
  run: (context) =>
    runVerb(context, tokens.usage, {
      list: { run: list },
      revoke: { needs: "a token's id", run: revoke },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).tokens.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ id, kind, name, agent_id, user, scopes, last_used_at }) => [
    id,
    kind,
    name,
    agent_id,
    user,
    scopes.join(" "),
    last_used_at ?? "never",
  ]);
  const head = ["ID", "KIND", "NAME", "AGENT", "USER", "MAY USE", "LAST USED"];
  const none = "No tokens. Add <server>/mcp to an MCP client; it opens the studio to log in.";
  return print(itemsOf(answer.value), () => printList(head, rows, terminal.columns, none));
}

async function revoke({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).tokens.revoke(id);
  return answer.ok ? print({ revoked: id }, `Revoked ${id}\n`) : answer;
}
