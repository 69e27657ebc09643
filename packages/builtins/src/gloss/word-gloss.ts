/**
 * Translates a task to English words: from German, Spanish, French, Portuguese, Japanese, Chinese. Word by word and without grammar,
 * which is enough to find a capability; of several translations, those in the catalog are used. Arguments are read from the
 * original task. The dictionary is loaded at the first such task.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Gloss } from "@capstan/core/internal";
import { timezoneOf } from "../models/city-zones.ts";
import { cognates } from "./cognates.ts";
import { FUNCTION_MEANINGS, PARTICLE_MEANINGS } from "./function-words.ts";
import { languageOf } from "./language-of.ts";
import { type EuropeanLanguage, type GlossLanguage, plainWord, wordKey, wordsIn } from "./word-keys.ts";

type Dictionary = Readonly<Record<string, string>>;
type Dictionaries = Readonly<Record<GlossLanguage, Dictionary>>;

const DATA = new URL("../../data/gloss.json.gz", import.meta.url);
const VOCABULARY = new URL("../../data/vocab.txt", import.meta.url);
const MOST_KNOWN = 3; // of one word's translations
const LONGEST_WORD = 8; // of Japanese and Chinese, in characters
const SHORTEST_PART = 4; // of a German compound
const SHORTEST_VERB = 3;

const PARTICLES = new Set(
  "ab an auf aus bei durch ein fest fort her hin los mit nach um vor weg weiter zu zuruck zusammen".split(
    " ",
  ),
);

let loaded: Dictionaries | undefined;

export const wordGloss: Gloss = (text, knows) => {
  if (isPlainEnglish(text)) return undefined;
  loaded ??= JSON.parse(gunzipSync(readFileSync(DATA)).toString("utf8")) as Dictionaries;
  const dictionaries = loaded;
  const coverage = (language: EuropeanLanguage) => covered(text, language, dictionaries[language]);
  const language = languageOf(text, { coverage, isEnglish });
  if (!language) return undefined;
  const isEuropean = language !== "ja" && language !== "zh";
  const found = isEuropean
    ? europeanWords(text, language, dictionaries[language])
    : characterWords(text, language, dictionaries[language]);
  const said = found.flatMap((word) => (typeof word === "string" ? [word] : chosen(word, knows)));
  return said.join(" ");
};

/** A dictionary word, or text to keep: a name, a number, a path. */
type Found = string | Meanings;

interface Meanings {
  readonly meanings: readonly string[];
  /** Similar-looking English words; used if the catalog contains them but none of the translations. */
  readonly similar?: readonly string[];
  /** The word itself if no dictionary has it whole: "Markdown" is not "Mark" if the catalog contains Markdown. */
  readonly asWritten?: string;
}

/** A quick check before loading eleven thousand words: hardly any task is in another language. */
const isPlainEnglish = (text: string): boolean => !languageOf(text, { coverage: () => 1, isEnglish });

let english: ReadonlySet<string> | undefined;
function isEnglish(word: string): boolean {
  english ??= new Set(readFileSync(VOCABULARY, "utf8").split("\n"));
  return english.has(word);
}

/** Between 0 and 1: the share of its words that are in the dictionary. */
function covered(text: string, language: EuropeanLanguage, dictionary: Dictionary): number {
  const words = wordsIn(text);
  return words.filter((word) => lookUp(word, language, dictionary)).length / (words.length || 1);
}

function chosen(
  { meanings, similar = [], asWritten }: Meanings,
  knows: (word: string) => boolean,
): readonly string[] {
  if (asWritten !== undefined && knows(asWritten)) return [asWritten];
  const known = meanings.filter(knows);
  if (known.length > 0) return known.slice(0, MOST_KNOWN);
  const alike = similar.find(knows);
  return alike ? [alike] : meanings.slice(0, 1);
}

function europeanWords(text: string, language: EuropeanLanguage, dictionary: Dictionary): Found[] {
  const tokens = (language === "de" ? withWholeVerbs(text, dictionary) : text).match(/\S+/g) ?? [];
  return tokens.flatMap((token): Found[] => {
    if (/[\d@/]|\w\.\w/.test(token)) return [token]; // a number, an address, a path
    return wordsIn(token).flatMap((word): Found[] => {
      const meaning = FUNCTION_MEANINGS[language].get(plainWord(word));
      if (meaning !== undefined) return meaning === "" ? [] : [meaning];
      if (isCapitalised(word) && timezoneOf(word) !== undefined) return [word]; // Hamburg is not a hamburger
      return glossedWord(word, language, dictionary);
    });
  });
}

/** An unknown word is kept as a name if it is capitalised; otherwise only as the English word it looks like. German nouns are all capitalised. */
function glossedWord(word: string, language: EuropeanLanguage, dictionary: Dictionary): Found[] {
  const similar = cognates(word, language);
  const whole = lookUpWhole(word, language, dictionary);
  const meanings = whole ?? (language === "de" ? compound(plainWord(word), dictionary) : undefined);
  const asWritten = whole || plainWord(word).length < SHORTEST_PART ? {} : { asWritten: plainWord(word) };
  if (meanings) return [{ meanings, similar, ...asWritten }];
  if (word.includes("-"))
    return word
      .split("-")
      .filter((part) => !FUNCTION_MEANINGS[language].has(plainWord(part)))
      .flatMap((part) => glossedWord(part, language, dictionary));
  return [{ meanings: language !== "de" && isCapitalised(word) ? [word] : [], similar, ...asWritten }];
}

const isCapitalised = (word: string): boolean => /^\p{Lu}/u.test(word);

const lookUp = (word: string, language: EuropeanLanguage, dictionary: Dictionary): string[] | undefined =>
  lookUpWhole(word, language, dictionary) ??
  (language === "de" ? compound(plainWord(word), dictionary) : undefined);

function lookUpWhole(word: string, language: EuropeanLanguage, dictionary: Dictionary): string[] | undefined {
  for (const form of [word, ...otherForms(word, language)]) {
    const own = entry(dictionary, wordKey(form, language)) ?? entry(dictionary, plainWord(form));
    if (own) return own;
  }
  return undefined;
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
  const unbroken =
    language === "es"
      ? [plain.replace(/ie(?=[^aeiou]+\w{0,2}$)/, "e"), plain.replace(/ue(?=[^aeiou]+\w{0,2}$)/, "o")]
      : []; // "cierra" of "cerrar"
  return [bare, respelt, ...unbroken].filter((form) => form !== plain && form.length > SHORTEST_VERB);
}

/** German verbs come apart: in "schalte das Licht aus" the verb is "ausschalten". */
function withWholeVerbs(text: string, dictionary: Dictionary): string {
  return text
    .split(/(?<=[.,;!?:])\s+/)
    .map((clause) => {
      const words = clause.match(/\S+/g) ?? [];
      const particle = plainWord((words.at(-1) ?? "").replace(/[.,;!?:]+$/, ""));
      if (!PARTICLES.has(particle)) return clause;
      const at = words
        .slice(0, 2)
        .findIndex((word) => Object.hasOwn(dictionary, wordKey(particle + word, "de")));
      return at < 0 ? clause : [...words.slice(0, -1), particle + plainWord(words[at] ?? "")].join(" ");
    })
    .join(" ");
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
function characterWords(text: string, language: "ja" | "zh", dictionary: Dictionary): Found[] {
  const runs = text.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu,
  );
  return (runs ?? []).flatMap((run) =>
    /^[\x21-\x7e]+$/.test(run) ? [run] : segments(run, PARTICLE_MEANINGS[language], dictionary),
  );
}

function segments(run: string, particles: ReadonlyMap<string, string>, dictionary: Dictionary): Found[] {
  const found: Found[] = [];
  let at = 0;
  while (at < run.length) {
    const length = longestAt(run, at, (word) => particles.has(word) || Object.hasOwn(dictionary, word));
    const word = run.slice(at, at + length);
    const particle = particles.get(word);
    const meanings = entry(dictionary, word);
    if (particle !== undefined) found.push(...(particle === "" ? [] : [particle]));
    else if (meanings && (length > 1 || /\p{Script=Han}/u.test(word))) found.push({ meanings });
    at += length;
  }
  return found;
}

function longestAt(run: string, at: number, isWord: (word: string) => boolean): number {
  for (let length = Math.min(LONGEST_WORD, run.length - at); length > 1; length--) {
    if (isWord(run.slice(at, at + length))) return length;
  }
  return 1;
}

const entry = (dictionary: Dictionary, key: string): string[] | undefined =>
  Object.hasOwn(dictionary, key) ? dictionary[key]?.split(" ") : undefined;
