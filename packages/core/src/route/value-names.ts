/** Values that people name and programs take as codes: languages, currencies, file formats. */

const LANGUAGE_CODES =
  "en de fr es it pt nl pl ru uk cs sk sl hr sr bg ro hu el tr ar he fa hi bn ur ta te th vi id ms ja ko zh sv da nb no fi et lv lt is ga cy eu ca gl la sw af".split(
    " ",
  );
const englishName = new Intl.DisplayNames(["en"], { type: "language" });
/** The other languages that tasks are read in. */
const OTHER_NAMES = ["de", "es", "fr", "pt", "ja", "zh"].map(
  (locale) => new Intl.DisplayNames([locale], { type: "language" }),
);

/** Lower-case names, such as "french" and "inglés", to ISO 639-1 codes. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ...OTHER_NAMES.flatMap((names) =>
    LANGUAGE_CODES.map((code) => [(names.of(code) ?? code).toLowerCase(), code] as const),
  ),
  // German inflects them: "ins Französische", "auf dem Englischen".
  ...LANGUAGE_CODES.flatMap((code) => {
    const name = (OTHER_NAMES[0]?.of(code) ?? "").toLowerCase();
    return name.endsWith("isch") ? ["e", "en"].map((ending) => [name + ending, code] as const) : [];
  }),
  ["英文", "en"],
  ["日文", "ja"],
  ...LANGUAGE_CODES.map((code) => [(englishName.of(code) ?? code).toLowerCase(), code] as const),
  ["mandarin", "zh"],
  ["norwegian", "no"],
  ["farsi", "fa"],
]);

const ENGLISH_NAMES = new Set([
  ...LANGUAGE_CODES.map((code) => (englishName.of(code) ?? code).toLowerCase()),
  "mandarin",
  "farsi",
]);

/** Lower-case singular names to ISO 4217 codes. A bare word such as "dollar" means the most common currency. */
const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ["us dollar", "USD"],
  ["dollar", "USD"],
  ["euro", "EUR"],
  ["british pound", "GBP"],
  ["pound sterling", "GBP"],
  ["pound", "GBP"],
  ["japanese yen", "JPY"],
  ["yen", "JPY"],
  ["swiss franc", "CHF"],
  ["franc", "CHF"],
  ["yuan", "CNY"],
  ["renminbi", "CNY"],
  ["indian rupee", "INR"],
  ["rupee", "INR"],
  ["canadian dollar", "CAD"],
  ["australian dollar", "AUD"],
  ["swedish krona", "SEK"],
  ["norwegian krone", "NOK"],
  ["danish krone", "DKK"],
  ["zloty", "PLN"],
  ["real", "BRL"],
  ["won", "KRW"],
]);
const CURRENCY_SIGNS: Readonly<Record<string, string>> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };

/** Common names for enum values that programs abbreviate. */
const SPOKEN_VALUES: Readonly<Record<string, readonly string[]>> = {
  driving: ["car", "drive", "by car"],
  walking: ["walk", "on foot", "foot"],
  bicycling: ["bike", "bicycle", "cycling", "cycle"],
  transit: ["public transport", "public transportation", "bus", "train", "subway"],
  docx: ["word", "word document", "ms word"],
  doc: ["word"],
  xlsx: ["excel", "excel sheet"],
  pptx: ["powerpoint", "slides"],
  md: ["markdown"],
  markdown: ["md"],
  jpeg: ["jpg"],
  jpg: ["jpeg"],
  html: ["web page", "webpage"],
  txt: ["plain text", "text file"],
  usd: ["dollar", "dollars", "us dollars"],
  eur: ["euro", "euros"],
  gbp: ["pound", "pounds"],
  jpy: ["yen"],
  js: ["javascript"],
  py: ["python"],
  asc: ["ascending"],
  desc: ["descending"],
  celsius: ["centigrade"],
};

export interface NamedValue {
  readonly code: string;
  readonly name: string;
  readonly at: number;
  readonly end: number;
}

/** `name` is the English one, whatever the text calls it. */
export const languagesIn = (text: string): NamedValue[] =>
  namedIn(text, LANGUAGE_PATTERN, LANGUAGES).map((each) =>
    ENGLISH_NAMES.has(each.name.toLowerCase())
      ? each
      : { ...each, name: englishName.of(each.code) ?? each.name },
  );

export function currenciesIn(text: string): NamedValue[] {
  const codes = [...text.matchAll(CURRENCY_CODE)].map((match) => valueAt(match, match[0]));
  const signs = [...text.matchAll(/[$€£¥]/g)].map((match) =>
    valueAt(match, CURRENCY_SIGNS[match[0]] ?? match[0]),
  );
  return [...namedIn(text, CURRENCY_PATTERN, CURRENCIES), ...codes, ...signs].sort((a, b) => a.at - b.at);
}

/** The words for an enum value, itself first; lower case, separated by single spaces. */
export function spokenForms(value: string): string[] {
  const own = value.toLowerCase().replace(/[_-]+/g, " ");
  const name = LANGUAGE_CODES.includes(own) ? [(englishName.of(own) ?? own).toLowerCase()] : [];
  // Two-letter codes are also words: "in" and "is" do not mean Indonesian or Icelandic.
  return [...(name.length > 0 ? name : [own]), ...(SPOKEN_VALUES[own] ?? [])];
}

const alternatives = (names: Iterable<string>): string =>
  [...names].sort((a, b) => b.length - a.length).join("|");

/** Chinese and Japanese do not separate words. */
const LANGUAGE_PATTERN = new RegExp(
  `(?<!\\p{Script=Latin})(${alternatives(LANGUAGES.keys())})(?!\\p{Script=Latin})`,
  "giu",
);
const CURRENCY_PATTERN = new RegExp(`\\b(${alternatives(CURRENCIES.keys())})s?\\b`, "gi");
const CURRENCY_CODE = new RegExp(`\\b(?:${alternatives(new Set(CURRENCIES.values()))})\\b`, "g");

function namedIn(text: string, pattern: RegExp, codes: ReadonlyMap<string, string>): NamedValue[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const code = codes.get((match[1] ?? "").toLowerCase());
    return code === undefined ? [] : [valueAt(match, code)];
  });
}

const valueAt = (match: RegExpExecArray, code: string): NamedValue => ({
  code,
  name: match[0],
  at: match.index,
  end: match.index + match[0].length,
});
