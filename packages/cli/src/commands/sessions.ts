/** capstan sessions: the last ones, or one with its messages. */
import { createApi } from "@capstan/client";
import { transcript } from "../chat/transcript.ts";
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

const MOST_MESSAGES = 200; // a page of the API

interface Session {
  id: string;
  title: string;
  status: string;
  agent_id: string | null;
  created_at: string;
}

export const sessions: Command = {
  usage: "capstan sessions [list | show <id>] [--limit 20]",
  summary: "Lists sessions, newest first, or shows one with its messages.",
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
  const connection = await server();
  const answer = await connection.json<Session>("GET", `/v1/sessions/${encodeURIComponent(id)}`);
  if (!answer.ok) return answer;
  const said = await createApi(connection).sessions.messages(id, { limit: MOST_MESSAGES });
  if (!said.ok) return said;
  const { items: messages, next_cursor } = said.value;
  const { title, status, agent_id, created_at } = answer.value;
  const about = [
    ["title", title],
    ["status", status],
    ["agent", agent_id ?? "none"],
    ["created", created_at],
  ];
  terminal.out(
    json
      ? `${JSON.stringify({ ...answer.value, messages }, null, 2)}\n`
      : `${printTable(about, terminal.columns)}${transcript(messages)}${next_cursor ? "\n(and more)\n" : ""}`,
  );
  return 0;
}
