/**
 * Whether a sentence asks for something to be done now, and whether it asks to destroy something. The words of a
 * tool are not enough: "how do I delete a.txt?" and "rename a.txt" share most of theirs with "delete a.txt".
 */
import { identifierWords } from "@capstan/core/internal";

const POLITE =
  "(?:(?:please|pls|bitte|por favor|now|just|then|and|also|ok(?:ay)?|hey|hi|(?:can|could|would|will) you|i (?:want|need) you to|i(?:'d| would) like you to|go ahead and|let'?s)[\\s,]+)*";
/** "Don't write it", "never run that". */
const FORBIDDEN = new RegExp(
  `^${POLITE}(?:do(?:n['’]?t| not)|never|nicht|ne pas|no)\\b(?! (?:forget|worry|hesitate|mind)\\b)`,
  "i",
);
/** "How do I delete a file", "what happens if I run it". */
const ASKED_ABOUT =
  /^(?:(?:please )?(?:explain|tell me) )?(?:how (?:do|can|could|would|should|to|does)\b|what (?:happens|would|will)\b|what if\b|should (?:i|we)\b|why\b|is it (?:ok|okay|safe|possible)\b|(?:can|may|could) i\b)/i;
const NEGATED = /\b(?:not|never|no|nicht|kein\w*|ne|pas|nunca|niet|non)\b|n['’]t\b/i;

const DESTROYS = /^(?:delete|remove|erase|clear|drop|destroy|purge|wipe|discard|revoke|forget|cancel)$/;
const ASKED_TO_DESTROY = new RegExp(
  `^${POLITE}(?:delete|remove|erase|clear|drop|destroy|purge|wipe|discard|revoke|forget|cancel|trash|unlink|rm|del|get rid of|lösch(?:e|en)?|entfern(?:e|en)?|supprime[rz]?|efface[rz]?|borra[r]?|elimina[r]?|cancella(?:re)?|apaga[r]?|verwijder|ta bort|usuń|удали(?:ть)?|删除|刪除)(?!\\p{L})`,
  "iu",
);

export const isOrder = (step: string): boolean =>
  !FORBIDDEN.test(step.trim()) && !ASKED_ABOUT.test(step.trim());

/** A tool whose name says that it destroys is called only by a sentence that begins so and denies nothing. */
export function mayDestroy(tool: string, step: string): boolean {
  const [verb = ""] = identifierWords(tool).trim().toLowerCase().split(/\s+/);
  return !DESTROYS.test(verb) || (ASKED_TO_DESTROY.test(step.trim()) && !NEGATED.test(step));
}
