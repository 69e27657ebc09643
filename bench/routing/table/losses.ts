/** The three things the table learns from. Each adds its gradients to the model and answers its loss. */
import type { BagModel, Encoded } from "./bag-model.ts";

/** Near the teacher's vector of the same text. */
export function distil(
  model: BagModel,
  texts: readonly (readonly number[])[],
  teacher: Float32Array,
  weight: number,
): number {
  const encoded = model.encode(texts);
  const wanted = new Float32Array(encoded.vectors.length);
  let loss = 0;
  const share = weight / texts.length;
  for (let at = 0; at < wanted.length; at++) {
    wanted[at] = -share * (teacher[at] as number);
    loss += ((wanted[at] as number) * (encoded.vectors[at] as number)) / weight;
  }
  model.backward(encoded, wanted);
  return 1 + loss;
}

/** A word nearer to its own definition than to the other definitions of the batch, and the other way round. */
export function contrast(
  model: BagModel,
  left: readonly (readonly number[])[],
  right: readonly (readonly number[])[],
  { weight, sharpness }: { weight: number; sharpness: number },
): number {
  const [a, b] = [model.encode(left), model.encode(right)];
  const own = left.map((_, at) => at);
  const forth = softmaxLoss(a, b, own, model.dimensions, sharpness, weight / 2);
  const back = softmaxLoss(b, a, own, model.dimensions, sharpness, weight / 2);
  add(forth.queries, back.documents);
  add(back.queries, forth.documents);
  model.backward(a, forth.queries);
  model.backward(b, back.queries);
  return (forth.loss + back.loss) / 2;
}

export interface Catalog {
  readonly documents: readonly (readonly number[])[];
  readonly triggers: readonly (readonly (readonly number[])[])[];
}

/** A task nearest to the centre of the capability it belongs to; `shots` triggers per capability, drawn by the caller. */
export function choose(
  model: BagModel,
  catalog: Catalog,
  tasks: readonly (readonly number[])[],
  answers: readonly number[],
  { weight, sharpness, ownShare }: { weight: number; sharpness: number; ownShare: number },
): number {
  const d = model.dimensions;
  const documents = model.encode(catalog.documents);
  const owners = catalog.triggers.flatMap((texts, owner) => texts.map(() => owner));
  const triggers = model.encode(catalog.triggers.flat());
  const centres = centresOf(documents, triggers, owners, catalog, ownShare, d);
  const queries = model.encode(tasks);
  const result = softmaxLoss(queries, centres, answers, d, sharpness, weight);
  model.backward(queries, result.queries);
  // Back through the centre's own normalisation, then to its parts.
  const toDocuments = new Float32Array(documents.vectors.length);
  const toTriggers = new Float32Array(triggers.vectors.length);
  const inner = unscale(centres, result.documents, d);
  catalog.documents.forEach((_, owner) => {
    const share = (catalog.triggers[owner]?.length ?? 0) > 0 ? ownShare : 1;
    for (let j = 0; j < d; j++) toDocuments[owner * d + j] = share * (inner[owner * d + j] as number);
  });
  owners.forEach((owner, at) => {
    const count = catalog.triggers[owner]?.length ?? 1;
    for (let j = 0; j < d; j++) toTriggers[at * d + j] = (inner[owner * d + j] as number) / count;
  });
  model.backward(documents, toDocuments);
  model.backward(triggers, toTriggers);
  return result.loss;
}

function centresOf(
  documents: Encoded,
  triggers: Encoded,
  owners: readonly number[],
  catalog: Catalog,
  ownShare: number,
  d: number,
): Encoded {
  const vectors = new Float32Array(documents.vectors.length);
  const lengths = new Float32Array(catalog.documents.length);
  catalog.documents.forEach((_, owner) => {
    const share = (catalog.triggers[owner]?.length ?? 0) > 0 ? ownShare : 1;
    for (let j = 0; j < d; j++) vectors[owner * d + j] = share * (documents.vectors[owner * d + j] as number);
  });
  owners.forEach((owner, at) => {
    const count = catalog.triggers[owner]?.length ?? 1;
    for (let j = 0; j < d; j++) {
      const to = owner * d + j;
      vectors[to] = (vectors[to] as number) + (triggers.vectors[at * d + j] as number) / count;
    }
  });
  for (let owner = 0; owner < lengths.length; owner++) {
    let squares = 0;
    for (let j = 0; j < d; j++) squares += (vectors[owner * d + j] as number) ** 2;
    const length = Math.max(Math.sqrt(squares), 1e-6);
    lengths[owner] = length;
    for (let j = 0; j < d; j++) vectors[owner * d + j] = (vectors[owner * d + j] as number) / length;
  }
  return { texts: [], vectors, lengths };
}

function unscale({ vectors, lengths }: Encoded, wanted: Float32Array, d: number): Float32Array {
  const out = new Float32Array(wanted.length);
  lengths.forEach((length, at) => {
    const from = at * d;
    let along = 0;
    for (let j = 0; j < d; j++) along += (wanted[from + j] as number) * (vectors[from + j] as number);
    for (let j = 0; j < d; j++) {
      out[from + j] = ((wanted[from + j] as number) - along * (vectors[from + j] as number)) / length;
    }
  });
  return out;
}

/** Softmax cross-entropy over cosines, and what it wants of both sides. */
function softmaxLoss(
  queries: Encoded,
  documents: Encoded,
  answers: readonly number[],
  d: number,
  sharpness: number,
  weight: number,
) {
  const count = documents.lengths.length;
  const toQueries = new Float32Array(queries.vectors.length);
  const toDocuments = new Float32Array(documents.vectors.length);
  const scores = new Float64Array(count);
  let loss = 0;
  answers.forEach((answer, at) => {
    const q = queries.vectors.subarray(at * d, at * d + d);
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += (q[j] as number) * (documents.vectors[i * d + j] as number);
      scores[i] = sum * sharpness;
      if ((scores[i] as number) > most) most = scores[i] as number;
    }
    let total = 0;
    for (let i = 0; i < count; i++) {
      scores[i] = Math.exp((scores[i] as number) - most);
      total += scores[i] as number;
    }
    loss -= Math.log((scores[answer] as number) / total + 1e-12) / answers.length;
    for (let i = 0; i < count; i++) {
      const share = (scores[i] as number) / total - (i === answer ? 1 : 0);
      if (Math.abs(share) < 1e-5) continue;
      const pull = (share * sharpness * weight) / answers.length;
      for (let j = 0; j < d; j++) {
        const v = i * d + j;
        toQueries[at * d + j] = (toQueries[at * d + j] as number) + pull * (documents.vectors[v] as number);
        toDocuments[v] = (toDocuments[v] as number) + pull * (q[j] as number);
      }
    }
  });
  return { loss, queries: toQueries, documents: toDocuments };
}

function add(target: Float32Array, more: Float32Array): void {
  for (let at = 0; at < target.length; at++) target[at] = (target[at] as number) + (more[at] as number);
}
