/** The lexemes of a fact and of a search: its owner, its words and their meaning. */
import { createHash } from "node:crypto";
import type { MemoryScope } from "@capstan/core/internal";
import type { MeaningKeys } from "./meaning-keys.ts";

export interface MemoryOwner {
  readonly scope: MemoryScope;
  readonly subject: string;
}

const MOST_WORDS = 200;
const MOST_QUERY_WORDS = 24;
const MEANT_WORDS = 60; // of a fact; a search is shorter
const NEAR_OF_FACT = 3;
const NEAR_OF_QUERY = 5;
const SHORTEST_WORD = 3; // shorter ones are in nearly every fact
const LONGEST_WORD = 60;

/** Words without a meaning of their own, which would find everything. */
const EMPTY = new Set(
  "the and for are was were who whom what where when why how which does did has have had you your our she her his him its they them their with that this these those from into about not but can could would should will shall may might also than then there here been being all any some call called".split(
    " ",
  ),
);

const ownerKey = ({ scope, subject }: MemoryOwner): string =>
  `o${createHash("sha256").update(`${scope}\0${subject}`).digest("hex").slice(0, 32)}`;

/** A plain plural counts as its singular; more would be a stemmer for one language. */
export const wordsOf = (text: string, most = MOST_WORDS): string[] =>
  [
    ...new Set(
      (
        text
          .toLowerCase()
          .normalize("NFKC")
          .match(/[\p{L}\p{N}]+/gu) ?? []
      )
        .filter((word) => (word.length >= SHORTEST_WORD || /[^a-z]/.test(word)) && !EMPTY.has(word))
        .map((word) =>
          (word.length > 4 && word.endsWith("s") ? word.slice(0, -1) : word).slice(0, LONGEST_WORD),
        ),
    ),
  ].slice(0, most);

/** Numbers are all similar to each other. */
const meant = (words: readonly string[]): string[] => words.filter((word) => !/\d/.test(word));

export const factKeys = (owner: MemoryOwner, text: string, meaning: MeaningKeys): string[] => {
  const words = wordsOf(text);
  return [
    ownerKey(owner),
    ...words.map((word) => `w${word}`),
    ...new Set(
      meant(words)
        .slice(0, MEANT_WORDS)
        .flatMap((word) => meaning(word, NEAR_OF_FACT)),
    ),
  ];
};

export interface MemorySearch {
  readonly tsquery: string;
  readonly words: readonly string[];
  readonly meanings: readonly string[];
}

/** Undefined when the text contains nothing to search for. */
export function memorySearch(
  owners: readonly MemoryOwner[],
  text: string,
  meaning: MeaningKeys,
): MemorySearch | undefined {
  const words = wordsOf(text, MOST_QUERY_WORDS);
  const meanings = [...new Set(meant(words).flatMap((word) => meaning(word, NEAR_OF_QUERY)))];
  const keys = [...words.map((word) => `w${word}`), ...meanings];
  if (keys.length === 0 || owners.length === 0) return undefined;
  const anyOf = (each: readonly string[]) => `(${each.map((key) => `'${key}'`).join("|")})`;
  return { tsquery: `${anyOf(owners.map(ownerKey))}&${anyOf(keys)}`, words, meanings };
}

/** The same for the same owner and text, as a UUID. */
export function factId({ scope, subject }: MemoryOwner, text: string): string {
  const hex = createHash("sha256").update(`${scope}\0${subject}\0${text}`).digest("hex");
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
