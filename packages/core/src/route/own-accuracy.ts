/**
 * Adjusts confidence to this catalog. The confidence model was fitted on other catalogs; in some, capabilities are
 * easier to tell apart. The catalog's own triggers show it: each is ranked with itself left out.
 *
 * Triggers are easier than tasks in every catalog, so only the difference from other catalogs' triggers counts.
 */
import { probability } from "./confidence.ts";

/** A trigger, ranked with itself left out: what the model says, and whether its own capability came first. */
export interface OwnAnswer {
  /** Log odds of being right. */
  readonly odds: number;
  readonly right: boolean;
}

const SHARE = 0.5; // eighty triggers say something, not everything; 1 gave the same figures
const MOST = 6;
const STEPS = 40;

/** What to add to the log odds of being right. `usual`: the mean of `rawShift` over other catalogs. */
export const ownShift = (answers: readonly OwnAnswer[], usual: number): number =>
  answers.length === 0 ? 0 : SHARE * (rawShift(answers) - usual);

/** The shift at which the model's mean equals the accuracy on the catalog's triggers. By bisection: the mean is monotonic. */
export function rawShift(answers: readonly OwnAnswer[]): number {
  const shown = (answers.filter(({ right }) => right).length + 1) / (answers.length + 2);
  let [low, high] = [-MOST, MOST];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    const said = answers.reduce((sum, { odds }) => sum + probability(odds + middle), 0) / answers.length;
    if (said < shown) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
