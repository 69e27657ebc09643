/**
 * Routing on catalogs left out of every fit, then on every dev set beside minisearch and BM25 + MiniLM, then languages, arguments and floors, in one run:  cd bench && npm install && node routing/run.ts [set ...]
 *   --tier lexical | static | minilm   (static is what ships; minilm needs its two optional packages)
 * Data from ROUTING_DATA. The weights were fitted on dev (a dozen numbers) and the table on the train splits; the
 * figures for catalogs nobody trained on are those of bfcl, sealtools and livemcp, and of `fit.ts`, which leaves sets out.
 */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Minilm, openMinilm, staticEmbedding } from "@capstan/builtins";
import { createRouteIndex, rank } from "@capstan/core";
import { documentTexts, type Embed, taskTexts } from "@capstan/core/internal";
import MiniSearch, { type SearchResult } from "minisearch";
import { report } from "../result.ts";
import { joined, neighbours } from "./bm25-minilm.ts";
import { type Row, routingFinding } from "./finding.ts";
import { leftOut, leftOutFinding } from "./left-out.ts";
import { measure, percentile } from "./measures.ts";
import { type RoutingSet, readSet, SET_NAMES, type SetName } from "./sets.ts";

const TOP = 10;
const REPEATS = 3;
const REPEATS_SMALL = 9; // a ranking of a fraction of a millisecond is easily interrupted
const SMALL = 200;
const repeatsFor = ({ capabilities }: RoutingSet): number =>
  capabilities.length <= SMALL ? REPEATS_SMALL : REPEATS;
/** Not of any dev set: a text that was read before is in the model's memory. */
const WARM_UP = readSet("banking77").train.slice(0, 300);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tier: { type: "string", default: "static" } },
});
const names = positionals.length > 0 ? positionals.map((name) => name as SetName) : SET_NAMES;
const minilm = values.tier === "minilm" ? await openMinilm({ from: import.meta.url }) : undefined;
if (values.tier === "minilm" && !minilm) throw new Error("the MiniLM packages are not installed in bench");
if (values.tier === "static" && positionals.length === 0) report(leftOutFinding(await leftOut()));
const published = await openMinilm({ from: import.meta.url, tuning: false });
if (!published) console.log("without BM25 + MiniLM kNN: the MiniLM packages are not installed in bench");
const rows: Row[] = [];
for (const name of names) {
  const set = readSet(name);
  const found = [await ours(set, minilm), peer(set), ...(published ? [await modelPeer(set, published)] : [])];
  rows.push(...found);
  print(found);
}
if (values.tier === "static" || values.tier === "minilm") report(routingFinding(values.tier, rows));
if (values.tier === "static" && positionals.length === 0) {
  await import("./languages/run.ts"); // what tasks in other languages find, and, below, arguments and floors
  await import("../tasks/run.ts");
}

async function ours(set: RoutingSet, model: Minilm | undefined): Promise<Row> {
  const embed: Embed | undefined =
    values.tier === "lexical" ? undefined : (model?.embed ?? staticEmbedding());
  for (const document of set.capabilities) {
    const { own, triggers } = documentTexts(document);
    await model?.prepare([own, ...triggers]);
  }
  const before = memory();
  const started = performance.now();
  const index = createRouteIndex({ embed });
  for (const document of set.capabilities) index.add(document);
  const indexMs = performance.now() - started;
  const indexMb = (memory() - before) / 1e6;
  const times: Times[] = [];
  const ranked: string[][] = [];
  for (const { task } of [...WARM_UP, ...set.dev]) {
    const from = performance.now();
    await model?.prepare(taskTexts(task)); // kept in memory: only the first time counts
    const prepared = performance.now() - from;
    let ids: string[] = [];
    const answer = () => {
      ids = rank(task, index, { topK: TOP }).matches.map(({ id }) => id);
    };
    times.push(timed(answer, repeatsFor(set), prepared));
    ranked.push(ids);
  }
  const from = WARM_UP.length;
  return toRow(`capstan (${values.tier})`, set, ranked.slice(from), times.slice(from), indexMs, indexMb);
}

function peer(set: RoutingSet): Row {
  const before = memory();
  const started = performance.now();
  const search = bm25(set);
  const indexMs = performance.now() - started;
  const indexMb = (memory() - before) / 1e6;
  const times: Times[] = [];
  const found = set.dev.map(({ task }) => {
    let hits: SearchResult[] = [];
    const answer = () => {
      hits = search.search(task).slice(0, TOP);
    };
    times.push(timed(answer, repeatsFor(set)));
    return { ids: hits.map(({ id }) => String(id)), best: hits[0]?.score ?? 0 };
  });
  return gatedRow("minisearch", set, found, { times, indexMs, indexMb });
}

function bm25(set: RoutingSet): MiniSearch<{ id: string }> {
  const search = new MiniSearch<{ id: string }>({
    fields: ["name", "id", "description", "tags", "triggers", "params"],
    searchOptions: { boost: { name: 2 } },
  });
  search.addAll(
    set.capabilities.map(({ tags = [], triggers = [], params = [], ...rest }) => ({
      ...rest,
      tags: tags.join(" "),
      triggers: triggers.join("\n"),
      params: params.join(" "),
    })),
  );
  return search;
}

/** Each task once: nobody waits for the model three times. */
async function modelPeer(set: RoutingSet, model: Minilm): Promise<Row> {
  const before = memory();
  const started = performance.now();
  const search = bm25(set);
  const index = await neighbours(set, model);
  const indexMs = performance.now() - started;
  const indexMb = (memory() - before) / 1e6;
  const times: Times[] = [];
  const found: Found[] = [];
  for (const { task } of set.dev) {
    const from = performance.now();
    const { ids, best } = await index.nearest(task);
    found.push({ ids: joined([search.search(task).map(({ id }) => String(id)), ids], TOP), best });
    const took = performance.now() - from;
    times.push({ first: took, best: took });
  }
  return gatedRow("BM25 + MiniLM kNN", set, found, { times, indexMs, indexMb });
}

interface Found {
  readonly ids: readonly string[];
  readonly best: number;
}

interface Cost {
  readonly times: readonly Times[];
  readonly indexMs: number;
  readonly indexMb: number;
}

function gatedRow(system: string, set: RoutingSet, found: readonly Found[], cost: Cost): Row {
  const floor = bestFloor(set, found);
  const { times, indexMs, indexMb } = cost;
  const row = toRow(
    system,
    set,
    found.map(({ ids }) => ids),
    times,
    indexMs,
    indexMb,
  );
  const gated = measure(
    set.dev,
    found.map(({ ids, best }) => (best < floor ? [] : ids)),
  );
  return { ...row, noMatchF1: gated.noMatchF1 };
}

/** A peer has no notion of "nothing fits": it gets the floor that is best for it on these very tasks, for F1 only. */
function bestFloor(set: RoutingSet, found: readonly Found[]): number {
  const floors = [...new Set(found.map(({ best }) => best))];
  const scored = floors.map((floor) => ({
    floor,
    f1: measure(
      set.dev,
      found.map(({ best }) => (best < floor ? [] : ["x"])),
    ).noMatchF1,
  }));
  return scored.reduce((best, next) => ((next.f1 ?? 0) > (best.f1 ?? 0) ? next : best), {
    floor: 0,
    f1: 0 as number | undefined,
  }).floor;
}

function toRow(
  system: string,
  set: RoutingSet,
  ranked: readonly (readonly string[])[],
  times: readonly Times[],
  indexMs: number,
  indexMb: number,
): Row {
  return {
    system,
    set: set.name,
    capabilities: set.capabilities.length,
    ...measure(set.dev, ranked),
    indexMs,
    indexMb,
    p50Ms: percentile(
      times.map(({ best }) => best),
      0.5,
    ),
    p99Ms: percentile(
      times.map(({ best }) => best),
      0.99,
    ),
    firstP99Ms: percentile(
      times.map(({ first }) => first),
      0.99,
    ),
  };
}

interface Times {
  readonly first: number;
  /** The fastest of a few repeats: what another program does on this machine meanwhile does not count. */
  readonly best: number;
}

function timed(work: () => void, repeats: number, before = 0): Times {
  const times = Array.from({ length: repeats }, () => {
    const from = performance.now();
    work();
    return before + performance.now() - from;
  });
  return { first: times[0] ?? 0, best: Math.min(...times) };
}

function memory(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function print(rows: readonly Row[]): void {
  const percent = (value: number | undefined) =>
    (value === undefined ? "-" : (value * 100).toFixed(1)).padStart(6);
  for (const row of rows) {
    console.log(
      `${row.set.padEnd(10)} ${row.system.padEnd(17)} top-1${percent(row.top1)}  R@5${percent(row.recall5)}  NDCG@10${percent(row.ndcg10)}` +
        `  no-match F1${percent(row.noMatchF1)}  falsely none${percent(row.falseNone)}` +
        `  p50 ${row.p50Ms.toFixed(2)} p99 ${row.p99Ms.toFixed(2)} ms  index ${row.indexMs.toFixed(0)} ms, ${row.indexMb.toFixed(1)} MB`,
    );
  }
}
