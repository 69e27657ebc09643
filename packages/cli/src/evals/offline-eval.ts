/** Recordings scored in this process: no server, no model, no network. What was recorded is measured, not run again. */
import type { DatasetItemCreate as Item, ScorerSpec as Spec } from "@capstan/client";
import { figuresFrom } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  faultsText,
  inPlainTextToo,
  isPassed,
  isPlain,
  KIND_PATTERNS,
  plainScore,
  readInput,
  type ScoredRun,
  type ScorerHelp,
  type ScorerSpec,
  type Span,
  scorerName,
  spansOfKind,
} from "@capstan/core/internal";
import { z } from "zod";
import type { EvalCell, EvalResult } from "./eval-result.ts";

export function evalOffline(
  dataset: string,
  items: readonly Item[],
  specs: readonly Spec[],
): Result<EvalResult> {
  const cells: EvalCell[] = [];
  for (const item of items) {
    const all = [...specs, ...(item.scorers ?? [])] as ScorerSpec[];
    if (all.length === 0) return fail("scorers_missing", {});
    const other = all.find((spec) => !isPlain(spec));
    if (other)
      return fail("command_invalid", {
        message: `the scorer "${scorerName(other)}" needs a server`,
        usage: "Leave out --offline.",
      });
    cells.push(cellOf(item, all));
  }
  const scored = cells.map(({ scores, ...cell }) => ({
    cellId: cell.item_id,
    itemId: cell.item_id,
    variant: 0,
    repeat: 0,
    scores: scores.map(({ why, ...score }) => ({ ...score, why: why ?? undefined })),
    tokens: 0,
    costUsd: 0,
    modelMs: cell.model_ms,
  }));
  const figures = figuresFrom(scored, 1);
  return ok({ dataset, experimentId: null, variants: ["recorded"], figures, cells, costUsd: 0 });
}

const NO_COST = { votes: [], cost_usd: 0, error: null, reviews: [] };

function cellOf(item: Item, specs: readonly ScorerSpec[]): EvalCell {
  const about = { item_id: item.id, variant: 0, repeat: 0, model_ms: item.recorded?.model_ms ?? 0 };
  if (!item.recorded)
    return {
      ...about,
      status: "failed",
      answer: null,
      scores: [],
      failure: fail("dataset_file_invalid", { where: `"${item.id}" has no recorded answer` }).failure,
    };
  const run = runOf(item, item.recorded);
  const scores = specs.filter(isPlain).map((spec) => {
    const { score, why } = plainScore(spec, run, HELP);
    const passed = isPassed(spec, score);
    return { ...NO_COST, scorer: scorerName(spec), type: spec.type, score, passed, why: why ?? null };
  });
  return { ...about, status: "done", answer: run.answer, scores, failure: null };
}

const runOf = (item: Item, recorded: NonNullable<Item["recorded"]>): ScoredRun => ({
  input: item.input,
  expected: item.expected as ScoredRun["expected"],
  answer: recorded.answer,
  calls: (item.stubs ?? []).flatMap(({ tool, input }) =>
    input === undefined ? [] : [{ tool, input: input as ScoredRun["calls"][number]["input"] }],
  ),
  outcome: recorded.outcome ?? "done",
  tokens: recorded.tokens ?? 0,
  costUsd: recorded.cost_usd ?? 0,
  modelMs: recorded.model_ms ?? 0,
});

const HELP: ScorerHelp = {
  schemaFault(schema, value) {
    const read = readInput(z.fromJSONSchema({ ...schema }), value);
    return read.ok ? undefined : faultsText(read.faults);
  },
  finder: (kind) =>
    inPlainTextToo((line) =>
      [...line.matchAll(new RegExp(KIND_PATTERNS[kind], "g"))].flatMap(({ 0: found, index }) =>
        spansOfKind(kind, found).map(([from, to]): Span => [index + from, index + to]),
      ),
    ),
};
