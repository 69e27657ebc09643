/** Creates an experiment: validates it completely, resolves labels to revisions, then stores it with all its cells. */
import type { ExperimentCreate } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { type Scorer, type ScorerSpec, scorerName } from "@capstan/core/internal";
import type {
  AgentSharings,
  AuditLog,
  Composer,
  ConfigSeal,
  DatasetStore,
  ExperimentRecord,
  ExperimentStore,
  ItemRecord,
  LeasedWorker,
  Models,
  RevisionStore,
} from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";
import { usableAgents } from "../auth/ownership.ts";
import { everyItem, ownDataset, versionOf } from "../datasets/import-items.ts";
import type { Caller } from "../http/caller.ts";
import { checkChange, checkRevision } from "../replays/check-change.ts";
import { changeOf } from "../replays/replay-dto.ts";

export interface ExperimentParts {
  readonly experiments: ExperimentStore;
  readonly datasets: DatasetStore;
  readonly revisions: RevisionStore;
  readonly worker: LeasedWorker;
  readonly configSeal: Pick<ConfigSeal, "seal">;
  readonly models: Pick<Models, "check">;
  readonly scorers: readonly Scorer[];
  readonly audit: AuditLog;
  readonly sharing: AgentSharings;
  readonly composer: Pick<Composer, "knows">;
}

type Variant = ExperimentRecord["variants"][number];
type Asked = z.output<typeof ExperimentCreate>;
const MOST_CELLS = 20_000;

export async function createExperiment(
  parts: ExperimentParts,
  caller: Caller,
  body: Asked,
): Promise<Result<ExperimentRecord>> {
  const dataset = await ownDataset(parts, body.dataset_id, caller);
  if (!dataset.ok) return dataset;
  const agent = await usableAgents(parts.sharing, [body.agent_id], caller);
  if (!agent.ok) return agent;
  const version = versionOf(dataset.value, body.version);
  if (!version.ok) return version;
  const items = await everyItem(parts.datasets, dataset.value.id, version.value);
  if (items.length === 0) return fail("dataset_empty", { name: dataset.value.name });
  const cells = items.length * body.variants.length * body.repeats;
  if (cells > MOST_CELLS) return fail("experiment_too_large", { cells, limit: MOST_CELLS });
  const scorers = body.scorers as readonly ScorerSpec[];
  const checked = await checkScorers(parts, scorers, items);
  if (!checked.ok) return checked;
  const variants = await variantsOf(parts, caller, body);
  if (!variants.ok) return variants;
  const made = await parts.experiments.create({
    owner: caller.email,
    name: body.name,
    datasetId: dataset.value.id,
    datasetVersion: version.value,
    agentId: body.agent_id,
    variants: variants.value,
    scorers,
    repeats: body.repeats,
    liveReads: body.live_reads,
    concurrency: body.concurrency,
    budgetUsd: body.budget_usd,
  });
  parts.worker.wake();
  const details = { dataset: dataset.value.id, version: version.value, cells };
  await parts.audit.add({ actor: caller.email, action: "experiment.created", subject: made.id, details });
  return ok(made);
}

/** Every item is measured, by scorers that exist and are told apart by their names. */
async function checkScorers(
  parts: ExperimentParts,
  specs: readonly ScorerSpec[],
  items: readonly ItemRecord[],
): Promise<Result<true>> {
  const ofItems = items.map(({ item }) => item.scorers ?? []);
  if (specs.length === 0 && ofItems.some(({ length }) => length === 0)) return fail("scorers_missing", {});
  for (const more of ofItems) {
    const all = [...specs, ...more].map(scorerName);
    const twice = all.find((name, at) => all.indexOf(name) !== at);
    if (twice !== undefined)
      return fail("input_invalid", { where: `scorers: two are named "${twice}"; give one another name` });
  }
  for (const spec of [...specs, ...ofItems.flat()]) {
    const usable = await checkScorer(parts, spec);
    if (!usable.ok) return usable;
  }
  return ok(true);
}

async function checkScorer({ scorers, models }: ExperimentParts, spec: ScorerSpec): Promise<Result<true>> {
  if (spec.type === "judge") return models.check(spec.model);
  if (spec.type !== "code" || scorers.some(({ name }) => name === spec.scorer)) return ok(true);
  return fail("scorer_unknown", { scorer: spec.scorer, known: scorers.map(({ name }) => name) });
}

async function variantsOf(parts: ExperimentParts, caller: Caller, asked: Asked): Promise<Result<Variant[]>> {
  const labels = await parts.revisions.labels(asked.agent_id);
  if (!labels.ok) return labels;
  const numbers = new Map(labels.value.map(({ label, revision }) => [label as string, revision]));
  const made: Variant[] = [];
  for (const { name, revision = "live", ...change } of asked.variants) {
    const found = typeof revision === "number" ? revision : numbers.get(revision);
    if (found === undefined)
      return fail("not_found", { what: "revision with the label", id: String(revision) });
    const usable = await checkUsable(parts, caller, asked.agent_id, { asked: revision, found });
    if (!usable.ok) return usable;
    const allowed = await checkChange(parts, caller, { with: change, live_reads: asked.live_reads });
    if (!allowed.ok) return allowed;
    const stored = changeOf({ ...change, revision: found }, parts.configSeal.seal);
    made.push({ name: name ?? variantName(String(revision), found, change), change: stored });
  }
  return ok(made);
}

async function checkUsable(
  { sharing, revisions }: ExperimentParts,
  caller: Caller,
  agentId: string,
  revision: { readonly asked: string | number; readonly found: number },
): Promise<Result<unknown>> {
  const chosen = revision.asked === "live" ? ok(true) : await checkRevision(sharing, caller, agentId);
  return chosen.ok ? revisions.get(agentId, revision.found) : chosen;
}

/** A short description of what differs, where possible. */
function variantName(asked: string, found: number, change: Partial<Asked["variants"][number]>): string {
  const revision = asked === String(found) ? `revision ${found}` : `${asked} (revision ${found})`;
  const parts = [
    change.model,
    change.system_prompt === undefined ? undefined : "another prompt",
    change.capabilities && "other capabilities",
    change.rules && "other rules",
  ];
  return [revision, ...parts.filter((part) => part !== undefined)].join(", ").slice(0, 100);
}
