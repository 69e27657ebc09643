/** capstan eval: measures variants of an agent on a dataset, for a build. Exits with 1 when a threshold is missed. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Api, Dataset, ExperimentReport, VariantCreate } from "@capstan/client";
import { datasetFormatOf, ExperimentCreate, itemsInFile } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { findAgent } from "../agents/find-agent.ts";
import type { Command, CommandContext } from "../command.ts";
import { evalJunit, evalMarkdown, evalText } from "../evals/eval-report.ts";
import {
  type Criteria,
  type EvalCell,
  type EvalResult,
  faultsOf,
  thresholdsOf,
} from "../evals/eval-result.ts";
import { findDataset } from "../evals/find-dataset.ts";
import { evalOffline } from "../evals/offline-eval.ts";
import { readDatasetFile } from "../evals/read-dataset-file.ts";
import { scorersOf } from "../evals/read-scorers.ts";
import { changeOf } from "../replays/replay-change.ts";
import { numberOf, requestBody } from "../request-body.ts";

const POLL_MS = 500;

export const evaluate: Command = {
  usage:
    "capstan eval <dataset | file.jsonl | file.csv> --agent <agent> [--version <n>] [--revision <n | live | canary | draft> ...] " +
    "[--model <provider/model | recorded> ...] [--with <change> ...] [--scorer <name | name=value | json | file> ...] [--repeats <n>] " +
    "[--threshold <number | scorer=number> ...] [--no-worse-than <revision or label>] [--tolerance <number>] " +
    "[--junit <file>] [--markdown <file>] [--concurrency <n>] [--budget <usd>] [--live-reads] | <file.jsonl | file.csv> --offline",
  summary:
    "Measures variants of an agent on a dataset: every revision with every model. Exits with 1 when a mean is below its threshold or below that of --no-worse-than. " +
    "`--offline` scores the answers recorded in a file, without a server.",
  options: {
    agent: { type: "string" },
    version: { type: "string" },
    revision: { type: "string", multiple: true },
    model: { type: "string", multiple: true },
    with: { type: "string", multiple: true },
    scorer: { type: "string", multiple: true },
    repeats: { type: "string" },
    threshold: { type: "string", multiple: true },
    "no-worse-than": { type: "string" },
    tolerance: { type: "string" },
    junit: { type: "string" },
    markdown: { type: "string" },
    concurrency: { type: "string" },
    budget: { type: "string" },
    "live-reads": { type: "boolean" },
    offline: { type: "boolean" },
  },
  examples: [
    "capstan eval refunds --agent Clerk --revision draft --scorer exact --no-worse-than live --markdown comment.md",
    "capstan eval refunds --agent Clerk --scorer judge='Is it polite?' --repeats 3 --threshold judge=0.8 --junit report.xml",
    "capstan eval refunds.jsonl --offline --scorer exact --threshold 1",
  ],
  async run(context) {
    const { args, options } = context;
    const [subject] = args;
    if (subject === undefined)
      return fail("command_invalid", { message: "name a dataset or a file", usage: evaluate.usage });
    const thresholds = thresholdsOf(listOf(options.threshold), evaluate.usage);
    if (!thresholds.ok) return thresholds;
    const tolerance = numberOf(options.tolerance ?? "0");
    if (typeof tolerance !== "number")
      return fail("command_invalid", { message: "--tolerance is a number", usage: evaluate.usage });
    const criteria = {
      thresholds: thresholds.value,
      noWorse: options["no-worse-than"] !== undefined,
      tolerance,
    };
    const result =
      options.offline === true ? await offline(context, subject) : await onServer(context, subject);
    return result.ok ? finish(context, result.value, criteria) : result;
  },
};

async function finish(
  { print, options }: CommandContext,
  result: EvalResult,
  criteria: Criteria,
): Promise<number> {
  const faults = faultsOf(result, criteria);
  if (typeof options.junit === "string") await writeFile(options.junit, evalJunit(result));
  if (typeof options.markdown === "string") await writeFile(options.markdown, evalMarkdown(result, faults));
  const { experimentId, costUsd, ...found } = result;
  const told = { experiment_id: experimentId, cost_usd: costUsd, ...found };
  print({ passed: faults.length === 0, faults, ...told }, () => evalText(result, faults));
  return faults.length === 0 ? 0 : 1;
}

async function offline({ options }: CommandContext, path: string): Promise<Result<EvalResult>> {
  const text = await readDatasetFile(path, evaluate.usage);
  if (!text.ok) return text;
  const items = itemsInFile(datasetFormatOf(path) ?? "jsonl", text.value);
  if (!items.ok) return items;
  const scorers = await scorersOf(listOf(options.scorer), evaluate.usage);
  return scorers.ok ? evalOffline(basename(path), items.value, scorers.value) : scorers;
}

async function onServer(context: CommandContext, subject: string): Promise<Result<EvalResult>> {
  const { options } = context;
  if (typeof options.agent !== "string")
    return fail("command_invalid", { message: "name the agent with --agent", usage: evaluate.usage });
  const scorers = await scorersOf(listOf(options.scorer), evaluate.usage);
  if (!scorers.ok) return scorers;
  const variants = await variantsOf(options);
  if (!variants.ok) return variants;
  const api = await context.server();
  const agent = await findAgent(api, options.agent);
  if (!agent.ok) return agent;
  const dataset = await datasetFrom(api, subject);
  if (!dataset.ok) return dataset;
  const body = requestBody(
    ExperimentCreate,
    {
      name: `eval ${dataset.value.name}`.slice(0, 200),
      dataset_id: dataset.value.id,
      version: numberOf(options.version),
      agent_id: agent.value.id,
      variants: variants.value,
      scorers: scorers.value,
      repeats: numberOf(options.repeats),
      concurrency: numberOf(options.concurrency),
      budget_usd: numberOf(options.budget),
      live_reads: options["live-reads"],
    },
    evaluate.usage,
  );
  if (!body.ok) return body;
  const made = await api.experiments.create(body.value);
  if (!made.ok) return made;
  const report = await waitFor(context, api, made.value.id);
  return report.ok ? resultOf(api, report.value) : report;
}

/** Every revision with every model; what must not be worse comes after its baseline. */
async function variantsOf(options: CommandContext["options"]): Promise<Result<VariantCreate[]>> {
  const change = await changeOf(listOf(options.with), evaluate.usage);
  if (!change.ok) return change;
  const revisions = listOf(options.revision);
  const models = listOf(options.model);
  const tried = (revisions.length > 0 ? revisions : [undefined]).flatMap((revision) =>
    (models.length > 0 ? models : [undefined]).map((model) => ({
      ...change.value,
      ...(revision !== undefined && { revision: numberOf(revision) }),
      ...(model !== undefined && { model }),
    })),
  ) as VariantCreate[];
  const baseline = options["no-worse-than"];
  if (baseline === undefined) return ok(tried);
  const first = { revision: numberOf(baseline), ...(models[0] === "recorded" && { model: "recorded" }) };
  return ok([first as VariantCreate, ...tried]);
}

/** A file becomes a dataset of its name: the same file again makes no new version. */
async function datasetFrom(api: Api, subject: string): Promise<Result<Dataset>> {
  const format = datasetFormatOf(subject);
  if (!format) return findDataset(api, subject);
  const read = await readDatasetFile(subject, evaluate.usage);
  if (!read.ok) return read;
  const text = read.value;
  const name = `${basename(subject)} ${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
  const had = await findDataset(api, name);
  if (had.ok) return had;
  const made = await api.datasets.create({
    name,
    description: `From ${basename(subject)}, by capstan eval.`,
  });
  if (!made.ok) return made;
  const filled = await api.datasets.import(made.value.id, { file: { format, text } });
  if (filled.ok) return made;
  await api.datasets.remove(made.value.id);
  return filled;
}

async function waitFor(
  { terminal, json }: CommandContext,
  api: Api,
  id: string,
): Promise<Result<ExperimentReport>> {
  for (;;) {
    const report = await api.experiments.get(id);
    if (!report.ok || report.value.status !== "running") return report;
    const { progress } = report.value;
    if (terminal.isInteractive && !json)
      terminal.err(`\r${progress.total - progress.queued - progress.running} of ${progress.total}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function resultOf(api: Api, report: ExperimentReport): Promise<Result<EvalResult>> {
  const cells: EvalCell[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await api.experiments.cells(report.id, {
      limit: 200,
      ...(cursor !== undefined && { cursor }),
    });
    if (!page.ok) return page;
    cells.push(...page.value.items);
    cursor = page.value.next_cursor;
    if (cursor === undefined) break;
  }
  return ok({
    dataset: `${report.dataset_name} v${report.version}`,
    experimentId: report.id,
    variants: report.variants.map(({ name }) => name),
    figures: report.figures,
    cells,
    costUsd: report.cost_usd,
  });
}

const listOf = (value: unknown): string[] => [value ?? []].flat().map(String);
