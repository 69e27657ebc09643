/**
 * The result of a benchmark: goals with measured values, tables and bars, in one shape, so that `report.ts` can write
 * the page without knowing the benchmark. Goals are printed first.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";

export interface Goal {
  readonly what: string;
  readonly value: number;
  /** Lowest and highest of the rounds whose median the value is. */
  readonly spread?: readonly [number, number];
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Behind the number: "x", " ms", " KB". */
  readonly unit: string;
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

export interface Bars {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

export interface Finding {
  readonly name: string;
  readonly question: string;
  /** What was done, in two or three sentences, for a reader who wants to judge the figures. */
  readonly method: string;
  readonly goals: readonly Goal[];
  readonly tables: readonly Table[];
  readonly plots: readonly Bars[];
  readonly versions?: Readonly<Record<string, string>>;
}

export interface StoredFinding extends Finding {
  readonly machine: {
    node: string;
    cpus: number;
    processor: string;
    memoryGb: number;
    date: string;
    load?: number;
  };
}

/** What else the machine was doing when the bench began; near 0 on a quiet one. */
const loadAtStart = Number((loadavg()[0] ?? 0).toFixed(1));

export const RESULTS = join(import.meta.dirname, "results");

export const isMet = ({ value, atLeast = -Infinity, atMost = Infinity }: Goal): boolean =>
  value >= atLeast && value <= atMost;

export function goalText({ atLeast, atMost, unit }: Goal): string {
  return atLeast === undefined ? `at most ${atMost}${unit}` : `at least ${atLeast}${unit}`;
}

/** The value, and between which the rounds were. */
export function measuredText({ value, spread, unit }: Goal): string {
  const rounds = spread ? `, rounds ${figure(spread[0])} to ${figure(spread[1])}` : "";
  return `${figure(value)}${unit}${rounds}`;
}

export const figure = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));

/** Prints the finding, goals first, and keeps it as JSON. */
export function report(finding: Finding): void {
  for (const goal of finding.goals) {
    const verdict = isMet(goal) ? "met   " : "MISSED";
    console.log(`${verdict}  ${goal.what}: ${measuredText(goal)} (goal: ${goalText(goal)})`);
  }
  for (const { title, rows } of finding.tables) {
    console.log(`\n${title}`);
    console.table(rows);
  }
  mkdirSync(RESULTS, { recursive: true });
  const stored: StoredFinding = { ...finding, machine: machine() };
  writeFileSync(join(RESULTS, `${finding.name}.json`), `${JSON.stringify(stored, null, 2)}\n`);
}

function machine(): StoredFinding["machine"] {
  const [processor] = cpus();
  return {
    node: process.version,
    cpus: cpus().length,
    processor: processor?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    date: new Date().toISOString().slice(0, 10),
    load: loadAtStart,
  };
}

/** The installed version of a package of the benchmarks. */
export function versionOf(name: string): string {
  const path = join(import.meta.dirname, "node_modules", name, "package.json");
  return JSON.parse(readFileSync(path, "utf8")).version;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
