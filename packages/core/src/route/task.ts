/** A parsed task: its terms, clauses, verbs, vectors and whether it has a URL. Everything `rank` needs of the text. */
import { actionBits, verbsIn } from "./actions.ts";
import { clausesOf } from "./clauses.ts";
import { withFileKinds } from "./file-kinds.ts";
import { withOperators } from "./operators.ts";
import { phrasingOf } from "./phrasing.ts";
import type { Phrase } from "./route-index.ts";
import {
  boundedText,
  gramsOf,
  identifierWords,
  isStopTerm,
  termLine,
  termOf,
  terms,
  withoutValues,
  words,
} from "./text.ts";
import { valueKinds } from "./value-kinds.ts";
import type { Embed } from "./vectors.ts";

export interface TaskPart {
  readonly text: string;
  /** Distinct, in order of first appearance. */
  readonly terms: readonly string[];
  readonly vector: Float32Array | undefined;
}

export interface Task {
  readonly whole: TaskPart;
  readonly clauses: readonly TaskPart[];
  readonly contentTerms: ReadonlySet<string>;
  /** The same plus the names of the kinds of value it contains, as parameters are called. */
  readonly parameterTerms: ReadonlySet<string>;
  /** For each kind of value it contains: possible names of a parameter that takes it. */
  readonly rooms: readonly (readonly string[])[];
  /** Content terms and pairs of neighbours, in order. */
  readonly grams: readonly string[];
  /** Its action verbs, in order. */
  readonly verbs: readonly string[];
  readonly actions: number;
  /** Phrased as a request (below 0) or as a question about the world. */
  readonly phrasing: number;
  /** It mentions a page, or contains its URL. */
  readonly hasUrl: boolean;
  readonly hasAddress: boolean;
  /** Whether the phrase's terms occur in the task consecutively. */
  holds(phrase: Phrase): boolean;
}

const URL_OR_PAGE =
  /https?:\/\/|\bwww\.|\b[a-z0-9-]+\.(?:com|org|net|io|dev|ai|co|app|gov|edu)\b|\b(?:url|urls|link|links|web ?page|webpages?|page|site|website|address)\b/i;

export function readTask(raw: string, embed: Embed | undefined): Task {
  const text = boundedText(raw);
  const expanded = expand(text);
  const spoken = words(expanded);
  const ordered = spoken.map(termOf);
  const line = termLine(ordered);
  const whole = { ...partOf(expanded, ordered, embed), text };
  const content = whole.terms.filter((term) => !isStopTerm(term));
  const { names, rooms } = valueKinds(text);
  return {
    whole,
    clauses: clausesOf(text).map((clause) => partOf(clause, terms(clause), embed)),
    contentTerms: new Set(content),
    parameterTerms: new Set([...content, ...names]),
    rooms,
    grams: gramsOf(ordered),
    verbs: verbsIn(spoken),
    actions: actionBits(spoken),
    phrasing: phrasingOf(spoken),
    hasUrl: URL_OR_PAGE.test(text),
    hasAddress: /https?:\/\//i.test(text),
    holds: (phrase) => line.includes(phrase.line),
  };
}

/** The texts that `rank` will embed, so that an asynchronous model can be called in advance. */
export function taskTexts(raw: string): string[] {
  const text = boundedText(raw);
  return [expand(text), ...clausesOf(text)].map(withoutValues);
}

/** "a company named Brightwater" is not about naming: the word only introduces the name. */
const INTRODUCES_NAME = /\b(?:named|called|titled|entitled)\s+(?=["'“]?[\p{L}\p{N}])/giu;

const expand = (text: string): string => withFileKinds(withOperators(text.replace(INTRODUCES_NAME, "")));

function partOf(text: string, ordered: readonly string[], embed: Embed | undefined): TaskPart {
  const split = /[a-z][A-Z]|\w_\w/.test(text) ? terms(identifierWords(text)) : [];
  return {
    text,
    terms: [...new Set([...ordered, ...split])],
    vector: embed?.(withoutValues(text)),
  };
}
