/**
 * Dates in natural language, as ISO dates. "tomorrow" and "next Friday" depend on today: without `now` they
 * are ignored. Days are counted in UTC.
 */
import { foreignDates } from "./foreign-dates.ts";

export interface DateText {
  readonly date: string;
  readonly at: number;
  readonly end: number;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(?:,?\\s*(\\d{4}))?";
const DAY_MS = 86_400_000;

type Read = (match: RegExpMatchArray, now: Date | undefined, isPast: boolean) => string | undefined;

const FORMS: readonly (readonly [RegExp, Read])[] = [
  [
    new RegExp(`\\b${MONTH}\\.?\\s+${DAY}${YEAR}\\b`, "gi"),
    ([, month, day, year], now, past) => iso(day, month, year, now && { now, isPast: past }),
  ],
  [
    new RegExp(`\\b${DAY}\\s+(?:of\\s+)?${MONTH}\\.?${YEAR}\\b`, "gi"),
    ([, day, month, year], now, past) => iso(day, month, year, now && { now, isPast: past }),
  ],
  [
    /\b(today|tonight|tomorrow|yesterday)\b/gi,
    ([, word], now) => now && shifted(now, SHIFTS[word?.toLowerCase() ?? ""] ?? 0),
  ],
  [
    /\bin\s+(\d{1,3})\s+(day|week)s?\b/gi,
    ([, count, unit], now) => now && shifted(now, Number(count) * (unit?.toLowerCase() === "week" ? 7 : 1)),
  ],
  [
    /\b(\d{1,3})\s+(day|week)s?\s+ago\b/gi,
    ([, count, unit], now) => now && shifted(now, -Number(count) * (unit?.toLowerCase() === "week" ? 7 : 1)),
  ],
  [
    new RegExp(`\\b(?:(next|this|on|last|past)\\s+)?(${DAYS.join("|")})\\b`, "gi"),
    ([, which, day], now) => now && weekday(now, day ?? "", which),
  ],
];
const SHIFTS: Readonly<Record<string, number>> = { today: 0, tonight: 0, tomorrow: 1, yesterday: -1 };

const YEAR_FIRST = /(?<![\d./])(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?![\d./])/g;
const YEAR_LAST = /(?<![\d./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d./-])/g;

/** "2024/05/04", "31.12.2024"; "4/5/2024" is read only where the day cannot be the month. */
export const datesInDigits = (text: string): DateText[] => [
  ...[...text.matchAll(YEAR_FIRST)].flatMap((match) => {
    const [, year, month, day] = match.map(Number);
    return dated(match, dayOf(day ?? 0, (month ?? 0) - 1, year));
  }),
  ...[...text.matchAll(YEAR_LAST)].flatMap((match) => {
    const [first, second, year] = [Number(match[1]), Number(match[3]), Number(match[4])];
    if (first > MONTHS.length || match[2] === ".") return dated(match, dayOf(first, second - 1, year));
    const isClear = second > MONTHS.length || first === second;
    return isClear ? dated(match, dayOf(second, first - 1, year)) : [];
  }),
];

const dated = (match: RegExpExecArray, date: string | undefined): DateText[] =>
  date === undefined ? [] : [{ date, at: match.index, end: match.index + match[0].length }];

export const datesInWords = (text: string, now?: Date): DateText[] => [
  ...englishDates(text, now),
  ...otherDates(text, now),
];

const otherDates = (text: string, now?: Date): DateText[] =>
  foreignDates(text, {
    dateOf: (day, month, year) => dayOf(day, month, year, now && { now, isPast: isPast(text) }),
    shifted: (days) => now && shifted(now, days),
    weekday: (day, which) => now && weekday(now, DAYS[day] ?? "", which),
  });

function englishDates(text: string, now?: Date): DateText[] {
  return FORMS.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const date = read(match, now, isPast(text));
      return date === undefined ? [] : [{ date, at: match.index, end: match.index + match[0].length }];
    }),
  );
}

const iso = (
  day = "",
  month = "",
  year: string | undefined,
  said: SaidToday | undefined,
): string | undefined =>
  dayOf(
    Number(day),
    MONTHS.indexOf(month.slice(0, 3).toLowerCase()),
    year === undefined ? undefined : Number(year),
    said,
  );

interface SaidToday {
  readonly now: Date;
  /** The task speaks of what was. */
  readonly isPast: boolean;
}

/** "since January 15", "how many hours did I work from ...", in the languages that tasks are read in. */
const PAST =
  /(?<!\p{L})(?:since|ago|did|was|were|worked|spent|happened|had|history|report(?:ed)?|hours from|seit|war|waren|wurden?|hatten?|gearbeitet|desde|hubo|fue|fueron|trabajé|depuis|était|étaient|travaillé|houve|foram|trabalhei|last|past|so far|previous)(?!\p{L})/iu;
const isPast = (text: string): boolean => PAST.test(text);

/** Without a year, the next occurrence, or the last one where the task speaks of what was; undefined when today is not known. */
function dayOf(day: number, month: number, year: number | undefined, said?: SaidToday): string | undefined {
  if (month < 0 || month > 11 || day < 1 || day > 31) return undefined;
  if (year !== undefined) return dateOf(Date.UTC(year, month, day));
  if (!said) return undefined;
  const thisYear = said.now.getUTCFullYear();
  const time = Date.UTC(thisYear, month, day);
  const today = Date.UTC(thisYear, said.now.getUTCMonth(), said.now.getUTCDate());
  const shift = said.isPast ? (time > today ? -1 : 0) : time < today ? 1 : 0;
  return dateOf(Date.UTC(thisYear + shift, month, day));
}

const shifted = (now: Date, days: number): string => dateOf(now.getTime() + days * DAY_MS);

/** The coming one; "next" on the same weekday means in a week, "last" the one before today. */
function weekday(now: Date, day: string, which: string | undefined): string {
  const behind = (now.getUTCDay() - DAYS.indexOf(day.toLowerCase()) + 7) % 7;
  if (/^(?:last|past)$/i.test(which ?? "")) return shifted(now, behind === 0 ? -7 : -behind);
  const ahead = (DAYS.indexOf(day.toLowerCase()) - now.getUTCDay() + 7) % 7;
  return shifted(now, ahead === 0 && which?.toLowerCase() === "next" ? 7 : ahead);
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
