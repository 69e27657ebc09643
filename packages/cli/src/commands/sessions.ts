/** capstan sessions: the last ones, or one with its messages. */
import { SessionQuery } from "@capstan/client/wire";
import { transcript } from "../chat/transcript.ts";
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

const MOST_MESSAGES = 200; // a page of the API

export const sessions: Command = {
  usage: "capstan sessions [list | show <id>] [--limit 20]",
  summary: "Lists sessions, newest first, or shows one with its messages.",
  options: { limit: { type: "string" } },
  run: (context) =>
    runVerb(context, sessions.usage, { list: { run: list }, show: { needs: "a session's id", run: show } }),
};

async function list({ server, options, print, terminal }: CommandContext) {
  const query = requestBody(SessionQuery, { limit: options.limit ?? 20 }, sessions.usage);
  if (!query.ok) return query;
  const answer = await (await server()).sessions.list(query.value);
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, status, created_at, title }) => [id, status, created_at, title]);
  const none = "No sessions yet. Start one with `capstan chat`.";
  return print(answer.value, () =>
    printList(["ID", "STATUS", "CREATED", "TITLE"], rows, terminal.columns, none),
  );
}

async function show({ server, print, terminal }: CommandContext, id: string) {
  const api = await server();
  const answer = await api.sessions.get(id);
  if (!answer.ok) return answer;
  const said = await api.sessions.messages(id, { limit: MOST_MESSAGES });
  if (!said.ok) return said;
  const { items: messages, next_cursor } = said.value;
  const { title, status, agent_id, created_at } = answer.value;
  const about = [
    ["title", title],
    ["status", status],
    ["agent", agent_id ?? "none"],
    ["created", created_at],
  ];
  return print(
    { ...answer.value, messages },
    () =>
      `${printTable(about, terminal.columns)}${transcript(messages)}${next_cursor ? "\n(and more)\n" : ""}`,
  );
}
