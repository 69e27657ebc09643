/**
 * Combines evidence into one score: a weighted sum with learned, non-negative weights, so that more evidence never counts
 * against a capability. The weighting adapts to the task: word evidence is relative to the best candidate's (otherwise many
 * clauses would dilute it), and embeddings count less the more of a capability's own words occur in the task.
 */
import { type Candidate, FEATURES, type Feature } from "./features.ts";

export interface FusionWeights {
  /** Per channel, unscaled. */
  readonly plain: Partial<Readonly<Record<Feature, number>>>;
  /** Per channel, as a share of the best candidate's value. */
  readonly relative: Partial<Readonly<Record<Feature, number>>>;
  /** Per channel, times how little the words match (1 = no candidate's own words are in the task). */
  readonly doubt: Partial<Readonly<Record<Feature, number>>>;
}

/** Statistics over all candidates; the confidence models use them too. */
export interface Field {
  readonly best: Readonly<Record<Feature, number>>;
  readonly doubt: number;
}

export function fieldOf(candidates: readonly Candidate[]): Field {
  const best = Object.fromEntries(
    FEATURES.map((feature) => [
      feature,
      candidates.reduce((most, { features }) => Math.max(most, features[feature]), 0),
    ]),
  ) as Record<Feature, number>;
  return { best, doubt: 1 - Math.min(1, best.cover) };
}

/** The unscaled sum: what the listwise fit optimises. */
export function evidence({ features }: Candidate, field: Field, weights: FusionWeights): number {
  let sum = 0;
  for (const feature of FEATURES) {
    const value = features[feature];
    const share = field.best[feature] > 0 ? value / field.best[feature] : 0;
    sum +=
      value * (weights.plain[feature] ?? 0) +
      share * (weights.relative[feature] ?? 0) +
      value * field.doubt * (weights.doubt[feature] ?? 0);
  }
  return sum;
}

/** Between 0 and 10: the share of the maximum possible evidence. */
export const toScore = (sum: number, weights: FusionWeights): number => (10 * sum) / ceiling(weights);

export function ceiling({ plain, relative, doubt }: FusionWeights): number {
  return [plain, relative, doubt]
    .flatMap((table) => Object.values(table))
    .reduce((sum, weight) => sum + weight, 0);
}
