/**
 * Is this conversation: a question, a greeting, a remark? The fallback answers those. A request that no capability can serve,
 * and text without words, get "no match" instead.
 */
import { PHRASING_WORDS } from "./phrasing.ts";
import { words } from "./text.ts";

const OPENINGS = new Set(
  `who whom whose what whats which why how hows when where is are was were am do does did can could would should will may might
  hi hello hey thanks thank sorry bye good tell explain describe discuss chat talk imagine suppose i im we lets
  hm hmm ok okay yes no wow great cool nice`.split(/\s+/),
);
/** A polite question ("can you ...", "could you ...") is a request when an action follows. */
const REQUEST = /^(?:please\s+)?(?:can|could|would|will)\s+you\s+(?!tell|explain|describe|help|say|answer)/i;
const FUNCTION_WORDS = new Set([...PHRASING_WORDS, ...OPENINGS]);
const QUESTION_MARK = /[?？¿؟]/;
const MIN_FOREIGN_WORDS = 2;

export function isConversation(task: string): boolean {
  const spoken = words(task);
  if (spoken.length === 0 || REQUEST.test(task.trim())) return false;
  if (QUESTION_MARK.test(task)) return isProse(task, spoken);
  return OPENINGS.has(spoken[0] ?? "") && (spoken.length <= 2 || isProse(task, spoken));
}

/** Contains function words, as a sentence does. For other scripts and languages, the question mark must be enough. */
function isProse(task: string, spoken: readonly string[]): boolean {
  if (spoken.some((word) => FUNCTION_WORDS.has(word))) return true;
  return /[^\p{Script=Latin}\p{Script=Common}]/u.test(task) && spoken.length >= MIN_FOREIGN_WORDS;
}
