/** capstan sessions: the last ones, one with its messages, one in another program or in several, and changes of real folders. */
import { SessionQuery, TrajectoryQuery } from "@capstan/client/wire";
import { transcript } from "../chat/transcript.ts";
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";
import { compactSession, listSummaries } from "../sessions/compact-session.ts";
import { compareSession, keepBranch } from "../sessions/compare-session.ts";
import { continueSession, programText } from "../sessions/continue-session.ts";
import { applyChanges, discardChanges, showChanges } from "../sessions/session-changes.ts";
import { linkSession, listLinks, unlinkSession } from "../sessions/session-links.ts";

const MOST_MESSAGES = 200; // a page of the API

export const sessions: Command = {
  usage:
    'capstan sessions [list | show <id> | continue <id> --in codex | compare <id> "<message>" --in claude,codex | keep <id> <comparison> <branch> | changes <id> | apply <id> [--message <text>] | discard <id> | compact <id> | summaries <id> | trajectory <id> [--run <run>] | link <id> [--hours <n>] [--files] | links <id> | unlink <id> <link>] [--limit 20] [--model <model>] [--yes]',
  summary:
    "Lists sessions, newest first, or shows one with its messages. `continue` switches the session to another program, after listing what is not carried over. `compare` sends one message to several programs or models (`codex:gpt-5.5`), each in a branch with its own files; `keep` continues in one of them. `changes` shows what a session changed in its agent's real folder; `apply` makes it one commit there, `discard` removes it. `compact` summarises all but the last turn now; `summaries` shows the summaries of earlier messages. `trajectory` prints the conversation, or one run of it, as ATIF. `link` makes a link that shows the session read-only; `links` lists them, `unlink` ends one.",
  options: {
    limit: { type: "string" },
    in: { type: "string" },
    run: { type: "string" },
    model: { type: "string" },
    message: { type: "string" },
    yes: { type: "boolean" },
    hours: { type: "string" },
    files: { type: "boolean" },
  },
  examples: ["capstan sessions continue 0197a3c1-9f5e-7c1b-b8a4-2f9f0a6b7c11 --in codex"],
  run: (context) =>
    runVerb(context, sessions.usage, {
      list: { run: list },
      show: { needs: "a session's id", run: show },
      continue: { needs: "a session's id", run: continueSession },
      compare: { needs: "a session's id and a message", run: compareSession },
      keep: { needs: "a session's id, a comparison and a branch", run: keepBranch },
      changes: { needs: "a session's id", run: showChanges },
      apply: { needs: "a session's id", run: applyChanges },
      discard: { needs: "a session's id", run: discardChanges },
      compact: { needs: "a session's id", run: compactSession },
      summaries: { needs: "a session's id", run: listSummaries },
      trajectory: { needs: "a session's id", run: printTrajectory },
      link: { needs: "a session's id", run: linkSession },
      links: { needs: "a session's id", run: listLinks },
      unlink: { needs: "a session's id and a link's", run: unlinkSession },
    }),
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
  const { title, status, agent_id, created_at, continue_in } = answer.value;
  const about = [
    ["title", title],
    ["status", status],
    ["agent", agent_id ?? "none"],
    ...(continue_in ? [["continues in", programText(continue_in)]] : []),
    ["created", created_at],
  ];
  return print(
    { ...answer.value, messages },
    () =>
      `${printTable(about, terminal.columns)}${transcript(messages)}${next_cursor ? "\n(and more)\n" : ""}`,
  );
}

async function printTrajectory({ server, print, options: { run } }: CommandContext, id: string) {
  const query = requestBody(TrajectoryQuery, { run_id: run }, sessions.usage);
  if (!query.ok) return query;
  const told = await (await server()).runs.trajectory(id, query.value);
  return told.ok ? print(told.value, () => `${JSON.stringify(told.value, null, 2)}\n`) : told;
}
