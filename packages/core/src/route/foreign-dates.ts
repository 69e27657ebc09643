/**
 * Dates in German, Spanish, French, Portuguese, Japanese and Chinese. A match includes the preposition before it ("am 12. März", "le 12
 * mars"), so that nothing of it is left in the rest of the sentence.
 */
const MONTHS: readonly string[] = [
  "januar|jänner|enero|janvier|janeiro",
  "februar|febrero|février|fevrier|fevereiro",
  "märz|maerz|marzo|mars|março|marco",
  "april|abril|avril",
  "mai|mayo|maio",
  "juni|junio|juin|junho",
  "juli|julio|juillet|julho",
  "august|agosto|août|aout",
  "september|septiembre|setiembre|septembre|setembro",
  "oktober|octubre|octobre|outubro",
  "november|noviembre|novembre|novembro",
  "dezember|diciembre|décembre|decembre|dezembro",
];
const DAYS: readonly string[] = [
  "sonntag|domingo|dimanche",
  "montag|lunes|lundi|segunda-feira",
  "dienstag|martes|mardi|terça-feira",
  "mittwoch|miércoles|miercoles|mercredi|quarta-feira",
  "donnerstag|jueves|jeudi|quinta-feira",
  "freitag|viernes|vendredi|sexta-feira",
  "samstag|sonnabend|sábado|sabado|samedi",
];
const SHIFTS: readonly (readonly [days: number, words: string])[] = [
  [2, "übermorgen|pasado mañana|après-demain|depois de amanhã|明後日|后天|あさって"],
  [-2, "vorgestern|anteayer|avant-hier|anteontem|前天"],
  [1, "(?<!guten |am |jeden )morgen|(?<!la |esta |de )mañana|demain|amanhã|明日|明天"],
  [0, "heute|hoy|aujourd['’]hui|hoje|今日|今天"],
  [-1, "gestern|ayer|hier|ontem|昨日|昨天"],
];
const BEFORE =
  "(?:(?:am|vom|den|dem|bis zum|zum|für den|für|el|del|al|para el|para|le|au|du|pour le|pour|no dia|na|no|dia|em|até|desde)\\s+)?";
const NEXT_BEFORE =
  "(?:(nächsten?|kommenden?|próxim[oa]|diesen?|este|esta|ce|letzten?|vergangenen?|última?)\\s+)?";
const NEXT_BEHIND = "(?:\\s+(prochain|que viene|que vem|próximo|dernier|passé|pasado|passad[oa]))?";
const LAST = /^(?:letzten?|vergangenen?|última?|dernier|passé|pasado|passad[oa])$/i;
const UNIT = "(tag(?:en?)?|d[ií]as?|jours?|wochen?|semanas?|semaines?)";

export interface Today {
  readonly dateOf: (day: number, month: number, year: number | undefined) => string | undefined;
  readonly shifted: (days: number) => string | undefined;
  readonly weekday: (day: number, which: "next" | "last" | undefined) => string | undefined;
}

type Read = (match: RegExpMatchArray, today: Today) => string | undefined;
const form = (pattern: string, read: Read): readonly [RegExp, Read] => [
  new RegExp(`(?<![\\p{L}\\d.])${pattern}(?![\\p{L}\\d])`, "giu"),
  read,
];
const positionIn = (rows: readonly string[], word = ""): number =>
  rows.findIndex((row) => row.split("|").includes(word.toLowerCase()));
const yearOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text.length === 2 ? `20${text}` : text);
const daysOf = (count: string | undefined, unit = ""): number =>
  Number(count) * (/^(?:w|s)/i.test(unit) ? 7 : 1);

const FORMS: readonly (readonly [RegExp, Read])[] = [
  form(
    `${BEFORE}(\\d{1,2})(?:\\.|er|º|°)?\\s*(?:de\\s+)?(${MONTHS.join("|")})(?:\\s+(?:del?\\s+)?(\\d{4}))?`,
    ([, day, month, year], today) => today.dateOf(Number(day), positionIn(MONTHS, month), yearOf(year)),
  ),
  form(`${BEFORE}(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4}|\\d{2})`, ([, day, month, year], today) =>
    today.dateOf(Number(day), Number(month) - 1, yearOf(year)),
  ),
  [
    /(?<![\p{L}\d.])(?:am|vom|bis(?: zum)?|zum|für den|den)\s+(\d{1,2})\.(\d{1,2})\.(?!\d)/giu,
    ([, day, month], today) => today.dateOf(Number(day), Number(month) - 1, undefined),
  ],
  form(`${BEFORE}(\\d{1,2})/(\\d{1,2})/(\\d{4})`, ([, first, second, year], today) =>
    slashed(Number(first), Number(second), yearOf(year), today),
  ),
  ...SHIFTS.map(([days, words]) =>
    /^[^|]*\p{Script=Han}/u.test(words)
      ? form(`(?:${words})`, (_, today) => today.shifted(days))
      : form(`(?:para\\s+|für\\s+|pour\\s+)?(?:${words})`, (_, today) => today.shifted(days)),
  ),
  [/(?:明後日|后天|前天|明日|明天|今日|今天|昨日|昨天)/gu, ([word], today) => today.shifted(eastAsian(word))],
  form(`(?:in|dans|en|dentro de|em|daqui a)\\s+(\\d{1,3})\\s+${UNIT}`, ([, count, unit], today) =>
    today.shifted(daysOf(count, unit)),
  ),
  form(`(?:vor|hace|il y a|há)\\s+(\\d{1,3})\\s+${UNIT}`, ([, count, unit], today) =>
    today.shifted(-daysOf(count, unit)),
  ),
  form(`${BEFORE}${NEXT_BEFORE}(${DAYS.join("|")})${NEXT_BEHIND}`, ([, before, day, behind], today) =>
    today.weekday(positionIn(DAYS, day), whichOf(before ?? behind ?? "")),
  ),
  [
    /(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]/gu,
    ([, year, month, day], today) => today.dateOf(Number(day), Number(month) - 1, yearOf(year)),
  ],
];

const whichOf = (word: string): "next" | "last" | undefined =>
  LAST.test(word) ? "last" : /^(?:n|k|p|q)/i.test(word) ? "next" : undefined;

const eastAsian = (word: string): number =>
  SHIFTS.find(([, words]) => words.split("|").includes(word))?.[0] ?? 0;

/** "25/03/2026" has one reading; "03/04/2026" has two and is left alone. */
const slashed = (first: number, second: number, year: number | undefined, today: Today) =>
  first > 12 || first === second
    ? today.dateOf(first, second - 1, year)
    : second > 12
      ? today.dateOf(second, first - 1, year)
      : undefined;

export const foreignDates = (text: string, today: Today): { date: string; at: number; end: number }[] =>
  FORMS.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const date = read(match, today);
      return date === undefined ? [] : [{ date, at: match.index, end: match.index + match[0].length }];
    }),
  );
