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
      phrase: 1.515,
      name: 0.48,
      action: 0.46,
      pair: 1.758,
      param: 1.617,
      centre: 0.096,
      clauseCentre: 3.943,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: { words: 1.687 },
    doubt: { centre: 3.664, clauseCentre: 5.504, nearest: 3.164 },
  },
  none: {
    bias: 5.689,
    weights: {
      words: -2.653,
      phrase: -0.419,
      pair: -3.27,
      centre: -8.052,
      nearest: -2.789,
      evidence: -4.216,
      share: 0.821,
      lead: 0.725,
      length: -1.424,
      parts: 1.578,
      unknown: 0.836,
      spoken: 2.213,
    },
  },
  noneThreshold: 0.68,
  right: {
    bias: -3.308,
    weights: {
      words: -0.445,
      phrase: 0.682,
      pair: 1.385,
      centre: 2.82,
      nearest: -0.599,
      evidence: -1.126,
      share: 5.348,
      lead: 0.144,
      length: 0.179,
      parts: 1.455,
      unknown: 0.361,
      spoken: 0.207,
    },
  },
};

/** For MiniLM beside the table, which deserves more trust than the table alone. */
export const MINILM_WEIGHTS: RouteWeights = {
  fusion: {
    plain: {
      name: 0.958,
      action: 0.431,
      pair: 2.058,
      param: 1.963,
      centre: 1.382,
      clauseCentre: 4.8,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: { words: 0.442 },
    doubt: { centre: 5.533, clauseCentre: 6.969, nearest: 3.302 },
  },
  none: {
    bias: 6.638,
    weights: {
      words: -1.719,
      phrase: -0.391,
      pair: -2.926,
      centre: -7.866,
      nearest: -3.868,
      evidence: -5.528,
      share: 0.909,
      lead: 0.858,
      length: -1.546,
      parts: 1.624,
      unknown: 0.209,
      spoken: 2.593,
    },
  },
  noneThreshold: 0.71,
  right: {
    bias: -3.303,
    weights: {
      words: -1.494,
      phrase: 1.235,
      pair: 0.948,
      centre: 2.679,
      nearest: 0.334,
      evidence: -0.932,
      share: 5.882,
      lead: 0.034,
      length: -0.298,
      parts: 1.432,
      unknown: 0.719,
      spoken: -0.14,
    },
  },
};

export const LEXICAL_WEIGHTS: RouteWeights = {
  fusion: {
    plain: { phrase: 3.431, name: 1.146, action: 0.498, pair: 1.2, param: 0.675, trigger: 1.2, domain: 0.4 },
    relative: { words: 5.393 },
    doubt: {},
  },
  none: {
    bias: -1.083,
    weights: {
      words: -8.007,
      phrase: -4.054,
      pair: -4.737,
      centre: 0,
      nearest: 0,
      evidence: 0.914,
      share: 0.183,
      lead: 0.487,
      length: -2.528,
      parts: 1.241,
      unknown: 2.403,
      spoken: 2.371,
    },
  },
  noneThreshold: 0.5,
  right: {
    bias: -6.26,
    weights: {
      words: 2.087,
      phrase: -1.492,
      pair: 0.327,
      centre: 0,
      nearest: 0,
      evidence: 5.163,
      share: 4.809,
      lead: -0.473,
      length: 1.322,
      parts: 1.16,
      unknown: -0.976,
      spoken: 0.11,
    },
  },
};

export const weightsFor = (embed: Embed | undefined): RouteWeights =>
  embed ? (embed.weights ?? STATIC_WEIGHTS) : LEXICAL_WEIGHTS;
