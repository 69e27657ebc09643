/** The values a task's text holds: addresses, quoted texts, paths, numbers, dates, lists. Each is found once, with its place. */
import { datesInWords } from "./task-dates.ts";
import { numbersInWords } from "./task-numbers.ts";

export type ValueKind = "url" | "email" | "quoted" | "path" | "number" | "date" | "uuid";

export interface FoundValue {
  readonly kind: ValueKind;
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/** Earlier rows win: a number inside a URL is part of the URL. */
const PATTERNS: readonly (readonly [ValueKind, RegExp])[] = [
  ["url", /https?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)\]}]/gi],
  ["email", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ["quoted", /```\w*\s([\s\S]{1,20000}?)\s*```/g],
  ["quoted", /"([^"]{1,4000})"|“([^”]{1,4000})”|'([^']{2,4000})'(?!\w)|`([^`]{1,4000})`/g],
  ["uuid", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ["date", /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?\b/g],
  [
    "path",
    /(?<![\w/:])(?:\.{0,2}\/[\w.@~-]+(?:\/[\w.@~-]+)*\/?|[\w-]+(?:\/[\w.-]+)*\.(?:txt|md|json|csv|ya?ml|html?|js|ts|py|pdf|docx?|png|jpe?g|log|xml|toml|sh))\b/gi,
  ],
  ["number", /(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)/gi],
];

/** `now` lets "tomorrow" become a date. */
export function findValues(task: string, now?: Date): FoundValue[] {
  const taken: FoundValue[] = [];
  const take = (value: FoundValue) => {
    if (taken.every(({ at, end }) => value.end <= at || value.at >= end)) taken.push(value);
  };
  for (const [kind, pattern] of PATTERNS) {
    if (kind === "number") {
      for (const { date, at, end } of datesInWords(task, now)) take({ kind: "date", text: date, at, end });
      for (const { number, at, end } of numbersInWords(task)) {
        take({ kind: "number", text: String(number), at, end });
      }
    }
    for (const match of task.matchAll(pattern)) {
      const text = match.slice(1).find((group) => group !== undefined) ?? match[0];
      take({ kind, text, at: match.index, end: match.index + match[0].length });
    }
  }
  return taken.sort((a, b) => a.at - b.at);
}

export const numberOf = ({ text }: FoundValue): number => Number(text.replaceAll(",", ""));

/** The items of a list in the text: what stands behind a colon, or between commas and "and", or on lines of its own. */
export function listItems(task: string): string[] {
  const behindColon = /:\s*([\s\S]+)$/.exec(task)?.[1] ?? task;
  const lines = behindColon
    .split(/\n+/)
    .map(trimItem)
    .filter((item) => item !== "");
  if (lines.length > 1) return lines;
  const parts = behindColon
    .split(/,\s*(?:and\s+)?|;\s*|\s+and\s+/i)
    .map(trimItem)
    .filter((item) => item !== "");
  return parts.length > 1 || behindColon !== task ? parts : [];
}

const trimItem = (text: string): string =>
  text
    .replace(/^\s*(?:[-*•]|\d+[.)])\s*/, "")
    .replace(/[.\s]+$/, "")
    .trim();
