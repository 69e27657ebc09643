/** The learned weights, one set per tier. Numbers here are data: `bench/routing/fit.ts` fits them and says how well. */
import type { FusionWeights } from "./fusion.ts";
import type { LogisticWeights } from "./gate.ts";
import type { Embed } from "./vectors.ts";

export interface RouteWeights {
  readonly fusion: FusionWeights;
  /** How likely nothing fits. */
  readonly none: LogisticWeights;
  readonly noneThreshold: number;
  /** How likely the first match is right. */
  readonly right: LogisticWeights;
}

export const STATIC_WEIGHTS: RouteWeights = {
  fusion: {
    plain: {
      phrase: 2.12,
      name: 0.8,
      action: 0.45,
      centre: 0.63,
      clauseCentre: 4.55,
      nearest: 0.87,
      tag: 0.4,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: { words: 2.17 },
    doubt: { centre: 2.87, clauseCentre: 3.9, nearest: 2.69 },
  },
  none: { bias: 0, weights: {} },
  noneThreshold: 0.6,
  right: { bias: 0, weights: {} },
};

export const LEXICAL_WEIGHTS: RouteWeights = {
  fusion: {
    plain: { phrase: 3, name: 2, action: 0.57, tag: 0.4, trigger: 1.2, domain: 0.4, cover: 1.2 },
    relative: { words: 7.7 },
    doubt: {},
  },
  none: { bias: 0, weights: {} },
  noneThreshold: 0.6,
  right: { bias: 0, weights: {} },
};

export const weightsFor = (embed: Embed | undefined): RouteWeights =>
  embed ? STATIC_WEIGHTS : LEXICAL_WEIGHTS;
