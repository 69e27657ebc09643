/** Detects the language of a task by its script and its function words. Undefined for English and when in doubt. */
import type { EuropeanLanguage, GlossLanguage } from "./word-keys.ts";
import { plainWord, wordsIn } from "./word-keys.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** Words that English has too ("die", "in", "me", "on") are left out. */
export const FUNCTION_WORDS: Readonly<Record<EuropeanLanguage, ReadonlySet<string>>> = {
  de: words(
    `der das dem des ein eine einen einem einer eines und oder ist sind wie wird werden ich du wir ihr mir mich dir dich uns mein meine
    meinem meinen meiner dein deine nicht auf fur von vom zu zum zur mit nach bei aus uber unter bitte alle welche welcher welches wer wo wann
    warum es sie er im ins am bis gerade morgen heute um dass daran stehen lautet gib zeig mache`,
  ),
  es: words(
    `el la los las un una unos unas y o es son de del al en por para con sin que cual cuales como cuando donde quien mi mis tu tus su sus
    se lo le les hay esta este esto mas muy todo todas todos ahora hoy manana favor haz`,
  ),
  fr: words(
    `le la les un une des du de et ou est sont au aux en dans sur pour par avec sans que qui quel quelle quels quelles comment quand mon ma mes
    ton ta tes son sa ses ce cette ces je tu il elle nous vous moi toi y ne pas tous toutes plus maintenant demain fais il-y-a t-il est-il moi`,
  ),
  pt: words(
    `o os as um uma uns umas e ou sao de do da dos das no na nos nas em por para com sem que qual quais como quando onde quem meu minha meus
    minhas seu sua se nao ao aos esta este isso todas todos mais agora hoje amanha favor`,
  ),
};
const ENGLISH = words(
  `the and or is are were be been to of at for from with by it its this that these those i my you your we our us they
  them he she his her do does did can could would should will what which who how when where why not please all any some into about`,
);

/** Letters and endings that only one of these languages has. */
const OWN_LETTERS: Readonly<Record<EuropeanLanguage, RegExp>> = {
  de: /[äöüß]/i,
  es: /[ñ¿¡]|ción\b|ciones\b/i,
  fr: /[èëîûœ]|\b[ldjmnstc]['’]\p{L}|\p{L}-(?:moi|toi|nous|vous|t-il|il|elle)\b/iu,
  pt: /[ãõ]|\p{L}-(?:me|se|lhe|nos)\b/iu,
};
const MOSTLY = 0.5; // of the words

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const EASTERN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const LATIN = /\p{Script=Latin}/gu;
/** Words that only English has among these languages: a quick check that settles most tasks. */
const PLAINLY_ENGLISH = /\b(?:the|to|of|is|my|can|for|with|and|what|how|please|you|i)\b/i;
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export interface Lexicon {
  /** Between 0 and 1: the share of the text's words that the language's dictionary has. */
  readonly coverage: (language: EuropeanLanguage) => number;
  readonly isEnglish: (word: string) => boolean;
}

export function languageOf(text: string, { coverage, isEnglish }: Lexicon): GlossLanguage | undefined {
  const eastern = count(text, EASTERN);
  if (eastern === 0 && PLAINLY_ENGLISH.test(text)) return undefined;
  // A foreign name inside an English sentence does not make it foreign, nor a file name inside a Chinese one English.
  if (eastern > 0 && 4 * eastern > count(text.replace(/\S*\.\S*/g, ""), LATIN))
    return KANA.test(text) ? "ja" : "zh";
  const spoken = wordsIn(text.replace(/\S*[\d@/.]\S+/g, " ")).flatMap((word) => [
    plainWord(word),
    ...plainWord(word).split("-"),
  ]);
  const distinct = (known: ReadonlySet<string>) => new Set(spoken.filter((word) => known.has(word))).size;
  const english = distinct(ENGLISH);
  const accents = /[äöüßñçãõáéíóúàèêôûœ¿¡]/i.test(text) ? 0.5 : 0;
  // "pausar temporizador" has no function word, and hardly a word that English has.
  const all = [...new Set(spoken)];
  const foreign = all.filter((word) => !isEnglish(word)).length;
  const isForeign = english === 0 && foreign > 1 && foreign >= MOSTLY * all.length;
  const scored = (Object.keys(FUNCTION_WORDS) as EuropeanLanguage[])
    .map((language) => {
      const said = distinct(FUNCTION_WORDS[language]);
      const lettered = OWN_LETTERS[language].test(text) ? 1 : 0;
      return { language, score: said + lettered, covered: coverage(language) };
    })
    // One hint is not enough: "weather in Köln" and "theatres in Chicago, IL" are English.
    .filter(
      ({ score, covered }) =>
        (score + accents > english &&
          (score > 1 || (score > 0 && foreign + accents > 0 && covered >= MOSTLY))) ||
        (isForeign && covered >= MOSTLY),
    )
    .map(({ language, score, covered }) => ({ language, score: score + covered }))
    .sort((a, b) => b.score - a.score);
  return scored[0]?.language;
}
