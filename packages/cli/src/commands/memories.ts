/** capstan memories: what agents remember, found, written, corrected and forgotten by people. */
import { type Memory, MemoryCreate, MemoryPatch, MemoryQuery } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const memories: Command = {
  usage:
    "capstan memories [list | search <text> | add <text> | edit <id> [--text <text>] [--trust] | forget <id>] " +
    "[--scope user|agent|organisation] [--agent <agent>] [--user <email>] [--limit 50]",
  summary:
    "Lists, searches, adds, corrects and deletes facts that agents remember. `--trust` removes a fact's source labels.",
  options: {
    scope: { type: "string" },
    agent: { type: "string" },
    user: { type: "string" },
    limit: { type: "string" },
    text: { type: "string" },
    trust: { type: "boolean" },
  },
  examples: ['capstan memories add "I prefer answers in German."', 'capstan memories search "language"'],
  run: (context) =>
    runVerb(context, memories.usage, {
      list: { run: (each) => list(each) },
      search: { needs: "a text", run: list },
      add: { needs: "a text", run: add },
      edit: { needs: "a fact's id", run: edit },
      forget: { needs: "a fact's id", run: forget },
    }),
};

async function list({ server, print, options, terminal }: CommandContext, q?: string) {
  const { scope, agent, user, limit } = options;
  const asked = { q, scope, agent_id: agent, user, limit: limit ?? 50 };
  const query = requestBody(MemoryQuery, asked, memories.usage);
  if (!query.ok) return query;
  const answer = await (await server()).memories.list(query.value);
  if (!answer.ok) return answer;
  const rows = answer.value.items.map((each) => [
    each.id,
    ownerText(each),
    each.labels.join(", "),
    each.text,
  ]);
  const none = 'No facts yet. Add one with `capstan memories add "I prefer tea."`.';
  return print(answer.value, () => printList(["ID", "OF", "LABELS", "FACT"], rows, terminal.columns, none));
}

const ownerText = ({ scope, subject }: Memory): string =>
  scope === "organisation" ? scope : `${scope} ${subject}`;

async function add({ server, print, options: { scope, agent } }: CommandContext, text: string) {
  const body = requestBody(MemoryCreate, { text, scope, agent_id: agent }, memories.usage);
  if (!body.ok) return body;
  const made = await (await server()).memories.create(body.value);
  return made.ok ? print(made.value, `Remembered ${made.value.id}: ${made.value.text}\n`) : made;
}

async function edit({ server, print, options: { text, trust } }: CommandContext, id: string) {
  const body = requestBody(MemoryPatch, { text, ...(trust === true && { labels: [] }) }, memories.usage);
  if (!body.ok) return body;
  const changed = await (await server()).memories.update(id, body.value);
  return changed.ok ? print(changed.value, `Changed ${id}: ${changed.value.text}\n`) : changed;
}

async function forget({ server, print }: CommandContext, id: string) {
  const gone = await (await server()).memories.forget(id);
  return gone.ok ? print({ forgotten: id }, `Forgot ${id}\n`) : gone;
}
