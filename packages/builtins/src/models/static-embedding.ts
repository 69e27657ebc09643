/**
 * The embedding of every installation: a table with one 256-dimensional vector per word piece (int8, 8 MB), distilled
 * from all-MiniLM-L6-v2. A text is the mean of its rows: no model runs, a task takes some tens of microseconds.
 */
import { readFileSync } from "node:fs";
import type { Embed } from "@capstan/core/internal";
import { createWordPieces } from "./word-pieces.ts";

const DATA = new URL("../../data/", import.meta.url);
export const TABLE_DIMENSIONS = 256;
const MAX_ROWS = 256; // of one text; more hardly changes the mean

let loaded: Embed | undefined;

/** Reads the table once per process. */
export function staticEmbedding(): Embed {
  loaded ??= openTable(
    readFileSync(new URL("static-minilm-256.int8.bin", DATA)),
    readFileSync(new URL("vocab.txt", DATA), "utf8"),
  );
  return loaded;
}

/** `table`: one float32 scale per row, then the rows in int8. `vocabulary`: one word piece a line, line = row. */
export function openTable(table: Uint8Array, vocabulary: string): Embed {
  const pieces = createWordPieces(vocabulary.split("\n"));
  const count = table.byteLength / (TABLE_DIMENSIONS + Float32Array.BYTES_PER_ELEMENT);
  const scaleBytes = count * Float32Array.BYTES_PER_ELEMENT;
  const scales = new Float32Array(table.slice(0, scaleBytes).buffer);
  const rows = new Int8Array(table.buffer, table.byteOffset + scaleBytes, count * TABLE_DIMENSIONS);

  const sum = new Float64Array(TABLE_DIMENSIONS); // of the current text; in doubles, which need no conversion to add

  return (text) => {
    sum.fill(0);
    for (const row of pieces.rows(text, MAX_ROWS))
      addRow(sum, rows, row * TABLE_DIMENSIONS, scales[row] ?? 0);
    return normalised(sum);
  };
}

function addRow(sum: Float64Array, rows: Int8Array, from: number, scale: number): void {
  for (let at = 0; at < TABLE_DIMENSIONS; at++) {
    sum[at] = (sum[at] as number) + (rows[from + at] as number) * scale;
  }
}

function normalised(vector: Float64Array): Float32Array | undefined {
  let squares = 0;
  for (let at = 0; at < TABLE_DIMENSIONS; at++) squares += (vector[at] as number) ** 2;
  if (squares === 0) return undefined;
  const norm = Math.sqrt(squares);
  const unit = new Float32Array(TABLE_DIMENSIONS);
  for (let at = 0; at < TABLE_DIMENSIONS; at++) unit[at] = (vector[at] as number) / norm;
  return unit;
}
