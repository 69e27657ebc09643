/** Assigns numbers of a task to numeric parameters: by the word before it, by the parameter's name next to it, otherwise in order. */
import type { JsonSchema } from "../schema.ts";
import type { Mapping } from "./mapping.ts";
import { inUnit, isLikelyShare, isSameKind, isShare, unitBeside, unitOf } from "./number-units.ts";
import type { ParameterSchema } from "./parameters.ts";
import { stem } from "./stem.ts";
import { type FoundValue, numberOf, rangeOf } from "./task-values.ts";
import { identifierWords, words } from "./text.ts";

export function numberFor(parameter: ParameterSchema, mapping: Mapping): number | undefined {
  const free = mapping.values.filter(
    (value) =>
      value.kind === "number" && !mapping.used.has(value) && !isOfLongerName(parameter.name, value, mapping),
  );
  return PAGE.test(parameter.name)
    ? pageFor(parameter.required, free, mapping)
    : amountFor(parameter, free, mapping);
}

function amountFor(
  parameter: ParameterSchema,
  free: readonly FoundValue[],
  mapping: Mapping,
): number | undefined {
  const { name, schema, required } = parameter;
  const mustBeSaid = mapping.hints.path !== undefined;
  const fitting = free.filter((value) => fitsUnit(parameter, value, mapping.task));
  const withUnit = fitting.filter((value) => isInUnit(parameter, value, mapping.task));
  const clear = clearNumber({ name, schema }, fitting, withUnit, mapping.task);
  const inOrder = schema.default === undefined && (required || (!mustBeSaid && isAmongFew(mapping)));
  const chosen = clear ?? (inOrder ? firstOf(fitting, mapping) : undefined);
  if (!chosen) return inOrder && required ? rangeEnd(name, mapping) : undefined;
  if (!clear && !required) mapping.guessed.add(name);
  mapping.used.add(chosen);
  return wantedNumber(parameter, chosen, mapping);
}

const PAGE = /^page(?:[_-]?(?:no|num|number))?$/i;

/** "page 3"; the first one where a page is needed and nobody says which. */
function pageFor(
  required: boolean,
  free: readonly FoundValue[],
  { task, used }: Mapping,
): number | undefined {
  const said = free.find(({ at }) =>
    /(?<!\p{L})(?:page|seite|página|页)\s*(?:number|nr\.?|no\.?)?\s*#?$/iu.test(task.slice(0, at)),
  );
  if (!said) return required ? 1 : undefined;
  used.add(said);
  return numberOf(said);
}

/** "20 per page" is for `per_page`, not for `page`. */
const isOfLongerName = (name: string, { at, end }: FoundValue, { task, parameters }: Mapping): boolean => {
  const own = words(identifierWords(name));
  return parameters.some((each) => {
    const theirs = words(identifierWords(each.name));
    if (theirs.length <= own.length || !own.every((word) => theirs.includes(word))) return false;
    const said = theirs.join("\\s+");
    return (
      new RegExp(`^\\s+${said}\\b`, "i").test(task.slice(end)) ||
      new RegExp(`\\b${said}\\s+$`, "i").test(task.slice(0, at))
    );
  });
};

/** "the other two sides as 4 and 5": words count only where the digits do not suffice. */
function firstOf(fitting: readonly FoundValue[], { task, parameters }: Mapping): FoundValue | undefined {
  const inDigits = fitting.filter(({ at, end }) => /\d/.test(task.slice(at, end)));
  const needed = parameters.filter(
    ({ required, schema }) => required && /^(?:number|integer)$/.test(String(schema.type)),
  );
  return inDigits.length >= needed.length ? inDigits[0] : fitting[0];
}

const FEW = 2;
/** With many optional numbers, a number without a hint is assigned to none. */
const isAmongFew = ({ parameters }: Mapping): boolean =>
  parameters.filter(({ schema }) => schema.type === "number" || schema.type === "integer").length <= FEW;

function clearNumber(
  { name, schema }: Pick<ParameterSchema, "name" | "schema">,
  fitting: readonly FoundValue[],
  withUnit: readonly FoundValue[],
  task: string,
): FoundValue | undefined {
  return (
    fitting.find(({ at }) => wordBehind(schema)?.test(task.slice(0, at))) ??
    fitting.find((value) => isMarked(name, value, task)) ??
    nearest(name, withUnit.length > 0 ? withUnit : fitting, task) ??
    fitting.find((value) => isCounted(schema.description, value, task)) ??
    withUnit[0]
  );
}

/** The number closest to a word of the parameter's name: "my new age, 30. My user id is 12345". */
const nearest = (name: string, fitting: readonly FoundValue[], task: string): FoundValue | undefined =>
  fitting
    .flatMap((value) => {
      const distance = distanceTo(value, nameWords(name), task);
      return distance === undefined ? [] : [{ value, distance }];
    })
    .sort((a, b) => a.distance - b.distance)[0]?.value;

const nameWords = (name: string): string[] =>
  identifierWords(name)
    .toLowerCase()
    .split(" ")
    .filter((word) => word.length > (word === name.toLowerCase() ? 2 : 3))
    .map((word) => word.replace(/(?:(?<=child)ren|s)$/, ""));

const REACH = 18;

function distanceTo({ at, end }: FoundValue, said: readonly string[], task: string): number | undefined {
  const reach = said.join(" ").length + REACH;
  const before = task.slice(Math.max(0, at - reach), at).toLowerCase();
  const behind = task.slice(end, end + reach).toLowerCase();
  const found = said.flatMap((word) => [
    ...(before.includes(word) ? [before.length - before.lastIndexOf(word) - word.length] : []),
    ...(behind.includes(word) ? [behind.indexOf(word)] : []),
  ]);
  return found.length > 0 ? Math.min(...found) : undefined;
}

export const isNumeric = ({ type }: JsonSchema): boolean => type === "number" || type === "integer";

/** "30 seconds" is no width: a number with the unit of another kind is not for this parameter. */
export function fitsUnit({ name, schema }: ParameterSchema, { at, end }: FoundValue, task: string): boolean {
  const unit = unitOf(name, schema.description);
  const said = unitBeside(task, at, end);
  return !unit || !said || isSameKind(unit, said);
}

export const isInUnit = ({ name, schema }: ParameterSchema, { at, end }: FoundValue, task: string): boolean =>
  isSameKind(unitOf(name, schema.description), unitBeside(task, at, end));

/** The number in the parameter's type and unit. */
export function wantedNumber(parameter: ParameterSchema, value: FoundValue, mapping: Mapping): number {
  const { name, schema } = parameter;
  const said = unitBeside(mapping.task, value.at, value.end);
  const isShared = isLikelyShare(said, parameter);
  if (isShared) mapping.guessed.add(name);
  const number =
    isShared || isShare(said, schema.description)
      ? Number((numberOf(value) / 100).toPrecision(12))
      : inUnit(numberOf(value), said, unitOf(name, schema.description));
  return schema.type === "integer" ? Math.trunc(number) : number;
}

const COUNTED =
  /\b(?:number|count|amount|how many|maximum(?: number)?)\s+(?:of\s+)?(?:\w+\s+)?(\p{L}{3,})\b/iu;

/** "the last 50 lines" for "Number of lines to show": the thing behind the number is the one that is counted. */
function isCounted(description: unknown, { end }: FoundValue, task: string): boolean {
  const things = COUNTED.exec(String(description ?? ""))?.[0];
  const next = /^\s+(\p{L}+)/u.exec(task.slice(end))?.[1];
  return (
    things !== undefined &&
    next !== undefined &&
    words(things).some((word) => stem(word) === stem(next.toLowerCase()))
  );
}

const UNIT_AHEAD =
  "(?:at |with |by |bei |in |en |à |the |la |el |le |der |o |a )*(?:second |minute |page |line |sekunde |minute |seite |segundo |minuto |seconde |página )?$";
/** What comes before the number of a start, an end and a length, in the languages that tasks are read in. */
const MARKS: readonly (readonly [name: RegExp, before: RegExp])[] = [
  [
    /^(start|begin|from|offset|first)([_-]|$)/i,
    new RegExp(
      `(?<!\\p{L})(?:start\\p{L}*|begin\\p{L}*|from|ab|von|beginnend|desde|empezando|a partir (?:de|do|da|del)|à partir (?:de|du)|depuis|dès|começando|at (?=second|minute))\\s+${UNIT_AHEAD}`,
      "iu",
    ),
  ],
  [
    /^(end|to|until|last|stop)([_-]|$)/i,
    new RegExp(`(?<!\\p{L})(?:to|until|till|through|bis|hasta|jusqu['’](?:à|au)|até)\\s+${UNIT_AHEAD}`, "iu"),
  ],
  [
    /(^|[_-])(length|duration)([_-]|$)/i,
    /(?<!\p{L})(?:for|lasting|cut|during|für|lang|durante|por|pendant)\s+$/iu,
  ],
  [
    /^max|^limit$|page_?size|per_?page/i,
    /(?<!\p{L})(?:at most|up to|under|below|less than|no more than|maximum(?: of)?|max\.?|höchstens|maximal|bis zu|unter|como máximo|hasta|menos de|au plus|au maximum|moins de|no máximo|até)\s+[$€£]?$/iu,
  ],
  [
    /^min/i,
    /(?<!\p{L})(?:at least|over|above|more than|minimum(?: of)?|min\.?|mindestens|über|al menos|más de|au moins|plus de|pelo menos|mais de)\s+[$€£]?$/iu,
  ],
  [
    /^(limit|count|top|max_?results|max_?records|page_?size|per_?page|n)$/i,
    /(?<!\p{L})(?:last|latest|first|top|newest|recent|letzten?|ersten?|neuesten?|últim[oa]s|primer[oa]s|derni[eè]re?s|premi[eè]re?s|primeir[oa]s)\s+$/iu,
  ],
];

const PAGE_SIZE = /^(?:limit|count|max_?results|page_?size|per_?page)$/i;
const A_PAGE = /^\s+(?:\p{L}+\s+)?(?:per|a|each|on a|pro|je|por|par|每)\s*(?:page|seite|página|页)/iu;

export const isMarked = (name: string, { at, end }: FoundValue, task: string): boolean =>
  (PAGE_SIZE.test(name) && A_PAGE.test(task.slice(end))) ||
  MARKS.some(([named, before]) => named.test(name) && before.test(task.slice(Math.max(0, at - 60), at)));

const LAST = /^(last|end|to|until|max|maximum|stop|upper)([_-]|$)|[_-](end|to|last)$/i;

/** "pages 10-12": the end of a range goes to `last`, its start to any other parameter. */
function rangeEnd(name: string, { values }: Mapping): number | undefined {
  const range = values.map((value: FoundValue) => rangeOf(value)).find((each) => each !== undefined);
  return range?.[LAST.test(name) ? 1 : 0];
}

/** "The number to subtract from." ends in the word that precedes its number: "subtract 5 from 20". */
function wordBehind({ description }: JsonSchema): RegExp | undefined {
  const word = /\b(by|from|into)(?=[.;,]|$)/i.exec(typeof description === "string" ? description : "")?.[1];
  return word === undefined ? undefined : new RegExp(`\\b${word}\\s+$`, "i");
}
