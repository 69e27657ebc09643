/**
 * Units beside numbers, in the languages that tasks are read in. A parameter has a unit by its name or description
 * (`duration_minutes`, "Weight in kilograms."); "for 2 hours" is then 120.
 */
import type { ParameterSchema } from "./parameters.ts";

export interface Unit {
  readonly kind: string;
  /** In the smallest unit of its kind. */
  readonly size: number;
  readonly words: string;
}

const UNITS: readonly Unit[] = [
  { kind: "acceleration", size: 1, words: "m/s\\^?[2²]|meters? per second squared" },
  { kind: "speed", size: 1, words: "m/s|meters? per second|metres? per second" },
  { kind: "speed", size: 1 / 3.6, words: "km/h|kph|kmh|kilomet(?:er|re)s? per hour" },
  { kind: "speed", size: 0.44704, words: "mph|miles? per hour" },
  { kind: "time", size: 1, words: "s|secs?|seconds?|sekunden?|segundos?|secondes?|秒" },
  { kind: "time", size: 60, words: "min|mins|minutes?|minuten?|minutos?|分钟|分鐘|分" },
  { kind: "time", size: 3600, words: "h|hrs?|hours?|stunden?|horas?|heures?|小时|小時|時間" },
  { kind: "percent", size: 1, words: "%|percent|per cent|prozent|por ciento|por cento|pour cent" },
  { kind: "length", size: 1, words: "m|met(?:er|re)s?|metros?|mètres?" },
  { kind: "length", size: 1000, words: "km|kms|kilomet(?:er|re)s?|kilómetros?|kilomètres?|quilómetros?" },
  { kind: "length", size: 0.01, words: "cm|centimet(?:er|re)s?" },
  { kind: "length", size: 1609.344, words: "miles?|millas?|meilen?" },
  { kind: "length", size: 0.3048, words: "ft|feet|foot" },
  { kind: "weight", size: 1, words: "g|grams?|grams|gramm|gramos?|grammes?|gramas?|克" },
  {
    kind: "weight",
    size: 1000,
    words: "kg|kgs|kilos?|kilograms?|kilogramm|kilogramos?|kilogrammes?|quilos?|quilogramas?|公斤|千克",
  },
  {
    kind: "people",
    size: 1,
    words:
      "people|persons?|seats?|guests?|attendees|participants?|personen|leute|teilnehmer|personas?|personnes?|pessoas?|participantes|人",
  },
  { kind: "pixels", size: 1, words: "px|pixels?|pixeln?|píxeles|pixeles" },
  { kind: "angle", size: 1, words: "degrees?|grad|grados?|degrés?|graus?|°|度" },
  { kind: "rate", size: 1, words: "kbps|kbit(?:/s)?|kb/s" },
  { kind: "days", size: 1, words: "days?|tage?n?|d[ií]as?|jours?|天|日間" },
  { kind: "years", size: 1, words: "years?|jahren?|jahre|años?|ans|années?|anos?|年" },
  { kind: "months", size: 1, words: "months?|monaten?|monate|meses|mes|mois|mês" },
  { kind: "weeks", size: 1, words: "weeks?|wochen?|semanas?|semaines?" },
  { kind: "copies", size: 1, words: "copies|copy|kopien?|copias?|cópias?|部" },
  { kind: "pages", size: 1, words: "pages?|seiten?|páginas?|页|ページ" },
];
const PERCENT = UNITS.find(({ kind }) => kind === "percent");
const MONEY: Unit = { kind: "money", size: 1, words: "" };
const MONEY_AHEAD = /[$€£¥]\s?$/;
const MONEY_BEHIND = /^\s?(?:[$€£¥]|(?:dollars?|euros?|pounds?|usd|eur|gbp|chf|francs?|yen)(?![\p{L}\d]))/iu;
const MONEY_NAME =
  /(?:^| )(?:price|cost|budget|salary|income|revenue|investment|invested|principal|payment|loan|fee|deposit)s?(?: |$)/i;
const PERCENT_NAME =
  /(?:^| )(?:rate|yield|percentage|interest|discount|tax|margin|return|probability)(?: |$)/i;
const END = "(?![\\p{L}\\d])";
const BEHIND = UNITS.map((unit) => ({
  unit,
  pattern: new RegExp(`^[\\s-]*(?:${unit.words})${END}(?!\\/)`, "iu"),
}));
const AHEAD = UNITS.map((unit) => ({
  unit,
  pattern: new RegExp(`(?<!\\p{L})(?:${unit.words})\\s+$`, "iu"),
}));
const NAMED = UNITS.map((unit) => ({
  unit,
  pattern: new RegExp(`(?<![\\p{L}/])(?:${unit.words})${END}(?![/^])`, "iu"), // "m/s" is neither metres nor seconds
}));

/** The unit of a number at this place: "30 seconds", else "second 90". */
export function unitBeside(task: string, at: number, end: number): Unit | undefined {
  const behind = BEHIND.find(({ pattern }) => pattern.test(task.slice(end, end + 20)));
  if (MONEY_AHEAD.test(task.slice(0, at)) || MONEY_BEHIND.test(task.slice(end))) return MONEY;
  return (behind ?? AHEAD.find(({ pattern }) => pattern.test(task.slice(Math.max(0, at - 14), at))))?.unit;
}

const spaced = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_-]+/g, " ");

export function unitOf(name: string, description: unknown): Unit | undefined {
  const words = spaced(name);
  const inName = NAMED.find(({ pattern, unit }) => pattern.test(words) && unit.words.length > 0);
  if (!inName && PERCENT_NAME.test(words)) return PERCENT;
  if (!inName && MONEY_NAME.test(words)) return MONEY;
  return (
    inName ??
    (typeof description === "string"
      ? NAMED.find(({ pattern }) => pattern.test(description.replaceAll(/(?<!per )\bsecond\b/gi, " ")))
      : undefined)
  )?.unit;
}

export const isSameKind = (one: Unit | undefined, other: Unit | undefined): boolean =>
  one !== undefined && one.kind === other?.kind;

/** "8 %" for "the rate as a decimal" is 0.08. */
export const isShare = (said: Unit | undefined, description: unknown): boolean =>
  said?.kind === "percent" &&
  /\bdecimal|\bfraction\b|between 0 and 1\b|(?<!\d)0\.\d/i.test(String(description ?? ""));

/** A rate that is not said to be in percent: "5 %" is 0.05 more often than 5. */
export const isLikelyShare = (said: Unit | undefined, { name, schema }: ParameterSchema): boolean =>
  said?.kind === "percent" &&
  schema.type === "number" &&
  PERCENT_NAME.test(spaced(name)) &&
  !/percent|%|\bpct\b/i.test(`${name} ${schema.description ?? ""}`);

/** 2 (hours) for a parameter in minutes is 120. Units of different kinds are left alone. */
export function inUnit(number: number, said: Unit | undefined, wanted: Unit | undefined): number {
  if (!said || !wanted || said.kind !== wanted.kind || said.size === wanted.size) return number;
  return Number(((number * said.size) / wanted.size).toPrecision(12));
}
