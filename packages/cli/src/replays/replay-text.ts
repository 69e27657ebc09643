/** A replay for people: one line per run, then what is different in those that changed. */
import type { ReplayComparison, ReplayReport } from "@capstan/client";
import { printTable } from "../print-table.ts";

const SIGN = { same: " ", removed: "-", added: "+" };
const MOST_CHARS = 100;

export function replayText({ verdicts, progress, comparisons, cost_usd, ...replay }: ReplayReport): string {
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${count} ${verdict}`);
  const others = (["failed", "skipped", "cancelled", "queued", "running"] as const).flatMap((status) =>
    progress[status] > 0 ? [`${progress[status]} ${status}`] : [],
  );
  return [
    ...notAsRecorded(comparisons),
    `Replay ${replay.id}: ${[...counts, ...others].join(", ")}; $${cost_usd.toFixed(4)}\n`,
    ...comparisons.filter(({ verdict }) => verdict !== "same").map(comparisonText),
  ].join("\n");
}

/** Said once for all runs, also for those that are the same. */
function notAsRecorded(comparisons: ReplayReport["comparisons"]): string[] {
  const counts = new Map<string, number>();
  for (const { capability, why } of comparisons.flatMap((each) => each.not_as_recorded)) {
    const text = capability === null ? why : `${capability}: ${why}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, runs]) => `Not as recorded in ${runs} of these runs: ${text}\n`);
}

function comparisonText(comparison: ReplayComparison): string {
  const { run_id, verdict, status, failure, diverged, answer, gate, calls } = comparison;
  const rows = [
    ...calls.filter(({ change }) => change !== "same").map(callRow),
    ...gate.map(({ tool, input, before, after, why }) => [
      `  gate: ${before ?? "new"} -> ${after}`,
      tool,
      `${short(input)} ${why}`,
    ]),
    ...figures(comparison),
  ];
  return [
    `${verdict ?? status} ${run_id}\n`,
    failure ? `  ${failure.message}\n  ${failure.nextStep}\n` : "",
    diverged ? `  diverged here: ${diverged.why}\n` : "",
    printTable(rows, Number.POSITIVE_INFINITY),
    ...(answer && !answer.same ? answer.lines.map(({ op, text }) => `  ${SIGN[op]} ${text}\n`) : []),
  ].join("");
}

function callRow({ change, tool, before, after, source }: ReplayComparison["calls"][number]): string[] {
  const marked = source === "nearest" || source === "live" || source === "stand_in" ? ` (${source})` : "";
  const inputs =
    before !== null && after !== null ? `${short(before)} -> ${short(after)}` : short(after ?? before);
  return [`  ${change.replaceAll("_", " ")}`, tool, `${inputs}${marked}`];
}

function figures({ tokens, cost_usd, outcome }: ReplayComparison): string[][] {
  return [
    ...(tokens && tokens.before !== tokens.after
      ? [["  tokens", `${tokens.before} -> ${tokens.after}`]]
      : []),
    ...(cost_usd && cost_usd.before !== cost_usd.after
      ? [["  cost", `$${cost_usd.before.toFixed(4)} -> $${cost_usd.after.toFixed(4)}`]]
      : []),
    ...(outcome && outcome.before !== outcome.after
      ? [["  outcome", `${outcome.before} -> ${outcome.after}`]]
      : []),
  ];
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}…`;
}
