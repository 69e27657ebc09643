/** Tasks in other languages: translated to English words for the router. Passed in, as the embedding is: core has no dictionary. */
import { withOperators } from "./operators.ts";
import type { RouteIndex } from "./route-index.ts";
import { termOf } from "./text.ts";

/** The task in English words, preferring those in the catalog; undefined when it is already English. */
export type Gloss = (text: string, knows: (word: string) => boolean) => string | undefined;

/** The text the router ranks for a task. */
export const inEnglish = (
  text: string,
  { gloss, postings }: Pick<RouteIndex, "gloss" | "postings">,
): string => {
  const english = gloss?.(text, (word) => postings.knows(termOf(word)));
  // Arithmetic is read from the text as it was written: a dictionary has no word for "12 por 9".
  return english === undefined ? text : english + withOperators(text).slice(text.length);
};
