/** Lists as people and programs write them out: `[1, 2, 3]`, "12, 24 and 36" for numbers. */
import type { JsonValue } from "../schema.ts";

const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const NUMBERS = new RegExp(
  String.raw`(?<![\w.,-])${NUMBER}(?:\s*(?:,\s*(?:and\s+|und\s+|y\s+|et\s+|e\s+)?|\s(?:and|und|y|et|e)\s)${NUMBER})+(?![\w,]|\.\d)`,
  "g",
);
const MOST_CHARS = 4_000;

interface Literal {
  readonly items: readonly JsonValue[];
  readonly at: number;
  readonly end: number;
}

/** Bracketed lists, in order; nested ones as part of the outer one. Single quotes are read as double ones. */
export function literalsIn(task: string): Literal[] {
  const found: Literal[] = [];
  for (let at = task.indexOf("["); at >= 0; at = task.indexOf("[", at + 1)) {
    const end = closing(task, at);
    const items = end === undefined ? undefined : parsed(task.slice(at, end));
    if (end === undefined || !items) continue;
    found.push({ items, at, end });
    at = end - 1;
  }
  return found;
}

/** Runs of at least two numbers. */
export const numberRuns = (task: string): Literal[] =>
  [...task.matchAll(NUMBERS)].map(({ 0: text, index }) => ({
    items: (text.match(new RegExp(NUMBER, "g")) ?? []).map(Number),
    at: index,
    end: index + text.length,
  }));

function closing(task: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < Math.min(task.length, from + MOST_CHARS); at++) {
    if (task[at] === "[") depth++;
    else if (task[at] === "]" && --depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(text: string): JsonValue[] | undefined {
  for (const each of [text, text.replaceAll("'", '"')])
    try {
      const value: unknown = JSON.parse(each);
      if (Array.isArray(value) && value.length > 0) return value as JsonValue[];
    } catch {
      // not JSON: words in brackets are tried below
    }
  const words = text
    .slice(1, -1)
    .split(",")
    .map((word) => word.trim());
  return words.length > 1 && words.every((word) => /^[\p{L}\p{N}_.@/-]+$/u.test(word)) ? words : undefined;
}
