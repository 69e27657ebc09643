/** capstan replay: recorded runs, run again with a change. Ctrl-C stops waiting; the replay goes on in the server. */
import type { Api, ReplayReport } from "@capstan/client";
import { ReplayCreate } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { parseClearJson } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { changeOf, selectionOf } from "../replays/replay-change.ts";
import { replayText } from "../replays/replay-text.ts";
import { numberOf, requestBody } from "../request-body.ts";
import { runVerb, type Verb } from "../run-verb.ts";

const POLL_MS = 500;

export const replay: Command = {
  usage:
    "capstan replay <run | session | key=value of a query ...> [--with <revision | label | model | capability@version | rules file | prompt file>] " +
    "[--live-reads] [--stand-in <tool>=<json>] [--concurrency <n>] [--budget <usd>] [--no-wait] | list | show <id> | cancel <id> | remove <id>",
  summary:
    "Replays recorded runs with a change. Tool results come from the recording; nothing with side effects runs. " +
    "Exits with 1 if any run differs.",
  options: {
    with: { type: "string", multiple: true },
    "live-reads": { type: "boolean" },
    "stand-in": { type: "string", multiple: true },
    concurrency: { type: "string" },
    budget: { type: "string" },
    "no-wait": { type: "boolean" },
  },
  examples: [
    "capstan replay 0199a1c2-7f00-7000-8000-000000000000 --with 3",
    "capstan replay agent=Helper feedback=down --with prompt=better.md --with model=anthropic/claude-sonnet-4-5",
    "capstan replay agent=Helper limit=200 --with rules=rules.yaml --with model=recorded",
  ],
  async run(context) {
    const [word] = context.args;
    if (word === undefined)
      return fail("command_invalid", { message: "name a run, a session or a query", usage: replay.usage });
    return Object.hasOwn(VERBS, word) ? runVerb(context, replay.usage, VERBS) : start(context);
  },
};

const VERBS: Readonly<Record<string, Verb>> = {
  list: { run: list },
  show: { needs: "a replay's id", run: show },
  cancel: { needs: "a replay's id", run: cancel },
  remove: { needs: "a replay's id", run: remove },
};

async function start(context: CommandContext): ReturnType<Command["run"]> {
  const { options, args } = context;
  const change = await changeOf(listOf(options.with), replay.usage);
  if (!change.ok) return change;
  const standIns = standInsOf(listOf(options["stand-in"]));
  if (!standIns.ok) return standIns;
  const api = await context.server();
  const selection = await selectionOf(api, args, replay.usage);
  if (!selection.ok) return selection;
  const body = requestBody(
    ReplayCreate,
    {
      ...selection.value,
      with: change.value,
      live_reads: options["live-reads"],
      stand_ins: standIns.value,
      concurrency: numberOf(options.concurrency),
      budget_usd: numberOf(options.budget),
    },
    replay.usage,
  );
  if (!body.ok) return body;
  const made = await api.replays.create(body.value);
  if (!made.ok) return made;
  if (options["no-wait"]) return context.print(made.value, `Started ${made.value.id}\n`);
  return finish(context, await wait(context, api, made.value.id));
}

/** Shows the progress on a terminal until it ends. */
async function wait({ terminal, json }: CommandContext, api: Api, id: string): Promise<Result<ReplayReport>> {
  for (;;) {
    const report = await wholeReport(api, id);
    if (!report.ok || report.value.status !== "running") return report;
    const { progress } = report.value;
    const ended = progress.total - progress.queued - progress.running;
    if (terminal.isInteractive && !json) terminal.err(`\r${ended} of ${progress.total}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The comparisons of every page. */
async function wholeReport(api: Api, id: string): Promise<Result<ReplayReport>> {
  const first = await api.replays.get(id, { limit: 1 });
  if (!first.ok || first.value.status === "running") return first;
  const comparisons: ReplayReport["comparisons"] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await api.replays.get(id, { limit: 200, ...(cursor !== undefined && { cursor }) });
    if (!page.ok) return page;
    comparisons.push(...page.value.comparisons);
    const { next_cursor, ...report } = page.value;
    if (next_cursor === undefined) return ok({ ...report, comparisons });
    cursor = next_cursor;
  }
}

function finish(
  { print, terminal, json }: CommandContext,
  report: Result<ReplayReport>,
): Awaited<ReturnType<Command["run"]>> {
  if (!report.ok) return report;
  if (terminal.isInteractive && !json) terminal.err("\r");
  print(report.value, () => replayText(report.value));
  const { verdicts, progress } = report.value;
  return verdicts.same === progress.total ? 0 : 1;
}

async function show(context: CommandContext, id: string) {
  const report = await wholeReport(await context.server(), id);
  return report.ok ? context.print(report.value, () => replayText(report.value)) : report;
}

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).replays.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, status, progress, verdicts, created_at }) => [
    id,
    status,
    `${progress.total} runs`,
    Object.entries(verdicts)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(", "),
    created_at,
  ]);
  const none = "No replays. `capstan replay <run>` makes one.";
  return print(answer.value, () =>
    printList(["ID", "STATUS", "RUNS", "VERDICTS", "AT"], rows, terminal.columns, none),
  );
}

async function cancel({ server, print }: CommandContext, id: string) {
  const done = await (await server()).replays.cancel(id);
  return done.ok ? print(done.value, `Replay ${id} is ${done.value.status}\n`) : done;
}

async function remove({ server, print }: CommandContext, id: string) {
  const gone = await (await server()).replays.remove(id);
  return gone.ok ? print({ removed: id }, `Removed ${id}\n`) : gone;
}

const listOf = (value: unknown): string[] => [value ?? []].flat().map(String);

function standInsOf(given: readonly string[]): Result<{ tool: string; output: unknown }[]> {
  const found: { tool: string; output: unknown }[] = [];
  for (const text of given) {
    const at = text.indexOf("=");
    try {
      found.push({ tool: text.slice(0, at), output: parseClearJson(text.slice(at + 1)) });
    } catch {
      const message = `--stand-in ${text}: write it as tool=<json>`;
      return fail("command_invalid", { message, usage: replay.usage });
    }
  }
  return ok(found);
}
