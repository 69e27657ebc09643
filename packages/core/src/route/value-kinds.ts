/**
 * Kinds of value in a task, as the usual parameter names: a task says "tomorrow at 8", never "date" or "time". Only
 * detects that there is one: finding the value itself is the payload's job. A place or a year is weak evidence
 * for one parameter, because of its many names, but strong evidence against a capability that takes none.
 */
import { terms } from "./text.ts";

interface Kind {
  readonly pattern: RegExp;
  /** The usual name of its parameter. */
  readonly names: readonly string[];
  /** Other names of parameters that take it. */
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
  /** For all kinds together. */
  readonly names: readonly string[];
  /** Per kind, by any of its parameter names. */
  readonly rooms: readonly (readonly string[])[];
}

export function valueKinds(text: string): ValueKinds {
  const held = KINDS.filter(({ pattern }) => pattern.test(text));
  return {
    names: held.flatMap(({ names }) => names),
    rooms: held.map(({ names, also }) => [...names, ...also]),
  };
}
