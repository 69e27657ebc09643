/**
 * Translates a task to English words: from German, Spanish, French, Portuguese, Japanese, Chinese. Word by word and without grammar,
 * which is enough to find a capability; of several translations, those in the catalog are used. Arguments are read from the
 * original task. The dictionary is loaded at the first such task.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Gloss } from "@capstan/core/internal";
import { timezoneOf } from "../models/city-zones.ts";
import { FUNCTION_WORDS, languageOf } from "./language-of.ts";
import { type EuropeanLanguage, type GlossLanguage, plainWord, wordKey, wordsIn } from "./word-keys.ts";

type Dictionary = Readonly<Record<string, string>>;
type Dictionaries = Readonly<Record<GlossLanguage, Dictionary>>;

const DATA = new URL("../../data/gloss.json.gz", import.meta.url);
const MOST_KNOWN = 3; // of one word's translations
const LONGEST_WORD = 8; // of Japanese and Chinese, in characters
const SHORTEST_PART = 4; // of a German compound
const SHORTEST_VERB = 3;

let loaded: Dictionaries | undefined;

export const wordGloss: Gloss = (text, knows) => {
  if (isPlainEnglish(text)) return undefined;
  loaded ??= JSON.parse(gunzipSync(readFileSync(DATA)).toString("utf8")) as Dictionaries;
  const dictionaries = loaded;
  const coverage = (language: EuropeanLanguage) => covered(text, language, dictionaries[language]);
  const language = languageOf(text, coverage);
  if (!language) return undefined;
  const isEuropean = language !== "ja" && language !== "zh";
  const found = isEuropean
    ? europeanWords(text, language, dictionaries[language])
    : characterWords(text, dictionaries[language]);
  const said = found.flatMap((word) => (typeof word === "string" ? [word] : chosen(word.meanings, knows)));
  return said.join(" ");
};

/** A dictionary word, or text to keep: a name, a number, a path. */
type Found = string | { readonly meanings: readonly string[] };

/** Function words that English has too, so that they do not tell the language; they mean nothing here either. */
const SHARED_WORDS = new Set(
  "die in an am so war hat man bin me a on as des pour he sous sale as do os no".split(" "),
);

/** They tell the language, and mean something. */
const TIME_WORDS = new Set("morgen heute hoy manana ahora demain maintenant hoje amanha agora".split(" "));

const isFunctionWord = (word: string, language: EuropeanLanguage): boolean =>
  !TIME_WORDS.has(word) && (FUNCTION_WORDS[language].has(word) || SHARED_WORDS.has(word));

/** A quick check before loading eleven thousand words: hardly any task is in another language. */
const isPlainEnglish = (text: string): boolean => !languageOf(text, () => 1);

/** Between 0 and 1: the share of its words that are in the dictionary. */
function covered(text: string, language: EuropeanLanguage, dictionary: Dictionary): number {
  const words = wordsIn(text);
  return words.filter((word) => lookUp(word, language, dictionary)).length / (words.length || 1);
}

function chosen(meanings: readonly string[], knows: (word: string) => boolean): readonly string[] {
  const known = meanings.filter(knows);
  return known.length > 0 ? known.slice(0, MOST_KNOWN) : meanings.slice(0, 1);
}

function europeanWords(text: string, language: EuropeanLanguage, dictionary: Dictionary): Found[] {
  const tokens = text.match(/\S+/g) ?? [];
  return tokens.flatMap((token): Found[] => {
    if (/[\d@/]|\w\.\w/.test(token)) return [token]; // a number, an address, a path
    return wordsIn(token).flatMap((word): Found[] => {
      if (isFunctionWord(plainWord(word), language)) return [];
      if (isCapitalised(word) && timezoneOf(word) !== undefined) return [word]; // Hamburg is no hamburger
      return glossedWord(word, language, dictionary);
    });
  });
}

/** An unknown word is kept as a name if it is capitalised, otherwise dropped. German nouns are all capitalised. */
function glossedWord(word: string, language: EuropeanLanguage, dictionary: Dictionary): Found[] {
  const meanings = lookUp(word, language, dictionary);
  if (meanings) return [{ meanings }];
  if (word.includes("-"))
    return word
      .split("-")
      .filter((part) => !FUNCTION_WORDS[language].has(plainWord(part)))
      .flatMap((part) => glossedWord(part, language, dictionary));
  return language !== "de" && isCapitalised(word) ? [word] : [];
}

const isCapitalised = (word: string): boolean => /^\p{Lu}/u.test(word);

function lookUp(word: string, language: EuropeanLanguage, dictionary: Dictionary): string[] | undefined {
  for (const form of [word, ...otherForms(word, language)]) {
    const own = entry(dictionary, wordKey(form, language)) ?? entry(dictionary, plainWord(form));
    if (own) return own;
  }
  return language === "de" ? compound(plainWord(word), dictionary) : undefined;
}

/** Pronouns at the end of a request ("escríbelo"), and consonants spelt otherwise before e ("marque" of "marcar"). */
function otherForms(word: string, language: EuropeanLanguage): string[] {
  if (language === "de" || language === "fr") return [];
  const plain = plainWord(word);
  const bare = language === "es" ? plain.replace(/(?:me|te|se|nos)?(?:l[aeo]s?)?$/, "") : plain;
  const respelt = plain
    .replace(/qu(es?)$/, "c$1")
    .replace(/gu(es?)$/, "g$1")
    .replace(/c(es?)$/, "z$1");
  return [bare, respelt].filter((form) => form !== plain && form.length > SHORTEST_VERB);
}

/** "Telefonnummer" is a telephone and a number; an s or n may be in between. */
function compound(word: string, dictionary: Dictionary): string[] | undefined {
  for (let at = word.length - SHORTEST_PART; at >= SHORTEST_PART; at--) {
    const head = word.slice(0, at);
    const first = entry(dictionary, wordKey(head, "de")) ?? entry(dictionary, head.replace(/[sn]$/, ""));
    const second = entry(dictionary, wordKey(word.slice(at), "de"));
    if (first && second) return [...first.slice(0, 2), ...second.slice(0, 2)];
  }
  return undefined;
}

/** Repeatedly takes the longest word that starts here; characters that start no word are dropped. */
function characterWords(text: string, dictionary: Dictionary): Found[] {
  const found: Found[] = [];
  for (const run of text.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu,
  ) ?? []) {
    if (/^[\x21-\x7e]+$/.test(run)) found.push(run);
    else found.push(...segments(run, dictionary));
  }
  return found;
}

function segments(run: string, dictionary: Dictionary): Found[] {
  const found: Found[] = [];
  let at = 0;
  while (at < run.length) {
    const length = longestAt(run, at, dictionary);
    const meanings = entry(dictionary, run.slice(at, at + length));
    if (meanings && (length > 1 || /\p{Script=Han}/u.test(run[at] ?? ""))) found.push({ meanings });
    at += length;
  }
  return found;
}

function longestAt(run: string, at: number, dictionary: Dictionary): number {
  for (let length = Math.min(LONGEST_WORD, run.length - at); length > 1; length--) {
    if (Object.hasOwn(dictionary, run.slice(at, at + length))) return length;
  }
  return 1;
}

const entry = (dictionary: Dictionary, key: string): string[] | undefined =>
  Object.hasOwn(dictionary, key) ? dictionary[key]?.split(" ") : undefined;
