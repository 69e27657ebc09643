/** Tasks of other languages: the router reads English words for them. Passed in, as the embedding is: core has no dictionary. */
import type { RouteIndex } from "./route-index.ts";
import { termOf } from "./text.ts";

/** The task in English words, preferring those the catalog knows; nothing when it is in English already. */
export type Gloss = (text: string, knows: (word: string) => boolean) => string | undefined;

/** What the router reads of a task. */
export const inEnglish = (
  text: string,
  { gloss, postings }: Pick<RouteIndex, "gloss" | "postings">,
): string => gloss?.(text, (word) => postings.knows(termOf(word))) ?? text;
