/**
 * Catalogs to fit and measure "nothing fits" on. Beside each set as it is: the same with every fifth capability hidden, so that its tasks
 * have near neighbours and no answer; and without triggers. Sets with a train split are read by the table that comes with the data, which
 * never saw their labels, and once more by the shipped one.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openTable, staticEmbedding } from "@capstan/builtins";
import type { Embed } from "@capstan/core/internal";
import { type CatalogValues, catalogValues } from "../../packages/core/src/route/catalog-model.ts";
import { catalogRows, type OwnRow } from "../../packages/core/src/route/catalog-rows.ts";
import {
  type ConfidenceValues,
  confidenceValues,
  unknownShare,
} from "../../packages/core/src/route/confidence.ts";
import { candidatesFor } from "../../packages/core/src/route/features.ts";
import { evidence, fieldOf } from "../../packages/core/src/route/fusion.ts";
import { createRouteIndex, type RouteIndex } from "../../packages/core/src/route/route-index.ts";
import { readTask } from "../../packages/core/src/route/task.ts";
import { type RouteWeights, weightsFor } from "../../packages/core/src/route/weights.ts";
import { dataFolder, type Labelled, type RoutingSet, readSet, type SetName, TRAIN_SETS } from "./sets.ts";

export interface VariantRow {
  readonly text: string;
  readonly values: ConfidenceValues;
  readonly catalog: CatalogValues;
  readonly none: boolean;
  readonly right: boolean;
}

export interface Variant {
  readonly name: string;
  readonly set: SetName;
  /** Read by the shipped table, which saw the labels of its train split. */
  readonly seen: boolean;
  readonly rows: readonly VariantRow[];
  /** The catalog's own rows, as the router makes them. */
  readonly own: readonly OwnRow[];
}

const EVERY = 5;
const FITTED_ON: readonly SetName[] = ["metatool", "clinc150", "banking77", "bfcl", "sealtools"];
const unseenTable = join(dataFolder(), "models/static-minilm-256.int8.bin");

export interface VariantOptions {
  readonly model?: Embed | undefined;
  readonly prepare?: ((set: RoutingSet) => Promise<void>) | undefined;
}

export async function* variants({ model, prepare }: VariantOptions = {}): AsyncGenerator<Variant> {
  const vocabulary = readFileSync(
    join(import.meta.dirname, "../../packages/builtins/data/vocab.txt"),
    "utf8",
  );
  const unseen = existsSync(unseenTable)
    ? openTable(readFileSync(unseenTable), vocabulary)
    : staticEmbedding();
  for (const name of FITTED_ON) {
    const set = readSet(name);
    await prepare?.(set);
    const trained = TRAIN_SETS.includes(name);
    const embed = model ?? (trained ? unseen : staticEmbedding());
    yield variantOf(set, embed, { label: "as it is" });
    yield variantOf(set, embed, { label: "every fifth hidden", hide: true });
    if (trained) yield variantOf(set, embed, { label: "without triggers", triggers: false });
    if (trained && !model) yield variantOf(set, staticEmbedding(), { label: "as it is", seen: true });
  }
}

interface VariantShape {
  readonly label: string;
  readonly hide?: boolean;
  readonly triggers?: boolean;
  readonly seen?: boolean;
}

function variantOf(
  set: RoutingSet,
  embed: Embed,
  { label, hide = false, triggers = true, seen = false }: VariantShape,
): Variant {
  const hidden = new Set(
    hide ? set.capabilities.filter((_, at) => at % EVERY === 1).map(({ id }) => id) : [],
  );
  const index = createRouteIndex({ embed });
  for (const document of set.capabilities.filter(({ id }) => !hidden.has(id)))
    index.add(triggers ? document : { ...document, triggers: [] });
  const weights = weightsFor(embed);
  const tasks =
    set.dev.length > 0 && set.capabilities.length > 1_000 ? set.dev.filter((_, at) => at % 2 === 0) : set.dev;
  return {
    name: `${set.name}, ${label}${seen ? ", seen in train" : ""}`,
    set: set.name,
    seen,
    rows: tasks.map((task) => rowOf(task, index, weights, hidden)),
    own: catalogRows(index, weights.fusion),
  };
}

function rowOf(
  { task: text, expected }: Labelled,
  index: RouteIndex,
  weights: RouteWeights,
  hidden: ReadonlySet<string>,
): VariantRow {
  const task = readTask(text, index.embed);
  const candidates = candidatesFor(task, index);
  const field = fieldOf(candidates);
  const ranked = candidates
    .map((candidate) => ({ candidate, evidence: evidence(candidate, field, weights.fusion) }))
    .sort((a, b) => b.evidence - a.evidence);
  const first = ranked[0]?.candidate.entry.document;
  const answers = expected.filter((id) => !hidden.has(id));
  return {
    text,
    values: confidenceValues({
      best: field.best,
      task,
      scores: ranked.map((each) => each.evidence),
      unknown: unknownShare(task.contentTerms, index.postings),
      spoken: (first?.triggers?.length ?? 0) > 0,
    }),
    catalog: catalogValues(candidates, ranked, task.whole.vector),
    none: answers.length === 0,
    right: first !== undefined && answers.includes(first.id),
  };
}
