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
      phrase: 1.267,
      name: 0.757,
      action: 0.441,
      pair: 1.93,
      param: 0.171,
      room: 1.765,
      centre: 0.265,
      clauseCentre: 4.752,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: { words: 1.447 },
    doubt: { centre: 3.643, clauseCentre: 5.606, nearest: 2.437 },
  },
  none: {
    bias: 5.711,
    weights: {
      words: -2.592,
      phrase: -0.433,
      pair: -3.143,
      centre: -7.465,
      nearest: -2.758,
      evidence: -4.648,
      share: 0.928,
      lead: 0.697,
      length: -1.377,
      parts: 1.626,
      unknown: 0.857,
      spoken: 2.18,
    },
  },
  noneThreshold: 0.68,
  right: {
    bias: -3.393,
    weights: {
      words: -0.716,
      phrase: 0.623,
      pair: 1.305,
      centre: 2.097,
      nearest: -0.297,
      evidence: -0.448,
      share: 5.384,
      lead: 0.028,
      length: 0.07,
      parts: 1.318,
      unknown: 0.38,
      spoken: 0.107,
    },
  },
};

/** For MiniLM beside the table, which deserves more trust than the table alone. */
export const MINILM_WEIGHTS: RouteWeights = {
  fusion: {
    plain: {
      name: 1.064,
      action: 0.394,
      pair: 2.111,
      param: 0.65,
      room: 1.595,
      centre: 1.441,
      clauseCentre: 5.646,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: { words: 0.348 },
    doubt: { centre: 5.131, clauseCentre: 6.962, nearest: 3.219 },
  },
  none: {
    bias: 6.569,
    weights: {
      words: -1.699,
      phrase: -0.386,
      pair: -2.857,
      centre: -7.572,
      nearest: -3.803,
      evidence: -5.602,
      share: 0.942,
      lead: 0.854,
      length: -1.529,
      parts: 1.665,
      unknown: 0.227,
      spoken: 2.604,
    },
  },
  noneThreshold: 0.69,
  right: {
    bias: -3.385,
    weights: {
      words: -1.643,
      phrase: 1.323,
      pair: 1.059,
      centre: 2.167,
      nearest: 0.066,
      evidence: -0.296,
      share: 5.602,
      lead: 0.094,
      length: -0.245,
      parts: 1.352,
      unknown: 0.724,
      spoken: -0.203,
    },
  },
};

export const LEXICAL_WEIGHTS: RouteWeights = {
  fusion: {
    plain: {
      phrase: 3.435,
      name: 1.134,
      action: 0.479,
      pair: 1.165,
      param: 0.542,
      room: 2.013,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: { words: 5.406 },
    doubt: {},
  },
  none: {
    bias: -0.369,
    weights: {
      words: -7.758,
      phrase: -3.696,
      pair: -4.542,
      centre: 0,
      nearest: 0,
      evidence: -0.511,
      share: 0.187,
      lead: 0.535,
      length: -2.428,
      parts: 1.246,
      unknown: 2.37,
      spoken: 2.334,
    },
  },
  noneThreshold: 0.51,
  right: {
    bias: -5.299,
    weights: {
      words: 2.286,
      phrase: -0.945,
      pair: 0.704,
      centre: 0,
      nearest: 0,
      evidence: 3.198,
      share: 4.771,
      lead: -0.343,
      length: 1.373,
      parts: 1.271,
      unknown: -0.992,
      spoken: 0.076,
    },
  },
};

export const weightsFor = (embed: Embed | undefined): RouteWeights =>
  embed ? (embed.weights ?? STATIC_WEIGHTS) : LEXICAL_WEIGHTS;
