/** Assigns numbers of a task to numeric parameters: by the word before it, by the parameter's name next to it, otherwise in order. */
import type { JsonSchema } from "../schema.ts";
import type { Mapping } from "./mapping.ts";
import { inUnit, isSameKind, unitBeside, unitOf } from "./number-units.ts";
import type { ParameterSchema } from "./parameters.ts";
import { type FoundValue, numberOf, rangeOf } from "./task-values.ts";

export function numberFor({ name, schema, required }: ParameterSchema, mapping: Mapping): number | undefined {
  const mustBeSaid = mapping.hints.path !== undefined;
  const free = mapping.values.filter((value) => value.kind === "number" && !mapping.used.has(value));
  const unit = unitOf(name, schema.description);
  const beside = new Map(free.map((value) => [value, unitBeside(mapping.task, value.at, value.end)]));
  // "30 seconds" is no width: a number with the unit of another kind is not for this parameter.
  const fitting = free.filter((value) => !unit || !beside.get(value) || isSameKind(unit, beside.get(value)));
  const withUnit = fitting.filter((value) => isSameKind(unit, beside.get(value)));
  const clear = clearNumber({ name, schema }, fitting, withUnit, mapping.task);
  const inOrder = schema.default === undefined && (required || (!mustBeSaid && isAmongFew(mapping)));
  const chosen = clear ?? (inOrder ? fitting[0] : undefined);
  if (!chosen) return inOrder && required ? rangeEnd(name, mapping) : undefined;
  if (!clear && !required) mapping.guessed.add(name);
  mapping.used.add(chosen);
  const number = inUnit(numberOf(chosen), beside.get(chosen), unit);
  return schema.type === "integer" ? Math.trunc(number) : number;
}

const FEW = 2;
/** Among many optional numbers one without a sign is nobody's. */
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
    (withUnit.length > 0 ? withUnit : fitting).find((value) => isNear(name, value, task)) ??
    withUnit[0]
  );
}

/** A word of the parameter's name stands close to the number. */
function isNear(name: string, { at, end }: FoundValue, task: string): boolean {
  const said = name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_-]/)
    .filter((word) => word.length > (word === name ? 2 : 3));
  const around = task.slice(Math.max(0, at - name.length - 12), end + name.length + 12).toLowerCase();
  return said.some((word) => around.includes(word.replace(/(?:(?<=child)ren|s)$/, "")));
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
    /^max/i,
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

const isMarked = (name: string, { at }: FoundValue, task: string): boolean =>
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
