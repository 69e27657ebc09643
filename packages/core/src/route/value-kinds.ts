/**
 * What kinds of value a task holds, as the words a parameter for them is named by: who says "tomorrow at 8" never says
 * "date" or "time". Only whether there is one: finding the value itself is the payload's part. A place or a year
 * says little for one parameter, because of its many names, but much against a capability that has room for none.
 */
import { terms } from "./text.ts";

interface Kind {
  readonly pattern: RegExp;
  /** What a parameter for it is called. */
  readonly names: readonly string[];
  /** What one may be called that has room for it, among other things. */
  readonly also: readonly string[];
}

const kind = (pattern: RegExp, names: string, also = ""): Kind => ({
  pattern,
  names: terms(names),
  also: terms(also),
});

const KINDS: readonly Kind[] = [
  kind(
    /\b(?:\d{4}-\d\d-\d\d|\d{1,2}\/\d{1,2}\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}|\d{1,2}(?:st|nd|rd|th)|today|tomorrow|tonight|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:next|this) week|weekend)\b/i,
    "date day",
    "start end month",
  ),
  kind(
    /\b(?:\d{1,2}:\d\d|\d{1,2} ?(?:am|pm|a\.m\.|p\.m\.)|noon|midnight|o'clock|in the (?:morning|afternoon|evening))\b/i,
    "time hour datetime",
  ),
  kind(/\b[\w.]+@[\w.]+\.\w+\b/, "email mail", "recipient"),
  kind(/https?:\/\/|\bwww\./i, "url link uri"),
  kind(/[$€£] ?\d|\b\d[\d.,]* (?:dollars|euros|pounds|usd|eur|gbp)\b/i, "amount price budget cost money"),
  kind(/(?:^|\s|['"])[~.]?\/[\w.]+\/[\w.]+/, "path file"),
  kind(
    /\b(?:in|at|to|from|near|around|for) (?:the )?[A-Z][a-z]+|\b[A-Z][a-z]+, (?:[A-Z]{2}\b|[A-Z][a-z]+)/,
    "",
    "location city loc place country state address region area destination origin where from to",
  ),
  kind(/\b(?:19|20)\d\d\b/, "", "year date season"),
];

export interface ValueKinds {
  /** Of all kinds together. */
  readonly names: readonly string[];
  /** Kind by kind, whatever its parameter may be called. */
  readonly rooms: readonly (readonly string[])[];
}

export function valueKinds(text: string): ValueKinds {
  const held = KINDS.filter(({ pattern }) => pattern.test(text));
  return {
    names: held.flatMap(({ names }) => names),
    rooms: held.map(({ names, also }) => [...names, ...also]),
  };
}
