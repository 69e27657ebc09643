/** Tasks in other languages: translated to English words for the router. Passed in, as the embedding is: core has no dictionary. */
import type { RouteIndex } from "./route-index.ts";
import { termOf } from "./text.ts";

/** The task in English words, preferring those in the catalog; undefined when it is already English. */
export type Gloss = (text: string, knows: (word: string) => boolean) => string | undefined;

/** The text the router ranks for a task. */
export const inEnglish = (
  text: string,
  { gloss, postings }: Pick<RouteIndex, "gloss" | "postings">,
): string => gloss?.(text, (word) => postings.knows(termOf(word))) ?? text;
