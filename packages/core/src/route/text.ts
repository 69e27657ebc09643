/**
 * Task and capability text for the router: bounded, normalised, as terms and word pairs.
 * Stop words are kept, at a fifth of the weight: "who are you" and "what can you do" contain nothing else.
 */
import { stem } from "./stem.ts";

/** Longer tasks are cut here: people state the request first, and pasted documents must not cost seconds. */
export const MAX_TASK_CHARS = 8_000;
const MAX_WORDS = 600; // of one text; the same limit, for texts made of very short words
const MAX_WORD_CHARS = 40; // longer runs are tokens and hashes, not words

const STOP_WEIGHT = 0.2; // measured: better than dropping them on every set, best for small talk
const STOP_WORDS = new Set(
  `a an the of to in on for and or is are was were be been am i im me my mine you your yours we our us it its this
  that these those with at by from as can could would should will shall may might do does did have has had please
  tell give let want need like get know help find show some any there here what which who how when where why if so
  just about into than then them they he she his her not no s t re ve ll d m`.split(/\s+/),
);

/** Reads at most the first `MAX_TASK_CHARS`; control characters except tabs and line ends become spaces. */
export function boundedLines(text: string): string {
  const cut = text.length > MAX_TASK_CHARS ? text.slice(0, MAX_TASK_CHARS) : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return cut.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]+/g, " ");
}

/** The same on one line. */
export const boundedText = (text: string): string => boundedLines(text).replace(/[\t\n]+/g, " ");

/** What `intent.normalizedTask` shows: lower case, single spaces, no closing punctuation. */
export function normalizeTask(text: string): string {
  return boundedText(text)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\s.!?;,:]+$/, "");
}

/** Lower-case words in order. Han and kana have no spaces, so each character is a word; word pairs give them context. */
export function words(text: string): string[] {
  const lower = text.toLowerCase().replace(/['’]/g, "");
  const found = isAscii(lower)
    ? lower.match(/[a-z0-9]+/g)
    : lower
        .normalize("NFD")
        .replace(/[\u0300-\u036f]/g, "")
        .normalize("NFC")
        .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu);
  const all = found ?? [];
  if (all.length > MAX_WORDS) all.length = MAX_WORDS;
  return all.map((word) => (word.length > MAX_WORD_CHARS ? word.slice(0, MAX_WORD_CHARS) : word));
}

/** Identifiers as words: `getTeamStats`, `get_team-stats` and `Team.Stats` are split as people would say them. */
export function identifierWords(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[_.:/-]+/g, " ");
}

/** A word's stem; a stop word unchanged. */
export const termOf = (word: string): string => (STOP_WORDS.has(word) ? word : stem(word));
export const terms = (text: string): string[] => words(text).map(termOf);

/** Terms as one line, to search phrases in: each has a space before and after it. */
export const termLine = (found: readonly string[]): string => ` ${found.join(" ")} `;

export const isStopTerm = (term: string): boolean => STOP_WORDS.has(term);
export const termWeight = (term: string): number => (STOP_WORDS.has(term) ? STOP_WEIGHT : 1);
export const contentTerms = (text: string): string[] => terms(text).filter((term) => !STOP_WORDS.has(term));

export const grams = (text: string): string[] => gramsOf(terms(text));

/** Content terms and their neighbouring pairs; all terms when there are no content terms. */
export function gramsOf(all: readonly string[]): string[] {
  const content = all.filter((term) => !STOP_WORDS.has(term));
  const kept = content.length > 0 ? content : all;
  const pairs = kept.slice(1).map((term, at) => `${kept[at]} ${term}`);
  return [...kept, ...pairs];
}

/** The text to embed: quoted values and numbers tell which thing is meant, not which capability. */
export function withoutValues(text: string): string {
  const bare = text
    .replace(/"[^"]{1,200}"|“[^”]{1,200}”|(?<!\w)'[^']{1,200}'(?!\w)/g, " ")
    .replace(/[^\s\d]{0,40}\d\S*/g, " ");
  return /\p{L}{3}/u.test(bare) ? bare : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);
