/**
 * Splits a task with several requests: "retrieve X, then check Y. Finally compare Z and send it".
 * "and" splits only before a verb or a new sentence's subject: "cats and dogs" is one thing.
 */
import { isActionVerb } from "./actions.ts";
import { contentTerms } from "./text.ts";

const MAX_CLAUSES = 8;
const MIN_TERMS = 3; // shorter ones match too much
const BREAKS =
  /(?<=[.;?!])\s+|,?\s+(?:and then|then|after that|afterwards|finally|next|also|additionally|lastly|as well as|secondly|thirdly)\b,?\s*/i;
const LEAD =
  /^(?:and|then|after that|afterwards|finally|next|also|additionally|lastly|first(?:ly)?|second(?:ly)?|third(?:ly)?)\b,?\s*/i;
const AND = /,?\s+and\s+/i;
const SUBJECTS = new Set(
  "i we you can could would please how what where when who which is are let lets".split(" "),
);

/** The clauses of a task in order; empty when it is a single one. */
export function clausesOf(task: string): string[] {
  const parts = task
    .split(BREAKS)
    .flatMap(splitAtAnd)
    .map((part) => part.replace(LEAD, ""))
    .filter((part) => contentTerms(part).length >= MIN_TERMS);
  return parts.length > 1 ? parts.slice(0, MAX_CLAUSES) : [];
}

function splitAtAnd(sentence: string): string[] {
  const parts: string[] = [];
  for (const piece of sentence.split(AND)) {
    const first = /^[\w']+/.exec(piece)?.[0].toLowerCase() ?? "";
    const last = parts.pop();
    if (last === undefined) parts.push(piece.trim());
    else if (isActionVerb(first) || SUBJECTS.has(first)) parts.push(last, piece.trim());
    else parts.push(`${last} and ${piece.trim()}`);
  }
  return parts;
}
