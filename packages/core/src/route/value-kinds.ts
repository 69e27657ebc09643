/**
 * What kinds of value a task holds, as the words a parameter for them is named by: who says "tomorrow at 8" never says
 * "date" or "time". Only whether there is one: finding the value itself is the payload's part.
 */
import { terms } from "./text.ts";

const KINDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /\b(?:\d{4}-\d\d-\d\d|\d{1,2}\/\d{1,2}\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}|\d{1,2}(?:st|nd|rd|th)|today|tomorrow|tonight|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:next|this) week|weekend)\b/i,
    terms("date day"),
  ],
  [
    /\b(?:\d{1,2}:\d\d|\d{1,2} ?(?:am|pm|a\.m\.|p\.m\.)|noon|midnight|o'clock|in the (?:morning|afternoon|evening))\b/i,
    terms("time hour datetime"),
  ],
  [/\b[\w.]+@[\w.]+\.\w+\b/, terms("email mail")],
  [/https?:\/\/|\bwww\./i, terms("url link uri")],
  [/[$€£] ?\d|\b\d[\d.,]* (?:dollars|euros|pounds|usd|eur|gbp)\b/i, terms("amount price budget cost money")],
  [/(?:^|\s|['"])[~.]?\/[\w.]+\/[\w.]+/, terms("path file")],
];

export function valueTerms(text: string): string[] {
  return KINDS.flatMap(([pattern, names]) => (pattern.test(text) ? names : []));
}
