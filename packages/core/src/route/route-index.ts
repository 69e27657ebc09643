/**
 * The router's index. Documents are added and removed individually: what depends on the others (IDF,
 * average length, passage norms) is computed when a task is ranked. The order of registration never affects a result.
 */
import { documentActions } from "./actions.ts";
import type { RouteDocument } from "./document.ts";
import type { Gloss } from "./gloss.ts";
import { createPassages, type Passage, type Passages } from "./passages.ts";
import { createPostings, type Postings, type TermGroup, termGroup, type WeightedTerms } from "./postings.ts";
import { contentTerms, identifierWords, isStopTerm, termLine, terms, withoutValues } from "./text.ts";
import {
  type CentreRows,
  createCentreRows,
  type DocumentVectors,
  documentVectors,
  type Embed,
} from "./vectors.ts";

/** Field weights in tenths (see `WeightedTerms`), chosen by cross-validation over the sets. */
const FIELD_WEIGHTS = { name: 20, id: 10, description: 10, tags: 10, params: 6, triggers: 5 } as const;

const MAX_TRIGGERS = 2_000; // a capability with more operations than this is found by its own text and these
const MAX_FIELD_CHARS = 4_000;
const MAX_PARAMS_READ = 6; // for the embedding: more would dilute the capability's own text
const MAX_PHRASE_WORDS = 6; // longer triggers are examples, not phrases that occur in a task

/** A phrase in the author's spelling, and as a line of terms to search for in the task's. */
export interface Phrase {
  readonly label: string;
  readonly line: string;
}

export interface IndexEntry {
  readonly document: RouteDocument;
  readonly slot: number;
  readonly name: TermGroup;
  /** Of its name, description and tags. */
  readonly own: TermGroup;
  readonly params: TermGroup;
  readonly paramNames: ReadonlySet<string>;
  readonly domain: TermGroup;
  readonly tags: readonly Phrase[];
  readonly phrases: readonly Phrase[];
  readonly contextWords: readonly Phrase[];
  readonly actions: number;
  readonly weighted: WeightedTerms;
  readonly passages: readonly Passage[];
  readonly vectors: DocumentVectors | undefined;
}

export interface RouteIndex {
  /** Adds a document, or replaces the one with the same id. */
  add(document: RouteDocument): void;
  remove(id: string): boolean;
  has(id: string): boolean;
  readonly size: number;
  readonly embed: Embed | undefined;
  readonly gloss: Gloss | undefined;
  /** Internal: used by `rank`. */
  readonly version: number;
  readonly entries: readonly (IndexEntry | undefined)[];
  readonly postings: Postings;
  readonly passages: Passages;
  readonly centres: CentreRows;
}

export interface RouteIndexOptions {
  readonly embed?: Embed | undefined;
  readonly gloss?: Gloss | undefined;
}

export function createRouteIndex({ embed, gloss }: RouteIndexOptions = {}): RouteIndex {
  const entries: (IndexEntry | undefined)[] = [];
  const slots = new Map<string, number>();
  const free: number[] = [];
  const postings = createPostings();
  const passages = createPassages();
  const centres = createCentreRows();
  let version = 0;

  const remove = (id: string): boolean => {
    const slot = slots.get(id);
    const entry = slot === undefined ? undefined : entries[slot];
    if (slot === undefined || !entry) return false;
    postings.remove(slot, entry.weighted);
    for (const passage of entry.passages) passages.remove(passage);
    centres.set(slot, undefined);
    entries[slot] = undefined;
    slots.delete(id);
    free.push(slot);
    version++;
    return true;
  };

  return {
    add(document) {
      remove(document.id);
      const slot = free.pop() ?? entries.length;
      const entry = entryOf(document, slot, passages, embed);
      postings.add(slot, entry.weighted);
      centres.set(slot, entry.vectors?.centre);
      entries[slot] = entry;
      slots.set(document.id, slot);
      version++;
    },
    remove,
    has: (id) => slots.has(id),
    get size() {
      return slots.size;
    },
    get version() {
      return version;
    },
    embed,
    gloss,
    entries,
    postings,
    passages,
    centres,
  };
}

function entryOf(raw: RouteDocument, slot: number, passages: Passages, embed: Embed | undefined): IndexEntry {
  const document = bounded(raw);
  const { tags = [], triggers = [], params = [], domain = "", contextWords = [] } = document;
  const name = identifierWords(document.name);
  const paramTerms = params.flatMap((param) => terms(identifierWords(param)));
  const ownText = [name, document.description, ...tags.map(identifierWords)].join(" ");
  return {
    document,
    slot,
    name: termGroup(contentTerms(name)),
    own: termGroup(contentTerms(ownText)),
    params: termGroup(paramTerms.filter((term) => !isStopTerm(term))),
    paramNames: new Set(paramTerms),
    domain: termGroup(contentTerms(identifierWords(domain))),
    tags: tags.flatMap((tag) => phraseOf(tag, identifierWords(tag))),
    phrases: triggers.flatMap((trigger) => phraseOf(trigger, trigger, MAX_PHRASE_WORDS)),
    contextWords: contextWords.flatMap((word) => phraseOf(word, word)),
    actions: documentActions(document),
    weighted: weightedTerms(document),
    passages: [ownText, ...triggers].map((text, at) => passages.add(slot, text, at === 0)),
    vectors: embed && vectorsOf(document, embed),
  };
}

/** The texts of a document that are embedded: its own first, then its triggers. */
export function documentTexts(raw: RouteDocument): { own: string; triggers: string[] } {
  const { name, description, triggers = [], params = [] } = bounded(raw);
  const takes = params.slice(0, MAX_PARAMS_READ).map(identifierWords).join(", ");
  const own = `${identifierWords(name)}. ${description}${takes === "" ? "" : ` ${takes}.`}`;
  return { own, triggers: triggers.map(withoutValues) };
}

function vectorsOf(document: RouteDocument, embed: Embed): DocumentVectors | undefined {
  const { own, triggers } = documentTexts(document);
  return documentVectors(own, triggers, embed);
}

/** Undefined when it contains no word, or more than `most`. */
function phraseOf(label: string, text: string, most = Number.POSITIVE_INFINITY): Phrase[] {
  const found = terms(text);
  return found.length > 0 && found.length <= most ? [{ label, line: termLine(found) }] : [];
}

function bounded(document: RouteDocument): RouteDocument {
  const cut = (text: string) => (text.length > MAX_FIELD_CHARS ? text.slice(0, MAX_FIELD_CHARS) : text);
  return {
    ...document,
    description: cut(document.description),
    ...(document.triggers && { triggers: document.triggers.slice(0, MAX_TRIGGERS).map(cut) }),
  };
}

function weightedTerms(document: RouteDocument): WeightedTerms {
  const { tags = [], params = [], triggers = [], domain = "", actions = [] } = document;
  const counts = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const term of terms(text)) counts.set(term, (counts.get(term) ?? 0) + weight);
  };
  add(identifierWords(document.name), FIELD_WEIGHTS.name);
  add(identifierWords(document.id), FIELD_WEIGHTS.id);
  add(document.description, FIELD_WEIGHTS.description);
  for (const tag of [...tags, domain, ...actions]) add(identifierWords(tag), FIELD_WEIGHTS.tags);
  for (const param of params) add(identifierWords(param), FIELD_WEIGHTS.params);
  for (const trigger of triggers) add(trigger, FIELD_WEIGHTS.triggers);
  return counts;
}
