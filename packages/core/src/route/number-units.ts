/**
 * Units beside numbers, in the languages that tasks are read in. A parameter has a unit by its name or description
 * (`duration_minutes`, "Weight in kilograms."); "for 2 hours" is then 120.
 */
interface Unit {
  readonly kind: string;
  /** In the smallest unit of its kind. */
  readonly size: number;
  readonly words: string;
}

const UNITS: readonly Unit[] = [
  { kind: "time", size: 1, words: "s|secs?|seconds?|sekunden?|segundos?|secondes?|秒" },
  { kind: "time", size: 60, words: "min|mins|minutes?|minuten?|minutos?|分钟|分鐘|分" },
  { kind: "time", size: 3600, words: "h|hrs?|hours?|stunden?|horas?|heures?|小时|小時|時間" },
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
  { kind: "copies", size: 1, words: "copies|copy|kopien?|copias?|cópias?|部" },
  { kind: "pages", size: 1, words: "pages?|seiten?|páginas?|页|ページ" },
];
const END = "(?![\\p{L}\\d])";
const BEHIND = UNITS.map((unit) => ({ unit, pattern: new RegExp(`^[\\s-]*(?:${unit.words})${END}`, "iu") }));
const AHEAD = UNITS.map((unit) => ({
  unit,
  pattern: new RegExp(`(?<!\\p{L})(?:${unit.words})\\s+$`, "iu"),
}));
const NAMED = UNITS.map((unit) => ({
  unit,
  pattern: new RegExp(`(?<!\\p{L})(?:${unit.words})${END}`, "iu"),
}));

/** The unit of a number at this place: "30 seconds", else "second 90". */
export function unitBeside(task: string, at: number, end: number): Unit | undefined {
  const behind = BEHIND.find(({ pattern }) => pattern.test(task.slice(end, end + 20)));
  return (behind ?? AHEAD.find(({ pattern }) => pattern.test(task.slice(Math.max(0, at - 14), at))))?.unit;
}

export function unitOf(name: string, description: unknown): Unit | undefined {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_-]+/g, " ");
  const inName = NAMED.find(({ pattern, unit }) => pattern.test(words) && unit.words.length > 0);
  return (
    inName ??
    (typeof description === "string"
      ? NAMED.find(({ pattern }) => pattern.test(description.replaceAll(/\bsecond\b/gi, " ")))
      : undefined)
  )?.unit;
}

export const isSameKind = (one: Unit | undefined, other: Unit | undefined): boolean =>
  one !== undefined && one.kind === other?.kind;

/** 2 (hours) for a parameter in minutes is 120. Units of different kinds are left alone. */
export function inUnit(number: number, said: Unit | undefined, wanted: Unit | undefined): number {
  if (!said || !wanted || said.kind !== wanted.kind || said.size === wanted.size) return number;
  return Number(((number * said.size) / wanted.size).toPrecision(12));
}
