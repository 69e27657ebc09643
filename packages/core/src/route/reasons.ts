/** Why a capability matched, in words a person can check against the task, strongest first. */
import { actionBits } from "./actions.ts";
import type { RouteDocument } from "./document.ts";
import type { Candidate } from "./features.ts";
import type { Task } from "./task.ts";
import { identifierWords, isStopTerm, termOf, words } from "./text.ts";

const MAX_QUOTE_CHARS = 60;
const MIN_SIMILAR = 0.25; // below that, the nearest phrase explains nothing
const MIN_SEMANTIC = 0.35;
const MAX_WORDS = 4;

export function reasonsFor(candidate: Candidate, task: Task): string[] {
  const { entry, features, triggerHits, tagHits, nearestPassage, nearestTrigger } = candidate;
  const said = new Set<string>();
  const { name, description } = wordsOf(entry.document);
  const reasons = [
    ...triggerHits.map((trigger) => `trigger:${trigger}`),
    ...tagHits.map((tag) => `tag:${tag}`),
    ...labelled("name", sharedWords(name, task, said)),
  ];
  const verb = task.verbs.find((word) => (actionBits([word]) & entry.actions) !== 0);
  if (verb !== undefined) reasons.push(`action:${verb}`);
  if (features.domain > 0 && entry.document.domain) reasons.push(`domain:${entry.document.domain}`);
  reasons.push(...labelled("words", sharedWords(description, task, said)));
  if (nearestPassage && nearestPassage.similarity >= MIN_SIMILAR && triggerHits.length === 0) {
    reasons.push(`similar:${nearestPassage.similarity.toFixed(2)} "${quote(nearestPassage.text)}"`);
  }
  const semantic = nearestTrigger ?? { text: entry.document.name, similarity: features.nearest };
  if (semantic.similarity >= MIN_SEMANTIC || reasons.length === 0) {
    reasons.push(`semantic:${semantic.similarity.toFixed(2)} "${quote(semantic.text)}"`);
  }
  return reasons;
}

const labelled = (label: string, found: readonly string[]): string[] =>
  found.length > 0 ? [`${label}:${found.join(" ")}`] : [];

/** Words of the text that occur in the task, in the author's spelling; each once over all reasons. */
function sharedWords(found: readonly ContentWord[], task: Task, said: Set<string>): string[] {
  const shared: string[] = [];
  for (const { word, term } of found) {
    if (said.has(term) || !task.contentTerms.has(term)) continue;
    said.add(term);
    shared.push(word);
    if (shared.length === MAX_WORDS) break;
  }
  return shared;
}

interface ContentWord {
  readonly word: string;
  readonly term: string;
}

interface DocumentWords {
  readonly name: readonly ContentWord[];
  readonly description: readonly ContentWord[];
}

/** Cached per document: splitting them again for each of ten matches would take a tenth of a ranking. */
const known = new WeakMap<RouteDocument, DocumentWords>();

function wordsOf(document: RouteDocument): DocumentWords {
  const kept = known.get(document);
  if (kept) return kept;
  const read = { name: contentWords(document.name), description: contentWords(document.description) };
  known.set(document, read);
  return read;
}

const contentWords = (text: string): ContentWord[] =>
  words(identifierWords(text))
    .map((word) => ({ word, term: termOf(word) }))
    .filter(({ term }) => !isStopTerm(term));

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_QUOTE_CHARS ? `${line.slice(0, MAX_QUOTE_CHARS - 1)}…` : line;
}
