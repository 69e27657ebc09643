/** Ordinary words, spread over the embedding's vocabulary from frequent to rare: fixed points to measure other words against. */
import { readFileSync } from "node:fs";

const COUNT = 1024;
const FIRST = 2_000; // before it are signs, single letters and words without their own meaning
const LAST = 16_000; // after it, mostly names and parts of words

let anchors: readonly string[] | undefined;

/** The same list as long as the vocabulary is the same; stored facts depend on it. */
export function meaningAnchors(): readonly string[] {
  anchors ??= pick(readFileSync(new URL("../../data/vocab.txt", import.meta.url), "utf8").split("\n"));
  return anchors;
}

function pick(vocabulary: readonly string[]): string[] {
  const words = vocabulary.slice(FIRST, LAST).filter((word) => /^[a-z]{4,}$/.test(word));
  return Array.from({ length: COUNT }, (_, at) => words[Math.floor((at * words.length) / COUNT)] ?? "");
}
