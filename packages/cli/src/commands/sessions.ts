/** capstan sessions: the last ones, or one with its messages. */
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

interface Session {
  id: string;
  title: string;
  status: string;
  agent_id: string | null;
  created_at: string;
}

export const sessions: Command = {
  usage: "capstan sessions [list | show <id>] [--limit 20]",
  summary: "Lists sessions, newest first, or shows one.",
  options: { limit: { type: "string" } },
  run: (context) =>
    runVerb(context, sessions.usage, { list: { run: list }, show: { needs: "a session's id", run: show } }),
};

async function list({ server, options, json, terminal }: CommandContext) {
  const query = { limit: typeof options.limit === "string" ? options.limit : 20 };
  const answer = await (await server()).json<{ items: Session[] }>("GET", "/v1/sessions", { query });
  if (!answer.ok) return answer;
  if (json) terminal.out(`${JSON.stringify(answer.value, null, 2)}\n`);
  else {
    const rows = answer.value.items.map(({ id, status, created_at, title }) => [
      id,
      status,
      created_at,
      title,
    ]);
    terminal.out(
      printList(
        ["ID", "STATUS", "CREATED", "TITLE"],
        rows,
        terminal.columns,
        "No session yet. `capstan chat` starts one.",
      ),
    );
  }
  return 0;
}

async function show({ server, json, terminal }: CommandContext, id: string) {
  const answer = await (await server()).json<Session>("GET", `/v1/sessions/${encodeURIComponent(id)}`);
  if (!answer.ok) return answer;
  const { title, status, agent_id, created_at } = answer.value;
  terminal.out(
    json
      ? `${JSON.stringify(answer.value, null, 2)}\n`
      : printTable(
          [
            ["title", title],
            ["status", status],
            ["agent", agent_id ?? "none"],
            ["created", created_at],
          ],
          terminal.columns,
        ),
  );
  return 0;
}
