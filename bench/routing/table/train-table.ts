/**
 * Makes the static embedding table: `node bench/routing/table/train-table.ts --out <file> [--without <set>]`.
 * 1. distil: each row starts as MiniLM's vector of its word piece, then means of rows learn MiniLM's sentence vectors.
 * 2. tune: tasks of the train splits learn to be nearest to the centre of their capability; WordNet and the teacher hold
 *    the rest of the language in place. `--without` leaves a set out of both, to measure what an unseen catalog gets.
 * Dev and held-out tasks are never read.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createWordPieces, MINILM_DIMENSIONS } from "@capstan/builtins";
import { documentTexts, taskTexts } from "@capstan/core/internal";
import { type RoutingSet, random, readSet, SET_NAMES, TRAIN_SETS } from "../sets.ts";
import { BagModel } from "./bag-model.ts";
import { type Catalog, choose, contrast, distil } from "./losses.ts";
import { principalAxes, project } from "./principal-axes.ts";
import { teacherVectors } from "./teacher.ts";
import { readWordnet, wordnetTexts } from "./wordnet.ts";

const DIMENSIONS = 256;
const MAX_ROWS = 96;
const DISTIL = { steps: 3_000, batch: 512, rate: 1e-3, weight: 8 };
const TUNE = {
  steps: 1_500,
  batch: 192,
  rate: 1e-3,
  choose: 2,
  distil: 4,
  contrast: 0.3,
  sharpness: 20,
  drop: 0.15,
};
const OWN_SHARE = 0.3; // as in the router: how much a capability's own text counts in its centre
const ZERO_SHOT = 0.3; // share of the steps that show no trigger at all: most capabilities have none

const { values: options } = parseArgs({
  options: { out: { type: "string" }, without: { type: "string" }, steps: { type: "string" } },
});
const vocabulary = readFileSync(
  join(import.meta.dirname, "../../../packages/builtins/data/vocab.txt"),
  "utf8",
).split("\n");
const pieces = createWordPieces(vocabulary);
const rowsOf = (text: string) => pieces.rows(text, MAX_ROWS);
const next = random(1);
const draw = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;

const sets = SET_NAMES.filter((name) => name !== options.without).map(readSet);
const synsets = readWordnet();
const lessons = await readLessons();
const model = new BagModel(await distilled(), DIMENSIONS);
tuneAll();

interface Lessons {
  readonly texts: readonly (readonly number[])[];
  readonly vectors: Float32Array;
  readonly axes: Float32Array;
}

async function readLessons(): Promise<Lessons> {
  const groups: [string, string[]][] = [["wordnet", wordnetTexts(synsets)]];
  for (const set of sets) {
    const texts = set.capabilities.map(documentTexts);
    groups.push([`${set.name}.own`, texts.map(({ own }) => own)]);
    groups.push([`${set.name}.triggers`, texts.flatMap(({ triggers }) => triggers)]);
    groups.push([`${set.name}.train`, set.train.map(({ task }) => task)]);
  }
  const vectors: Float32Array[] = [];
  for (const [name, texts] of groups) vectors.push(await teacherVectors(name, texts));
  const all = new Float32Array(vectors.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of vectors) {
    all.set(part, at);
    at += part.length;
  }
  const axes = principalAxes(every(all, 8), MINILM_DIMENSIONS, DIMENSIONS);
  return {
    texts: groups.flatMap(([, texts]) => texts.map(rowsOf)),
    vectors: unit(project(all, axes, MINILM_DIMENSIONS, DIMENSIONS)),
    axes,
  };
}

/** Each word piece alone, as the teacher sees it; frequent ones are small, so that they say little in a mean. */
async function firstTable(): Promise<Float32Array> {
  const whole = vocabulary.map((piece) => piece.replace(/^##/, ""));
  const rows = project(
    await teacherVectors("vocabulary", whole),
    lessons.axes,
    MINILM_DIMENSIONS,
    DIMENSIONS,
  );
  const counts = new Float64Array(vocabulary.length).fill(0.1);
  for (const text of lessons.texts) for (const row of text) counts[row] = (counts[row] as number) + 1;
  const total = counts.reduce((sum, count) => sum + count, 0);
  counts.forEach((count, row) => {
    const unused = /^\[/.test(vocabulary[row] ?? "[");
    const scale = unused ? 0 : 1e-3 / (1e-3 + count / total);
    for (let j = 0; j < DIMENSIONS; j++)
      rows[row * DIMENSIONS + j] = scale * (rows[row * DIMENSIONS + j] as number);
  });
  return rows;
}

function distilBatch(student: BagModel, size: number, weight: number): number {
  const at = Array.from({ length: size }, () => Math.floor(next() * lessons.texts.length));
  const wanted = new Float32Array(size * DIMENSIONS);
  at.forEach((text, to) => {
    wanted.set(lessons.vectors.subarray(text * DIMENSIONS, (text + 1) * DIMENSIONS), to * DIMENSIONS);
  });
  return distil(
    student,
    at.map((text) => lessons.texts[text] ?? []),
    wanted,
    weight,
  );
}

/** The first stage's result is kept: the second is the one that gets changed. */
async function distilled(): Promise<Float32Array> {
  const path = join(
    import.meta.dirname,
    `../.cache/distilled${options.without ? `-without-${options.without}` : ""}.f32`,
  );
  if (existsSync(path)) {
    const file = readFileSync(path);
    return new Float32Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
  }
  const student = new BagModel(await firstTable(), DIMENSIONS);
  for (let step = 1; step <= DISTIL.steps; step++) {
    const loss = distilBatch(student, DISTIL.batch, DISTIL.weight);
    student.step(DISTIL.rate);
    if (step % 500 === 0) console.log(`distil ${step}: 1 - cosine ${loss.toFixed(4)}`);
  }
  writeFileSync(path, Buffer.from(student.table.buffer));
  return student.table;
}

function tuneAll(): void {
  const taught = sets.filter(({ name }) => TRAIN_SETS.includes(name)).map(toLesson);
  const words = synsets.map(({ words: all, definition, examples }) => ({
    words: all.slice(0, 4).map((word) => rowsOf(word)),
    definition: rowsOf(definition),
    examples: examples.slice(0, 1).map((text) => rowsOf(text)),
  }));
  const steps = Number(options.steps ?? TUNE.steps);
  for (let step = 1; step <= steps; step++) {
    const { catalog, tasks } = taught[step % taught.length] as ReturnType<typeof toLesson>;
    const batch = Array.from({ length: TUNE.batch }, () => draw(tasks));
    const chosen = choose(
      model,
      fewShots(catalog),
      batch.map(({ rows }) => dropped(rows)),
      batch.map(({ answer }) => answer),
      { weight: TUNE.choose, sharpness: TUNE.sharpness, ownShare: OWN_SHARE },
    );
    const synset = Array.from({ length: 256 }, () => draw(words));
    contrast(
      model,
      synset.map((entry) => draw(entry.words)),
      synset.map((entry) => (entry.examples[0] && next() < 0.2 ? entry.examples[0] : entry.definition)),
      { weight: TUNE.contrast, sharpness: TUNE.sharpness },
    );
    const kept = distilBatch(model, DISTIL.batch, TUNE.distil);
    model.step(TUNE.rate * Math.max(0.05, 1 - step / steps));
    if (step % 250 === 0 || step === steps) writeFileSync(options.out ?? "table.bin", toInt8(model.table));
    if (step % 100 === 0) console.log(`tune ${step}: choose ${chosen.toFixed(3)} distil ${kept.toFixed(4)}`);
  }
}

function toLesson({ capabilities, train }: RoutingSet) {
  const at = new Map(capabilities.map(({ id }, slot) => [id, slot]));
  const texts = capabilities.map(documentTexts);
  const catalog: Catalog = {
    documents: texts.map(({ own }) => rowsOf(own)),
    triggers: texts.map(({ triggers }) => triggers.map(rowsOf)),
  };
  const tasks = train.map(({ task, expected }) => ({
    rows: rowsOf(taskTexts(task)[0] ?? task),
    answer: at.get(expected[0] ?? "") ?? 0,
  }));
  return { catalog, tasks };
}

function fewShots({ documents, triggers }: Catalog): Catalog {
  const shots = next() < ZERO_SHOT ? 0 : 1 + Math.floor(next() * 10);
  return {
    documents,
    triggers: triggers.map((texts) =>
      texts
        .map((rows) => ({ rows: dropped(rows), order: next() }))
        .sort((a, b) => a.order - b.order)
        .slice(0, shots)
        .map(({ rows }) => rows),
    ),
  };
}

/** Forgets some words, so that no single one decides. */
function dropped(rows: readonly number[]): readonly number[] {
  if (rows.length <= 3) return rows;
  const kept = rows.filter(() => next() > TUNE.drop);
  return kept.length > 0 ? kept : rows;
}

function every(vectors: Float32Array, nth: number): Float32Array {
  const count = Math.floor(vectors.length / MINILM_DIMENSIONS / nth);
  const out = new Float32Array(count * MINILM_DIMENSIONS);
  for (let at = 0; at < count; at++) {
    const from = at * nth * MINILM_DIMENSIONS;
    out.set(vectors.subarray(from, from + MINILM_DIMENSIONS), at * MINILM_DIMENSIONS);
  }
  return out;
}

function unit(vectors: Float32Array): Float32Array {
  for (let from = 0; from < vectors.length; from += DIMENSIONS) {
    let squares = 0;
    for (let j = 0; j < DIMENSIONS; j++) squares += (vectors[from + j] as number) ** 2;
    const length = Math.sqrt(squares) || 1;
    for (let j = 0; j < DIMENSIONS; j++) vectors[from + j] = (vectors[from + j] as number) / length;
  }
  return vectors;
}

/** One float32 scale per row, then the rows in int8. */
function toInt8(table: Float32Array): Uint8Array {
  const rows = table.length / DIMENSIONS;
  const scales = new Float32Array(rows);
  const bytes = new Int8Array(table.length);
  for (let row = 0; row < rows; row++) {
    let most = 0;
    for (let j = 0; j < DIMENSIONS; j++)
      most = Math.max(most, Math.abs(table[row * DIMENSIONS + j] as number));
    scales[row] = most / 127;
    if (most === 0) continue;
    for (let j = 0; j < DIMENSIONS; j++) {
      bytes[row * DIMENSIONS + j] = Math.round(((table[row * DIMENSIONS + j] as number) * 127) / most);
    }
  }
  return Buffer.concat([Buffer.from(scales.buffer), Buffer.from(bytes.buffer)]);
}
