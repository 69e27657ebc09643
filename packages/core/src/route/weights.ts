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
      phrase: 2.11,
      name: 0.788,
      action: 0.461,
      tag: 0.21,
      centre: 0.826,
      clauseCentre: 5.193,
      nearest: 0.478,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: { words: 1.931 },
    doubt: { centre: 2.539, clauseCentre: 4.76, nearest: 1.832 },
  },
  none: {
    bias: 5.225,
    weights: {
      words: -2.035,
      phrase: -0.661,
      centre: -9.184,
      nearest: -3.065,
      evidence: -3.877,
      share: 0.845,
      lead: 0.836,
      unknown: 1.04,
      spoken: 2.388,
    },
  },
  noneThreshold: 0.63,
  right: {
    bias: -2.496,
    weights: {
      words: -2.708,
      phrase: 2.424,
      centre: 4.348,
      nearest: -1.806,
      evidence: -0.294,
      share: 4.476,
      lead: 0.095,
      unknown: 0.139,
      spoken: -0.309,
    },
  },
};

export const LEXICAL_WEIGHTS: RouteWeights = {
  fusion: {
    plain: { phrase: 3.978, name: 1.465, action: 0.537, tag: 0.12, trigger: 1.2, domain: 0.4 },
    relative: { words: 5.643 },
    doubt: {},
  },
  none: {
    bias: -0.875,
    weights: {
      words: -5.77,
      phrase: -4.256,
      centre: 0,
      nearest: 0,
      evidence: -3.038,
      share: -0.051,
      lead: 0.96,
      unknown: 3.061,
      spoken: 2.807,
    },
  },
  noneThreshold: 0.45,
  right: {
    bias: -8.178,
    weights: {
      words: -0.728,
      phrase: -2.456,
      centre: 0,
      nearest: 0,
      evidence: 11.435,
      share: 4.709,
      lead: -1.028,
      unknown: -1.164,
      spoken: -0.054,
    },
  },
};

export const weightsFor = (embed: Embed | undefined): RouteWeights =>
  embed ? STATIC_WEIGHTS : LEXICAL_WEIGHTS;
