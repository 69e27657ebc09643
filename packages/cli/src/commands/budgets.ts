/** capstan budgets: what may be spent in a day, a week or a month, and what was. */
import type { Budget } from "@capstan/client";
import { BudgetCreate } from "@capstan/client/wire";
import { amountText } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { numberOf, requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const budgets: Command = {
  usage:
    "capstan budgets [list | add <name> --limit <n> [--measure cost_usd|tokens|calls] [--period minute|hour|day|week|month] " +
    "[--for-each user|agent] [--user <email>] [--agent <agent>] [--capability <id>] [--time-zone <zone>] " +
    "[--at-limit ask|wait|deny] [--webhook <url>] | raise <id> --limit <n> | remove <id>]",
  summary: "Lists, adds, raises and removes budgets. The default is US dollars a day.",
  options: {
    limit: { type: "string" },
    measure: { type: "string" },
    period: { type: "string" },
    "for-each": { type: "string" },
    user: { type: "string" },
    agent: { type: "string" },
    capability: { type: "string" },
    "time-zone": { type: "string" },
    "at-limit": { type: "string" },
    webhook: { type: "string" },
  },
  examples: [
    "capstan budgets add team --limit 20",
    "capstan budgets add person --limit 100000 --measure tokens --period week --for-each user --at-limit deny",
    "capstan budgets add searches --limit 50 --measure calls --capability web_search",
  ],
  run: (context) =>
    runVerb(context, budgets.usage, {
      list: { run: list },
      add: { needs: "a name", run: add },
      raise: { needs: "a budget's id", run: raise },
      remove: { needs: "a budget's id", run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).budgets.all();
  if (!answer.ok) return answer;
  const rows = answer.value.flatMap(rowsOf);
  const none = "No budgets. `capstan budgets add <name> --limit 20` allows $20.00 a day.";
  return print(itemsOf(answer.value), () =>
    printList(["ID", "NAME", "BUDGET", "OF", "SPENT", "FORECAST"], rows, terminal.columns, none),
  );
}

function rowsOf({ id, name, sentence, spending, measure }: Budget): string[][] {
  const head = [id, name, sentence];
  if (spending.length === 0) return [[...head, "", "nothing yet", ""]];
  return spending.map(({ subject, spent, percent, forecast }, at) => [
    ...(at === 0 ? head : ["", "", ""]),
    subject || "all",
    `${amountText(measure, spent)} (${Math.round(percent)} %)`,
    forecast ? amountText(measure, forecast.amount) : "",
  ]);
}

async function add({ server, print, options }: CommandContext, name: string) {
  const { limit, measure = "cost_usd", period = "day", user, agent, capability } = options;
  const sent = {
    name,
    limit: numberOf(limit),
    measure,
    period,
    user,
    agent_id: agent,
    capability_id: capability,
    for_each: options["for-each"],
    time_zone: options["time-zone"],
    at_limit: options["at-limit"],
    ...(typeof options.webhook === "string" && { webhook: { url: options.webhook } }),
  };
  const body = requestBody(BudgetCreate, sent, budgets.usage);
  if (!body.ok) return body;
  const made = await (await server()).budgets.create(body.value);
  return made.ok ? print(made.value, `Added ${made.value.id}: ${made.value.sentence}\n`) : made;
}

async function raise({ server, print, options: { limit } }: CommandContext, id: string) {
  const body = requestBody(BudgetCreate.pick({ limit: true }), { limit: numberOf(limit) }, budgets.usage);
  if (!body.ok) return body;
  const changed = await (await server()).budgets.change(id, body.value);
  return changed.ok ? print(changed.value, `${changed.value.name}: ${changed.value.sentence}\n`) : changed;
}

async function remove({ server, print }: CommandContext, id: string) {
  const sent = await (await server()).budgets.remove(id);
  return sent.ok ? print({ removed: id }, `Removed ${id}\n`) : sent;
}
