/** The routing figures in the shape of every benchmark, with the targets they are held against. */
import { type Finding, figure, type Goal } from "../result.ts";
import type { Measures } from "./measures.ts";
import type { SetName } from "./sets.ts";

export interface Row extends Measures {
  readonly system: string;
  readonly set: SetName;
  readonly capabilities: number;
  readonly indexMs: number;
  readonly indexMb: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the first try of each task, whatever else the machine did. */
  readonly firstP99Ms: number;
}

type Target = readonly [top1: number, recall5?: number | undefined, noMatchF1?: number | undefined];

/** Percent, for the held-out part of each set. */
const TARGETS: Record<"static" | "minilm", Partial<Record<SetName, Target>>> = {
  static: {
    metatool: [76, 90, 74],
    clinc150: [89, 96, 77],
    banking77: [84],
    bfcl: [61, 84],
    sealtools: [95, 90],
  },
  minilm: {
    metatool: [78, 92, 78],
    clinc150: [92, undefined, 82],
    banking77: [87],
    bfcl: [66, 88],
    sealtools: [96, 91],
  },
};

const METHOD =
  "Every task of each dev split is ranked over the whole catalog, compared with minisearch on the same fields and with minisearch combined with the nearest text by all-MiniLM-L6-v2 (reciprocal ranks). A refused task that has an answer counts as wrong everywhere. The targets are those of a held-out split that is not in the repository; the weights were fitted on dev, so see docs/routing.md for figures on unseen catalogs. Times are the fastest of three repeats, or of nine in catalogs of up to 200; the first try of each task is listed separately. BM25 + MiniLM answers each task once.";

export function routingFinding(tier: "static" | "minilm", rows: readonly Row[]): Finding {
  const ours = rows.filter(({ system }) => system.startsWith("capstan"));
  return {
    name: tier === "static" ? "routing" : `routing-${tier}`,
    question:
      tier === "static"
        ? "Does a task find its capability?"
        : "Does a task find its capability with the optional MiniLM tier?",
    method: METHOD,
    goals: [...ours.flatMap((row) => qualityGoals(tier, row)), ...speedGoals(tier, ours)],
    tables: [{ title: "Dev splits, percent and milliseconds", rows: rows.map(shown) }],
    plots: [
      {
        title: "Top-1 compared with minisearch and MiniLM, percent",
        unit: "%",
        bars: rows.map(({ set, system, top1 }) => ({ label: `${set}, ${system}`, value: top1 * 100 })),
      },
    ],
  };
}

function qualityGoals(tier: "static" | "minilm", row: Row): Goal[] {
  const [top1, recall5, noMatchF1] = TARGETS[tier][row.set] ?? [];
  const goal = (what: string, value: number | undefined, atLeast: number | undefined): Goal[] =>
    value === undefined || atLeast === undefined
      ? []
      : [{ what: `${row.set}, ${what} on dev`, value: value * 100, atLeast, unit: " %" }];
  return [
    ...goal("top-1", row.top1, top1),
    ...goal("R@5", row.recall5, recall5),
    ...goal("F1 of nothing fits", row.noMatchF1, noMatchF1),
  ];
}

function speedGoals(tier: "static" | "minilm", rows: readonly Row[]): Goal[] {
  const near200 = rows.find(({ set }) => set === "metatool");
  const largest = rows.find(({ set }) => set === "sealtools");
  return [
    ...(near200 && tier === "static"
      ? [{ what: "p99 over 199 capabilities", value: near200.p99Ms, atMost: 1, unit: " ms" }]
      : []),
    ...(near200 && tier === "minilm"
      ? [{ what: "p50 over 199 capabilities", value: near200.p50Ms, atMost: 4, unit: " ms" }]
      : []),
    ...(largest
      ? [{ what: "4,076 capabilities indexed", value: largest.indexMs / 1000, atMost: 2, unit: " s" }]
      : []),
  ];
}

function shown(row: Row): Record<string, string | number> {
  const percent = (value: number | undefined) => (value === undefined ? "-" : (value * 100).toFixed(1));
  return {
    set: row.set,
    "": row.system,
    capabilities: row.capabilities,
    tasks: row.tasks,
    "top-1": percent(row.top1),
    "R@5": percent(row.recall5),
    "NDCG@10": percent(row.ndcg10),
    F1: percent(row.noMatchF1),
    "p50 ms": figure(row.p50Ms),
    "p99 ms": figure(row.p99Ms),
    "p99 ms, first try": figure(row.firstP99Ms),
    "index ms": figure(row.indexMs),
    "index MB": figure(row.indexMb),
  };
}
