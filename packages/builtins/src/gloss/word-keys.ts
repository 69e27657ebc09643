/** Dictionary keys: without accents and endings, so that "Übersetze" and "übersetzen" have the same key. */

export type EuropeanLanguage = "de" | "es" | "fr" | "pt";
export type GlossLanguage = EuropeanLanguage | "ja" | "zh";

const ENDINGS: Readonly<Record<EuropeanLanguage, RegExp>> = {
  de: /(?:ungen|ung|en|er|es|em|et|st|te|e|n|s|t)$/,
  es: /(?:aciones|acion|ando|iendo|adas?|ados?|idas?|idos?|ame|eme|ar|er|ir|as|os|es|an|en|a|o|e|s)$/,
  fr: /(?:ations?|ements?|ement|ees?|ez|er|ir|es|s|e|is|it)$/,
  pt: /(?:acoes|acao|ando|endo|adas?|ados?|idas?|idos?|ar|er|ir|as|os|es|am|em|a|o|e|s)$/,
};
const SHORTEST = 3;

export const plainWord = (word: string): string =>
  word
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/ß/g, "ss");

export function wordKey(word: string, language: EuropeanLanguage): string {
  const plain = plainWord(word);
  const short = plain.replace(ENDINGS[language], "");
  return short.length >= SHORTEST ? short : plain;
}

export const wordsIn = (text: string): string[] => text.match(/\p{L}+(?:-\p{L}+)*/gu) ?? [];
