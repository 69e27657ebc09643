/** capstan text-checks: what models may not say, masked, blocked, or read by a person first. */
import { TextCheckCreate } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const textChecks: Command = {
  usage:
    "capstan text-checks [list | add <name> [--kind email|credit_card|phone|secret] [--find <words, separated by commas>] " +
    "[--pattern <RE2>] [--model <name> --prompt <what it looks for>] [--then mask|block|ask] [--agent <agent>] [--words <text>] | try <text> [--agent <agent>] | remove <id>]",
  summary:
    "Lists, adds and removes checks on what models say, or tries them on a text. A check masks unless told otherwise.",
  options: {
    kind: { type: "string" },
    find: { type: "string" },
    pattern: { type: "string" },
    model: { type: "string" },
    prompt: { type: "string" },
    then: { type: "string" },
    agent: { type: "string" },
    words: { type: "string" },
  },
  examples: [
    "capstan text-checks add addresses --kind email",
    'capstan text-checks add merger --find "Falcon,Project Eagle" --then ask',
    'capstan text-checks add advice --model openai/gpt-5-mini --prompt "medical advice" --then block',
    'capstan text-checks try "Write to ada@example.com"',
  ],
  run: (context) =>
    runVerb(context, textChecks.usage, {
      list: { run: list },
      add: { needs: "a name", run: add },
      try: { needs: "a text", run: tryText },
      remove: { needs: "a check's id", run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).textChecks.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ id, name, sentence, agent_id }) => [
    id,
    name,
    sentence,
    agent_id ?? "every agent",
  ]);
  const none = "No checks. `capstan text-checks add addresses --kind email` masks e-mail addresses.";
  return print(itemsOf(answer.value), () =>
    printList(["ID", "NAME", "CHECK", "FOR"], rows, terminal.columns, none),
  );
}

async function add({ server, print, options }: CommandContext, name: string) {
  const { kind, find, pattern, model, prompt, agent, words, then = "mask" } = options;
  const given = [
    ...(typeof kind === "string" ? [{ kind }] : []),
    ...(typeof find === "string" ? [{ words: find.split(",").map((word) => word.trim()) }] : []),
    ...(typeof pattern === "string" ? [{ pattern }] : []),
    ...(typeof model === "string" ? [{ model, prompt }] : []),
  ];
  if (given.length !== 1)
    return fail("command_invalid", {
      message: "give one of --kind, --find, --pattern and --model",
      usage: textChecks.usage,
    });
  const sent = { name, find: given[0], then, agent_id: agent, words };
  const body = requestBody(TextCheckCreate, sent, textChecks.usage);
  if (!body.ok) return body;
  const made = await (await server()).textChecks.create(body.value);
  return made.ok ? print(made.value, `Added ${made.value.id}: ${made.value.sentence}\n`) : made;
}

async function tryText({ server, print, options: { agent } }: CommandContext, text: string) {
  const tried = await (await server()).textChecks.try({
    text,
    ...(typeof agent === "string" && { agent_id: agent }),
  });
  if (!tried.ok) return tried;
  const { decision, check, text: said } = tried.value;
  return print(tried.value, `${decision}${check === null ? "" : ` by "${check}"`}\n${said ?? ""}\n`);
}

async function remove({ server, print }: CommandContext, id: string) {
  const sent = await (await server()).textChecks.remove(id);
  return sent.ok ? print({ removed: id }, `Removed ${id}\n`) : sent;
}
