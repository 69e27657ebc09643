/** The figures of an experiment under the API's names: the same on the server and in an evaluation without one. */
import { roundedUsd, type ScoredCell, summariseExperiment } from "@capstan/core/internal";
import type { ExperimentReport } from "./experiments.ts";

export type SummaryFigures = Omit<ExperimentReport["figures"], "calibration" | "disagreements">;

export function figuresFrom(cells: readonly ScoredCell[], count: number): SummaryFigures {
  const { variants, pairs, regressions, flaky } = summariseExperiment(cells, count);
  return {
    variants: variants.map(({ costUsd, modelMs, scorers, ...variant }) => ({
      ...variant,
      scorers: [...scorers],
      cost_usd: roundedUsd(costUsd),
      model_ms: modelMs,
    })),
    pairs: pairs.map(({ pAdjusted, ...pair }) => ({ ...pair, p_adjusted: pAdjusted })),
    regressions: regressions.map(({ itemId, beforeCells, afterCells, why, ...each }) => ({
      ...each,
      item_id: itemId,
      why: why ?? null,
      before_cells: [...beforeCells],
      after_cells: [...afterCells],
    })),
    flaky: flaky.map(({ itemId, ...each }) => ({ ...each, item_id: itemId })),
  };
}
