/**
 * English words that look like a word of another language: "temperatura" and temperature, "pausieren" and pause. Guesses by the
 * usual endings, for words that the dictionary lacks; the caller keeps only those in the catalog.
 */
import { type EuropeanLanguage, plainWord } from "./word-keys.ts";

type Ending = readonly [from: RegExp, to: readonly string[]];

const ROMANCE: readonly Ending[] = [
  [/(?:acion|acao)$/, ["ation", "ate", "ing"]],
  [/(?:cion|cao)$/, ["tion", "t"]],
  [/[ds]ad$|dade$|te$/, ["ty"]],
  [/mente$/, ["ly"]],
  [/iste?a?$/, ["ist"]],
  [/logi[ae]$/, ["logy"]],
  [/ic[oa]$|ique$/, ["ic", "ical", "ics"]],
  [/os[oa]$|eu[xs]e?$/, ["ous"]],
  [/ari[oa]$|aire$/, ["ary", "ar"]],
  [/enci?[ae]$/, ["ence", "ency"]],
  [/anci?[ae]$/, ["ance", "ancy"]],
  [/ador$|ateur$/, ["ator", "er", "or"]],
  [/eur$/, ["er", "or"]],
  [/ment[oe]?$/, ["ment"]],
  [/[aei]r$/, ["", "e", "ate"]],
  [/i[ae]$/, ["y", "ia"]],
  [/[aoe]$/, ["", "e"]],
];
const GERMAN: readonly Ending[] = [
  [/ier(?:en|e|t|st)?$/, ["", "e", "ate", "ify"]],
  [/itat$/, ["ity"]],
  [/isch(?:e[nrms]?)?$/, ["ic", "ical"]],
  [/ik$/, ["ic", "ics"]],
  [/ie$/, ["y"]],
  [/e[nr]?$/, ["", "e"]],
];
const ENDINGS: Readonly<Record<EuropeanLanguage, readonly Ending[]>> = {
  de: GERMAN,
  es: ROMANCE,
  fr: ROMANCE,
  pt: ROMANCE,
};
const SHORTEST = 4; // shorter words look alike by chance

/** Best guesses first; the word itself is the first. */
export function cognates(word: string, language: EuropeanLanguage): string[] {
  const plain = plainWord(word);
  const singular = plain.replace(/(?<=[aeiou])s$/, "");
  const forms = [...new Set([plain, singular])];
  const guesses = forms.flatMap((form) => [
    form,
    ...ENDINGS[language].flatMap(([from, to]) =>
      from.test(form) ? to.map((ending) => form.replace(from, ending)) : [],
    ),
  ]);
  return [...new Set(guesses.flatMap(spellings))].filter((guess) => guess.length >= SHORTEST);
}

/** "Kontakt" is spelt contact, "teléfono" with ph. */
const spellings = (word: string): string[] => [
  word,
  word.replaceAll("k", "c"),
  word.replaceAll("f", "ph"),
  word.replace(/qu(?=[aeio])/g, "c"),
];
