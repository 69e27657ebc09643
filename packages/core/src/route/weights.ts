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
      phrase: 1.375,
      name: 1.511,
      action: 0.405,
      pair: 2.193,
      param: 0.355,
      room: 1.663,
      clauseCentre: 4.177,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: {
      words: 1.49,
    },
    doubt: {
      centre: 4.32,
      clauseCentre: 7.038,
      nearest: 1.834,
    },
  },
  none: {
    bias: 5.623,
    weights: {
      words: -2.071,
      phrase: 0.338,
      pair: -3.495,
      centre: -6.857,
      nearest: -2.842,
      evidence: -3.224,
      share: 0.627,
      lead: 0.242,
      length: -0.644,
      parts: 1.505,
      manner: 4.131,
      unknown: 1.089,
      spoken: 2.139,
    },
  },
  noneThreshold: 0.72,
  right: {
    bias: -3.529,
    weights: {
      words: -0.653,
      phrase: 0.579,
      pair: 1.283,
      centre: 1.986,
      nearest: -0.008,
      evidence: -0.528,
      share: 4.993,
      lead: 0.179,
      length: -0.042,
      parts: 1.323,
      manner: -0.264,
      unknown: 0.392,
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
      phrase: 3.184,
      name: 1.965,
      action: 0.512,
      pair: 1.609,
      param: 1.023,
      room: 2.172,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: {
      words: 5.56,
    },
    doubt: {},
  },
  none: {
    bias: -0.386,
    weights: {
      words: -6.516,
      phrase: -2.859,
      pair: -4.826,
      centre: 0,
      nearest: 0,
      evidence: 0.673,
      share: -0.142,
      lead: 0.754,
      length: -1.286,
      parts: 1.152,
      manner: 4.901,
      unknown: 2.541,
      spoken: 2.289,
    },
  },
  noneThreshold: 0.46,
  right: {
    bias: -5.362,
    weights: {
      words: 2.231,
      phrase: -0.619,
      pair: 0.516,
      centre: 0,
      nearest: 0,
      evidence: 2.828,
      share: 4.447,
      lead: -0.202,
      length: 1.261,
      parts: 1.126,
      manner: -0.297,
      unknown: -0.959,
      spoken: 0.146,
    },
  },
};

export const weightsFor = (embed: Embed | undefined): RouteWeights =>
  embed ? (embed.weights ?? STATIC_WEIGHTS) : LEXICAL_WEIGHTS;
