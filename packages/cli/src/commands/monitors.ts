/** capstan monitors: live runs that are scored in the background, and alerts when a revision scores lower than the last. */
import type { MonitorReport } from "@capstan/client";
import { monitorWire } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import { findAgent } from "../agents/find-agent.ts";
import type { Command, CommandContext } from "../command.ts";
import { scorersOf } from "../evals/read-scorers.ts";
import { itemsOf, printList } from "../print-table.ts";
import { numberOf, requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const monitors: Command = {
  usage:
    "capstan monitors [list | add <name> --agent <agent> --scorer <scorer> [--scorer ...] [--share <percent>] [--budget <usd a day> | --no-budget] " +
    "[--every <runs>] [--drop <0 to 1>] [--scrub <kind>] [--webhook <url>] | show <id> | scores <id> | alerts <id> | acknowledge <id> <alert> | " +
    "pause <id> | resume <id> | remove <id>]",
  summary:
    "Scores a share of an agent's live runs in the background. `alerts` lists where a revision scores lower than the one before it.",
  options: {
    agent: { type: "string" },
    scorer: { type: "string", multiple: true },
    share: { type: "string" },
    budget: { type: "string" },
    "no-budget": { type: "boolean" },
    every: { type: "string" },
    drop: { type: "string" },
    scrub: { type: "string", multiple: true },
    webhook: { type: "string" },
  },
  examples: [
    "capstan monitors add polite --agent Clerk --scorer judge='Is it polite?' --share 5 --budget 2",
    "capstan monitors add safe --agent Clerk --scorer no_leak --share 100",
    "capstan monitors alerts 0199a1c2-7f00-7000-8000-000000000000",
  ],
  run: (context) =>
    runVerb(context, monitors.usage, {
      list: { run: list },
      add: { needs: "a name", run: add },
      show: { needs: "a monitor's id", run: show },
      scores: { needs: "a monitor's id", run: scores },
      alerts: { needs: "a monitor's id", run: alerts },
      acknowledge: { needs: "a monitor's id", run: acknowledge },
      pause: { needs: "a monitor's id", run: (c, id) => setStatus(c, id, "paused") },
      resume: { needs: "a monitor's id", run: (c, id) => setStatus(c, id, "running") },
      remove: { needs: "a monitor's id", run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).monitors.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(
    ({ id, name, status, share, runs, budget_usd, spent_today_usd, open_alerts }) => [
      id,
      name,
      status,
      `${share} %`,
      `${runs.done} scored${runs.skipped > 0 ? `, ${runs.skipped} skipped` : ""}`,
      `$${spent_today_usd.toFixed(2)} of ${budget_usd === null ? "any" : `$${budget_usd.toFixed(2)}`} today`,
      open_alerts === 0 ? "" : `${open_alerts} open`,
    ],
  );
  const none = "No monitors. `capstan monitors add <name> --agent <agent> --scorer no_leak` makes one.";
  const head = ["ID", "NAME", "STATUS", "SHARE", "RUNS", "SPENT", "ALERTS"];
  return print(itemsOf(answer.value), () => printList(head, rows, terminal.columns, none));
}

async function add({ server, print, options }: CommandContext, name: string) {
  const { agent: asked, share, budget, every, drop, scrub, webhook } = options;
  if (typeof asked !== "string")
    return fail("command_invalid", { message: "name the agent with --agent", usage: monitors.usage });
  const scorers = await scorersOf([options.scorer ?? []].flat().map(String), monitors.usage);
  if (!scorers.ok) return scorers;
  const api = await server();
  const agent = await findAgent(api, asked);
  if (!agent.ok) return agent;
  const sent = {
    name,
    agent_id: agent.value.id,
    scorers: scorers.value,
    share: numberOf(share),
    budget_usd: options["no-budget"] === true ? null : numberOf(budget),
    every_runs: numberOf(every),
    drop: numberOf(drop),
    scrub,
    ...(typeof webhook === "string" && { webhook: { url: webhook } }),
  };
  const body = requestBody(monitorWire.MonitorCreate, sent, monitors.usage);
  if (!body.ok) return body;
  const made = await api.monitors.create(body.value);
  if (!made.ok) return made;
  const { id, share: percent, everybody } = made.value;
  const whose = everybody ? "everybody's runs" : "your runs";
  return print(made.value, `Added ${id}: scores ${percent} % of ${whose} with ${agent.value.name}\n`);
}

async function show({ server, print, terminal }: CommandContext, id: string) {
  const found = await (await server()).monitors.get(id);
  if (!found.ok) return found;
  const rows = found.value.revisions.flatMap(rowsOf);
  const head = ["REVISION", "SCORER", "MEAN", "95 %", "RUNS"];
  return print(found.value, () => printList(head, rows, terminal.columns, "No scores yet."));
}

const rowsOf = ({ revision, scorers }: MonitorReport["revisions"][number]): string[][] =>
  scorers.map(({ scorer, mean, low, high, items }) => [
    String(revision),
    scorer,
    mean.toFixed(3),
    `${low.toFixed(3)} to ${high.toFixed(3)}`,
    String(items),
  ]);

async function scores({ server, print, terminal }: CommandContext, id: string) {
  const found = await (await server()).monitors.scores(id);
  if (!found.ok) return found;
  const rows = found.value.items.map(({ run_id, revision, status, scores: each }) => [
    run_id,
    revision === null ? "" : String(revision),
    status,
    each.map(({ scorer, score, error }) => `${scorer} ${score ?? error ?? "–"}`).join(", "),
  ]);
  const head = ["RUN", "REVISION", "STATUS", "SCORES"];
  return print(found.value, () => printList(head, rows, terminal.columns, "No runs sampled yet."));
}

async function alerts({ server, print, terminal }: CommandContext, id: string) {
  const found = await (await server()).monitors.alerts(id);
  if (!found.ok) return found;
  const rows = found.value.items.map(
    ({ id: alert, scorer, revision, against, before, after, p, ...rest }) => [
      alert,
      scorer,
      `${against} -> ${revision}`,
      `${before.mean.toFixed(3)} -> ${after.mean.toFixed(3)}`,
      p.toPrecision(2),
      rest.acknowledged_by ?? "open",
      rest.at,
    ],
  );
  const head = ["ID", "SCORER", "REVISIONS", "MEAN", "P", "SEEN BY", "AT"];
  return print(found.value, () => printList(head, rows, terminal.columns, "No alerts."));
}

async function acknowledge({ server, print, args }: CommandContext, id: string) {
  const alert = args[2];
  if (alert === undefined)
    return fail("command_invalid", { message: "acknowledge needs an alert's id", usage: monitors.usage });
  const seen = await (await server()).monitors.acknowledge(id, alert);
  return seen.ok ? print(seen.value, `Alert ${alert} is acknowledged\n`) : seen;
}

async function setStatus({ server, print }: CommandContext, id: string, status: "running" | "paused") {
  const changed = await (await server()).monitors.change(id, { status });
  return changed.ok ? print(changed.value, `${changed.value.name} is ${changed.value.status}\n`) : changed;
}

async function remove({ server, print }: CommandContext, id: string) {
  const gone = await (await server()).monitors.remove(id);
  return gone.ok ? print({ removed: id }, `Removed ${id}\n`) : gone;
}
