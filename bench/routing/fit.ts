/**
 * Fits the router's weights:  node bench/routing/fit.ts [--table <file>] [--lexical | --minilm]
 *
 * 1. Fusion: listwise softmax over the candidates of each dev task and the first five, weights kept at or above zero.
 * 2. No-match: logistic regression on the field of candidates; 3. confidence: the same, for "the first is right".
 * The sets with a train split are read with the table that comes with the data, which knows their train texts but not
 * their labels, else the fit would trust embeddings more than an unseen catalog deserves. Cross-validation leaves one
 * whole set out at a time, then half of every set.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openMinilm, openTable, staticEmbedding } from "@capstan/builtins";
import { documentTexts, type Embed, taskTexts } from "@capstan/core/internal";
import { unknownShare } from "../../packages/core/src/route/confidence.ts";
import type { Feature } from "../../packages/core/src/route/features.ts";
import { candidatesFor } from "../../packages/core/src/route/features.ts";
import { fieldOf } from "../../packages/core/src/route/fusion.ts";
import { createRouteIndex } from "../../packages/core/src/route/route-index.ts";
import { readTask, type Task } from "../../packages/core/src/route/task.ts";
import {
  byGroup,
  fitConfidence,
  outcome,
  type Point,
  pointsOf,
  refusedBy,
  report,
  reportConfidence,
} from "./fit-confidence.ts";
import { fitFusion, type Term, top1 } from "./fit-fusion.ts";
import { unseenPhrasing } from "./fit-phrasing.ts";
import {
  dataFolder,
  halfOf,
  type RoutingSet,
  random,
  readSet,
  SET_NAMES,
  type SetName,
  TRAIN_SETS,
} from "./sets.ts";

const { values: options } = parseArgs({
  options: {
    table: { type: "string" },
    lexical: { type: "boolean" },
    minilm: { type: "boolean" },
  },
});
const vocabulary = readFileSync(join(import.meta.dirname, "../../packages/builtins/data/vocab.txt"), "utf8");
const minilm = options.minilm ? await openMinilm({ from: import.meta.url }) : undefined;
if (options.minilm && !minilm) throw new Error("the MiniLM packages are not installed in bench");
const shipped = options.table ? openTable(readFileSync(options.table), vocabulary) : staticEmbedding();

/** One dev task: its candidates' terms, which are right, and what the confidence models read. */
export interface Example {
  /** Row after row: the terms of each candidate. */
  readonly matrix: Float64Array;
  readonly right: readonly boolean[];
  /** How many answers there are, and how many are among the candidates. */
  readonly answers: number;
  readonly found: number;
  readonly best: Readonly<Record<Feature, number>>;
  readonly unknown: number;
  /** Which half of its set, for the cross-validation: the same for all groups of a set. */
  readonly half: number;
  readonly text: string;
  readonly task: Pick<Task, "contentTerms" | "clauses">;
  /** Which candidates have triggers. */
  readonly spoken: readonly boolean[];
}

export interface Group {
  readonly name: string;
  readonly set: SetName;
  readonly weight: number;
  /** In the fit of the confidence models, when not the same: what is refused depends on the table that is shipped. */
  readonly confidenceWeight?: number;
  readonly examples: readonly Example[];
}

const LEXICAL_TERMS: readonly Term[] = [
  ["relative", "words"],
  ["plain", "phrase"],
  ["plain", "name"],
  ["plain", "cover"],
  ["plain", "action"],
  ["plain", "tag"],
  ["plain", "pair"],
  ["plain", "param"],
  ["plain", "room"],
];
const STATIC_TERMS: readonly Term[] = [
  ["relative", "words"],
  ["plain", "phrase"],
  ["plain", "name"],
  ["plain", "action"],
  ["plain", "tag"],
  ["plain", "pair"],
  ["plain", "param"],
  ["plain", "room"],
  ["plain", "centre"],
  ["plain", "clauseCentre"],
  ["plain", "nearest"],
  ["doubt", "centre"],
  ["doubt", "clauseCentre"],
  ["doubt", "nearest"],
];
const tier = options.lexical ? "lexical" : options.minilm ? "minilm" : "static";
const terms = options.lexical ? LEXICAL_TERMS : STATIC_TERMS;
/** What a set without triggers counts for: made-up interfaces (sealtools) less than real ones. */
const NO_TRIGGERS: Partial<Record<SetName, number>> = { bfcl: 1.8, sealtools: 0.6 };
const PRICE_OF_REFUSAL = options.lexical ? 2 : 9; // words alone see less that does not fit, and must refuse more readily

const groups: Group[] = [];
for (const set of SET_NAMES.map(readSet)) {
  await minilm?.prepare([
    ...set.capabilities.map(documentTexts).flatMap(({ own, triggers }) => [own, ...triggers]),
    ...set.dev.flatMap(({ task }) => taskTexts(task)),
  ]);
  groups.push(...groupsOf(set));
}
const fitted = groups.filter(({ weight }) => weight > 0);
const weights = fitFusion(fitted, terms);
console.log("fusion", describe(weights));
for (const name of SET_NAMES) {
  const others = fitted.filter(({ set }) => set !== name);
  const left = others.length < fitted.length ? fitFusion(others, terms, weights) : weights;
  for (const group of groups.filter(({ set }) => set === name)) {
    console.log(
      `${group.name.padEnd(24)} top-1 ${percent(top1(group, weights))}   without the set in the fit ${percent(top1(group, left))}`,
    );
  }
}
const phrasing = unseenPhrasing();
const points = groups.flatMap((group) => pointsOf(group, weights, phrasing));
const models = fitConfidence(points, PRICE_OF_REFUSAL);
console.log("\nafter refusing, fitted on all of dev");
reportConfidence(points, models);
console.log("\nafter refusing; fusion, models and threshold fitted on the other half of every set");
crossValidate();
writeFileSync(
  `/tmp/routing-weights-${tier}.json`,
  `${JSON.stringify({ terms: terms.map((term, at) => [...term, round(weights[at] ?? 0)]), ...models }, null, 2)}\n`,
);

/** What the figures would be on tasks of these sets that no weight has seen. */
function crossValidate(): void {
  const judged: (Point & { refused: boolean })[] = [];
  for (const half of [0, 1]) {
    const part = (own: boolean) =>
      groups.map((group) => ({
        ...group,
        examples: group.examples.filter((example) => (example.half === half) === own),
      }));
    const found = fitFusion(
      part(false).filter(({ weight }) => weight > 0),
      terms,
      weights,
    );
    const heard = unseenPhrasing(half);
    const model = fitConfidence(
      part(false).flatMap((group) => pointsOf(group, found, heard)),
      PRICE_OF_REFUSAL,
    );
    const isRefused = refusedBy(model.none, model.noneThreshold);
    for (const point of part(true).flatMap((group) => pointsOf(group, found, heard))) {
      judged.push({ ...point, refused: isRefused(point) });
    }
  }
  for (const [name, own] of byGroup(judged))
    report(
      name,
      outcome(own, ({ refused }) => refused),
    );
}

/** Full, without triggers, and with a random number of them: most catalogs have none, or some. */
function groupsOf(set: RoutingSet): Group[] {
  const unseen =
    TRAIN_SETS.includes(set.name) && !minilm ? join(dataFolder(), "models/static-minilm-256.int8.bin") : "";
  const embed = embeddingFor(unseen);
  const next = random(7);
  const make = (
    label: string,
    weight: number,
    nth: number,
    triggers: (all: readonly string[]) => readonly string[],
  ) => ({
    name: `${set.name} ${label}`,
    set: set.name,
    weight,
    examples: examplesOf(set, embed, nth, triggers),
  });
  if (set.name === "livemcp") return [make("as it is", 0, 1, (all) => all)]; // 47 tasks: to look at, not to fit on
  if (!set.capabilities.some(({ triggers }) => triggers?.length))
    return [make("as it is", NO_TRIGGERS[set.name] ?? 1, 1, (all) => all)];
  const some = (all: readonly string[]) =>
    next() < 0.4 ? [] : all.slice(0, Math.floor(next() * (all.length + 1)));
  const seen =
    options.lexical || !existsSync(unseen)
      ? []
      : [
          {
            ...make("as it is, seen in train", 0.7, 1, (all) => all),
            confidenceWeight: 1,
            examples: examplesOf(set, shipped, 1, (all) => all),
          },
        ];
  return [
    {
      ...make("as it is", seen.length > 0 ? 0.6 : 1, 1, (all) => all),
      confidenceWeight: seen.length > 0 ? 0.3 : 1,
    },
    make("no triggers", 0.3, 2, () => []),
    make("some triggers", 0.3, 2, some),
    ...seen,
  ];
}

function embeddingFor(unseen: string): Embed | undefined {
  if (options.lexical) return undefined;
  if (minilm) return minilm.embed;
  return existsSync(unseen) ? openTable(readFileSync(unseen), vocabulary) : shipped;
}

function examplesOf(
  set: RoutingSet,
  embed: Embed | undefined,
  nth: number,
  triggers: (all: readonly string[]) => readonly string[],
): Example[] {
  const index = createRouteIndex({ embed });
  for (const document of set.capabilities)
    index.add({ ...document, triggers: triggers(document.triggers ?? []) });
  return set.dev
    .map((labelled, at) => ({ ...labelled, half: halfOf(at) }))
    .filter((_, at) => at % nth === 0)
    .map(({ task, expected, half }) => {
      const read = readTask(task, embed);
      const candidates = candidatesFor(read, index);
      const { best, doubt } = fieldOf(candidates);
      const right = candidates.map(({ entry }) => expected.includes(entry.document.id));
      return {
        matrix: Float64Array.from(
          candidates.flatMap(({ features }) =>
            terms.map(([kind, feature]) => {
              if (kind === "relative") return best[feature] > 0 ? features[feature] / best[feature] : 0;
              return kind === "doubt" ? features[feature] * doubt : features[feature];
            }),
          ),
        ),
        right,
        found: right.filter(Boolean).length,
        answers: expected.length,
        best,
        half,
        text: task,
        task: read,
        unknown: unknownShare(read.contentTerms, index.postings),
        spoken: candidates.map(({ entry }) => (entry.document.triggers?.length ?? 0) > 0),
      };
    });
}

function describe(found: Float64Array): string {
  return terms.map(([kind, feature], at) => `${kind}.${feature}=${(found[at] ?? 0).toFixed(2)}`).join(" ");
}

function percent(value: number): string {
  return (value * 100).toFixed(1);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
