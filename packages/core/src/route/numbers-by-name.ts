/**
 * Several numbers for several parameters, decided together: "an initial value of 2000 and a final value of 3000". Each number costs as many
 * words as lie between it and the parameter's own words; the cheapest assignment wins, and the order of the schema where two cost the same.
 */
import type { Mapping } from "./mapping.ts";
import { fitsUnit, isInUnit, isMarked, isNumeric, wantedNumber } from "./number-arguments.ts";
import type { ParameterSchema } from "./parameters.ts";
import { stem } from "./stem.ts";
import type { FoundValue } from "./task-values.ts";
import { identifierWords, isStopTerm, words } from "./text.ts";

const UNNAMED = 9; // words; further away a word says nothing about a number
const UNASSIGNED = 40; // dearer than any single assignment
const SAME_UNIT = 4;
const ANOTHER_NUMBER = 8;
const ANOTHER_PART = 3;
const AND = /^(?:and|und|y|et|e)$/;
const BEHIND = 2; // the word before a number names it more often than the one behind
const MOST = 6; // parameters and numbers: more are not decided together

export function numbersByName(parameters: readonly ParameterSchema[], mapping: Mapping): Map<string, number> {
  const taking = parameters.filter(({ schema }) => isNumeric(schema) && !Array.isArray(schema.enum));
  const free = mapping.values.filter((value) => value.kind === "number" && !mapping.used.has(value));
  const found = new Map<string, number>();
  if (taking.length < 2 || free.length === 0 || Math.max(taking.length, free.length) > MOST) return found;
  const own = distinctWords(taking);
  const costs = taking.map((parameter, at) =>
    free.map((value) =>
      fitsUnit(parameter, value, mapping.task) ? cost(parameter, value, own[at] ?? [], mapping) : Infinity,
    ),
  );
  cheapest(costs).forEach((at, row) => {
    const [parameter, value] = [taking[row], at === undefined ? undefined : free[at]];
    if (!parameter || !value) return;
    mapping.used.add(value);
    found.set(parameter.name, wantedNumber(parameter, value, mapping));
  });
  return found;
}

/** Words that two parameters share tell them apart from nothing. */
function distinctWords(parameters: readonly ParameterSchema[]): string[][] {
  const all = parameters.map(({ name }) =>
    words(identifierWords(name))
      .filter((word) => word.length > 2 && !isStopTerm(word))
      .map(stemOf),
  );
  return all.map((own) => own.filter((word) => all.filter((each) => each.includes(word)).length === 1));
}

function cost(
  parameter: ParameterSchema,
  value: FoundValue,
  own: readonly string[],
  mapping: Mapping,
): number {
  if (isMarked(parameter.name, value, mapping.task)) return 0;
  const hasUnit = isInUnit(parameter, value, mapping.task);
  return Math.min(distance(value, own, mapping), hasUnit ? SAME_UNIT : Infinity);
}

/** In words, from the number to the nearest of these words. */
function distance({ at, end }: FoundValue, own: readonly string[], { task }: Mapping): number {
  const before = (
    task
      .slice(0, at)
      .split(/[.;!?]\s/)
      .at(-1) ?? ""
  ).replaceAll(",", " and ");
  const behind = /^[^,.;:!?]*/.exec(task.slice(end))?.[0].split(/\s(?:and|und|y|et|e)\s/)[0] ?? "";
  return Math.min(stepsTo(words(before).reverse(), own), BEHIND + stepsTo(words(behind), own), Infinity);
}

const stemOf = (word: string): string => stem(word.replace(/(?<=^child)ren$/, ""));

function stepsTo(spoken: readonly string[], own: readonly string[]): number {
  const at = spoken.findIndex((word) => own.includes(stemOf(word)));
  if (at < 0 || at >= UNNAMED) return Infinity;
  const between = spoken.slice(0, at);
  const numbers = between.filter((word) => /^\d/.test(word)).length;
  return at + numbers * ANOTHER_NUMBER + between.filter((word) => AND.test(word)).length * ANOTHER_PART;
}

/** Which column each row takes, at the lowest sum; a row may take none. */
function cheapest(costs: readonly (readonly number[])[]): (number | undefined)[] {
  let best: { sum: number; taken: (number | undefined)[] } = { sum: Infinity, taken: [] };
  const tryFrom = (row: number, taken: readonly (number | undefined)[], sum: number): void => {
    if (sum >= best.sum) return;
    const next = costs[row];
    if (!next) {
      best = { sum, taken: [...taken] };
      return;
    }
    next.forEach((cost, at) => {
      if (cost < Infinity && !taken.includes(at)) tryFrom(row + 1, [...taken, at], sum + cost);
    });
    tryFrom(row + 1, [...taken, undefined], sum + UNASSIGNED);
  };
  tryFrom(0, [], 0);
  return best.taken;
}
