/**
 * Values in a task that a call does not use: a file, a date, an amount, the language of "in Polish". They suggest
 * that another tool is meant or that the call does something else; a step that changes something is then proposed
 * instead of executed.
 */
import type { JsonValue } from "../schema.ts";
import type { Mapping } from "./mapping.ts";
import type { FoundValue, ValueKind } from "./task-values.ts";
import { currenciesIn, languagesIn } from "./value-names.ts";

interface Named {
  readonly kind?: ValueKind;
  readonly text: string;
  readonly at: number;
  readonly end: number;
  /** How a program may write it. */
  readonly code?: string;
}

/** Values of the task that are neither used nor part of a value of the call. */
export function unplacedValues(
  { task, values, used }: Mapping,
  payload: Readonly<Record<string, JsonValue>>,
): string[] {
  const held = Object.values(payload).flatMap(leaves);
  const isPlaced = ({ text, at, end, code, kind }: Named): boolean =>
    [...used].some((each) => each.at <= at && end <= each.end) ||
    (kind !== "path" && held.some((each) => isIn(text, each) || isIn(task.slice(at, end), each))) ||
    (code !== undefined && held.some((each) => each.toLowerCase() === code.toLowerCase()));
  const named: Named[] = [...values.filter(isExact(task)), ...languagesAskedFor(task), ...currencies(task)];
  return [...new Set(named.filter((each) => !isPlaced(each)).map(({ at, end }) => task.slice(at, end)))];
}

/** Numbers only in digits: "two-masted" and "one of them" ask for no number. */
const isExact =
  (task: string) =>
  ({ kind, at, end }: FoundValue): boolean =>
    kind !== "number" || /\d/.test(task.slice(at, end));

const isIn = (form: string, value: string): boolean => {
  const [short, long] = [form.toLowerCase(), value.toLowerCase()];
  return long.includes(short) || Number(short.replaceAll(",", "")) === Number(long || Number.NaN);
};

const leaves = (value: JsonValue): string[] =>
  value !== null && typeof value === "object" ? Object.values(value).flatMap(leaves) : [String(value)];

const BEFORE_LANGUAGE =
  /(?<!\p{L})(?:in|into|to|from|ins|auf|aus|al|en|em|au|para|pour|del|du|do)(?: (?:le|el|o))? $/iu;
const BEFORE_NOUN = /^ (?!(?:and|then|please|as|with|for|by|to|into|at|on)\b)\p{L}/iu;

/** "in Polish", "into French": not the language in "send it to German customers". */
const languagesAskedFor = (task: string): Named[] =>
  languagesIn(task)
    .filter(({ at, end }) => BEFORE_LANGUAGE.test(task.slice(0, at)) && !BEFORE_NOUN.test(task.slice(end)))
    .map(({ name, code, at, end }) => ({ text: name, code, at, end }));

const currencies = (task: string): Named[] =>
  currenciesIn(task)
    .filter(({ at, end }) => /\d\s*$/.test(task.slice(0, at)) || /^\s*\d/.test(task.slice(end)))
    .map(({ name, code, at, end }) => ({ text: name, code, at, end }));
