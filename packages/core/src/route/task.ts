/** A task, read once: its terms, clauses, verbs, vectors and whether it holds a URL. Everything `rank` asks of the text. */
import { actionBits } from "./actions.ts";
import { clausesOf } from "./clauses.ts";
import type { Phrase } from "./route-index.ts";
import { boundedText, identifierWords, isStopTerm, terms, withoutValues, words } from "./text.ts";
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
  readonly actions: number;
  /** It speaks of a page, or holds its address. */
  readonly hasUrl: boolean;
  readonly hasAddress: boolean;
  /** Whether the phrase's terms stand in the task, one after the other. */
  holds(phrase: Phrase): boolean;
}

const URL_OR_PAGE =
  /https?:\/\/|\bwww\.|\b[a-z0-9-]+\.(?:com|org|net|io|dev|ai|co|app|gov|edu)\b|\b(?:url|urls|link|links|web ?page|webpages?|page|site|website|address)\b/i;

export function readTask(raw: string, embed: Embed | undefined): Task {
  const text = boundedText(raw);
  const ordered = terms(text);
  const line = ` ${ordered.join(" ")} `;
  const whole = partOf(text, ordered, embed);
  return {
    whole,
    clauses: clausesOf(text).map((clause) => partOf(clause, terms(clause), embed)),
    contentTerms: new Set(whole.terms.filter((term) => !isStopTerm(term))),
    actions: actionBits(words(text)),
    hasUrl: URL_OR_PAGE.test(text),
    hasAddress: /https?:\/\//i.test(text),
    holds: (phrase) => phrase.terms.length > 0 && line.includes(` ${phrase.terms.join(" ")} `),
  };
}

/** The texts `rank` will ask `embed` for, so that a model that answers later can be asked before. */
export function taskTexts(raw: string): string[] {
  const text = boundedText(raw);
  return [text, ...clausesOf(text)].map(withoutValues);
}

function partOf(text: string, ordered: readonly string[], embed: Embed | undefined): TaskPart {
  const split = /[a-z][A-Z]|\w_\w/.test(text) ? terms(identifierWords(text)) : [];
  return {
    text,
    terms: [...new Set([...ordered, ...split])],
    vector: embed?.(withoutValues(text)),
  };
}
