/** The learned weights, one set per tier. The numbers are data: `bench/routing/fit.ts` fits them and reports the quality. */

import type { CatalogPrior } from "./catalog-model.ts";
import type { LogisticWeights } from "./confidence.ts";
import type { FusionWeights } from "./fusion.ts";
import type { Embed } from "./vectors.ts";

export interface RouteWeights {
  readonly fusion: FusionWeights;
  /** How likely nothing fits. */
  readonly none: LogisticWeights;
  readonly noneThreshold: number;
  /** The prior of a catalog's own model; absent without embeddings. */
  readonly catalog?: CatalogPrior;
  /** How likely the first match is right. */
  readonly right: LogisticWeights;
  /** What the triggers of the fitted catalogs add to it on average; absent where that was not measured. */
  readonly usualShift?: number;
}

export const STATIC_WEIGHTS: RouteWeights = {
  fusion: {
    plain: {
      phrase: 1.115,
      name: 1.197,
      action: 0.461,
      pair: 2.164,
      param: 0.365,
      room: 2.105,
      clauseCentre: 4.239,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: {
      words: 1.785,
    },
    doubt: {
      centre: 4.741,
      clauseCentre: 6.596,
      nearest: 1.703,
    },
  },
  none: {
    bias: 5.556,
    weights: {
      words: -2.168,
      phrase: 0.311,
      pair: -3.562,
      centre: -6.713,
      nearest: -2.723,
      evidence: -3.47,
      share: 0.685,
      lead: 0.307,
      length: -0.76,
      parts: 1.603,
      phrasing: 4.159,
      unknown: 1.073,
      spoken: 2.317,
    },
  },
  noneThreshold: 0.6,
  catalog: {
    weights: [-6.254, 0.01632, -1.443, 0.2534, 3.734],
    curvature: [
      0.05018, 0.04818, 0.0344, 0.06811, 0.08661, 0.04818, 0.04696, 0.03228, 0.06509, 0.08394, 0.0344,
      0.03228, 0.04048, 0.05398, 0.05958, 0.06811, 0.06509, 0.05398, 0.1227, 0.1227, 0.08661, 0.08394,
      0.05958, 0.1227, 0.1632,
    ],
  },
  right: {
    bias: -3.181,
    weights: {
      words: -0.554,
      phrase: 0.606,
      pair: 1.044,
      centre: 2.31,
      nearest: -0.094,
      evidence: -0.953,
      share: 4.977,
      lead: 0.164,
      length: -0.146,
      parts: 1.171,
      phrasing: -0.263,
      unknown: 0.302,
      spoken: 0.124,
    },
  },
  usualShift: 0.63,
};

/** For MiniLM plus the table, which is more reliable than the table alone. */
export const MINILM_WEIGHTS: RouteWeights = {
  fusion: {
    plain: {
      name: 1.396,
      action: 0.323,
      pair: 2.459,
      param: 1.122,
      room: 2.359,
      centre: 1.047,
      clauseCentre: 6.064,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: {
      words: 0.844,
    },
    doubt: {
      centre: 5.04,
      clauseCentre: 7.059,
      nearest: 2.848,
    },
  },
  none: {
    bias: 7.482,
    weights: {
      words: -1.732,
      phrase: 1.024,
      pair: -3.229,
      centre: -7.531,
      nearest: -3.414,
      evidence: -5.511,
      share: 1.22,
      lead: 0.794,
      length: -1.513,
      parts: 1.941,
      phrasing: 3.405,
      unknown: 0.887,
      spoken: 2.727,
    },
  },
  noneThreshold: 0.6,
  catalog: {
    weights: [-9.457, 2.061, -1.294, 0.6159, 4.079],
    curvature: [
      0.04487, 0.04169, 0.0355, 0.06816, 0.07921, 0.04169, 0.0392, 0.03191, 0.06299, 0.07386, 0.0355, 0.03191,
      0.04609, 0.05856, 0.06138, 0.06816, 0.06299, 0.05856, 0.1258, 0.1258, 0.07921, 0.07386, 0.06138, 0.1258,
      0.1498,
    ],
  },
  right: {
    bias: -3.7,
    weights: {
      words: -1.511,
      phrase: 0.95,
      pair: 0.823,
      centre: 2.265,
      nearest: 0.225,
      evidence: -0.247,
      share: 5.572,
      lead: 0.102,
      length: -0.771,
      parts: 1.219,
      phrasing: -0.381,
      unknown: 0.649,
      spoken: -0.198,
    },
  },
};

export const LEXICAL_WEIGHTS: RouteWeights = {
  fusion: {
    plain: {
      phrase: 3.037,
      name: 1.638,
      action: 0.686,
      pair: 1.322,
      param: 1.086,
      room: 2.858,
      trigger: 1.2,
      domain: 0.4,
    },
    relative: {
      words: 5.82,
    },
    doubt: {},
  },
  none: {
    bias: -0.375,
    weights: {
      words: -6.543,
      phrase: -2.813,
      pair: -4.808,
      centre: 0,
      nearest: 0,
      evidence: 0.275,
      share: -0.18,
      lead: 0.894,
      length: -1.405,
      parts: 1.255,
      phrasing: 4.918,
      unknown: 2.521,
      spoken: 2.464,
    },
  },
  noneThreshold: 0.46,
  right: {
    bias: -4.583,
    weights: {
      words: 2.544,
      phrase: -0.229,
      pair: 0.628,
      centre: 0,
      nearest: 0,
      evidence: 1.336,
      share: 4.466,
      lead: -0.184,
      length: 1.231,
      parts: 1.137,
      phrasing: -0.326,
      unknown: -0.984,
      spoken: 0.061,
    },
  },
};

export const weightsFor = (embed: Embed | undefined): RouteWeights =>
  embed ? (embed.weights ?? STATIC_WEIGHTS) : LEXICAL_WEIGHTS;
