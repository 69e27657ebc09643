/** The dense side of a document: the vectors of its text and of each trigger, and their centre. */

/**
 * Turns a text into a vector of length 1, or into nothing when it knows none of its words. Passed in: core has no model.
 * It must answer the same for the same text, and the same number of dimensions for all.
 */
export type Embed = (text: string) => Float32Array | undefined;

/** How much a capability's own text counts in its centre beside the mean of its triggers; measured on the train splits. */
const OWN_TEXT_SHARE = 0.3;

export interface DocumentVectors {
  /** Name and description. */
  readonly own: Float32Array;
  /** Mean of the triggers, pulled towards its own text. */
  readonly centre: Float32Array;
  readonly triggers: readonly { readonly text: string; readonly vector: Float32Array }[];
}

export function documentVectors(
  ownText: string,
  triggers: readonly string[],
  embed: Embed,
): DocumentVectors | undefined {
  const spoken = triggers.flatMap((text) => {
    const vector = embed(text);
    return vector ? [{ text, vector }] : [];
  });
  const own = embed(ownText) ?? spoken[0]?.vector;
  if (!own) return undefined;
  return {
    own,
    centre: centreOf(
      own,
      spoken.map(({ vector }) => vector),
    ),
    triggers: spoken,
  };
}

function centreOf(own: Float32Array, triggers: readonly Float32Array[]): Float32Array {
  if (triggers.length === 0) return own;
  const centre = own.map((value) => value * OWN_TEXT_SHARE);
  for (const vector of triggers) {
    for (let at = 0; at < centre.length; at++) {
      centre[at] = (centre[at] as number) + (vector[at] as number) / triggers.length;
    }
  }
  const norm = Math.sqrt(dot(centre, centre)) || 1;
  return centre.map((value) => value / norm);
}

/** Four sums at a time: the one loop in the router where it shows. */
export function dot(a: Float32Array, b: Float32Array): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const end = Math.min(a.length, b.length) & ~3;
  for (let at = 0; at < end; at += 4) {
    s0 += (a[at] as number) * (b[at] as number);
    s1 += (a[at + 1] as number) * (b[at + 1] as number);
    s2 += (a[at + 2] as number) * (b[at + 2] as number);
    s3 += (a[at + 3] as number) * (b[at + 3] as number);
  }
  return s0 + s1 + s2 + s3;
}
