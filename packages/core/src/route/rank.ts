/**
 * Which capability serves a task, and why. Pure and deterministic: the same task and documents give the same
 * answer, in any order of registration.
 */

import { type CatalogModel, catalogValues, fitCatalogModel, nothingFitsOdds } from "./catalog-model.ts";
import { catalogRows } from "./catalog-rows.ts";
import { confidenceValues, logOdds, probability, unknownShare } from "./confidence.ts";
import { isConversation } from "./conversation.ts";
import { type Candidate, candidatesFor } from "./features.ts";
import { ceiling, evidence, type Field, fieldOf } from "./fusion.ts";
import { inEnglish } from "./gloss.ts";
import { guard, type Verdict } from "./guardrails.ts";
import { ownShift } from "./own-accuracy.ts";
import { reasonsFor } from "./reasons.ts";
import type { IndexEntry, RouteIndex } from "./route-index.ts";
import { readTask, type Task } from "./task.ts";
import { boundedText } from "./text.ts";
import { type RouteWeights, weightsFor } from "./weights.ts";

/** A match must reach this share of the best score: the dynamic floor. */
const FLOOR_SHARE = 0.45;
/**
 * A task in another language is read word by word, without its phrasing and with words missing, which looks like a task that nothing fits.
 * 0.7 to 0.85 gave the same figures (`bench/routing/languages`); confidence is not touched.
 */
const GLOSSED_THRESHOLD = 0.75;
const DEFAULT_TOP = 10;
const MAX_REJECTED = 5;

export interface Match {
  readonly id: string;
  /** 0 to 10. */
  readonly score: number;
  readonly reasons: readonly string[];
}

export interface Rejected {
  readonly id: string;
  readonly score: number;
  readonly why: string;
}

export interface RankResult {
  /** Best first; empty exactly when `noMatch`. */
  readonly matches: readonly Match[];
  readonly noMatch: boolean;
  /** How likely the first match is right, taking into account that nothing may fit; without a match, how likely nothing fits. */
  readonly confidence: number;
  /** True when nothing fits and the only match is the fallback, which takes questions and conversation. */
  readonly isFallback?: true;
  /** The parts of the task; the task itself when it is a single request. */
  readonly clauses: readonly string[];
  /** Near matches and why they were rejected; only on request. */
  readonly rejected?: readonly Rejected[];
}

export interface RankOptions {
  readonly topK?: number | undefined;
  readonly rejected?: boolean | undefined;
  /** Rank only these, such as the capabilities an agent can see. */
  readonly visible?: ((id: string) => boolean) | undefined;
  readonly weights?: RouteWeights | undefined;
  /** The task names a visible capability: it is not refused, but evidence against it still lowers the confidence. */
  readonly isCalled?: boolean | undefined;
}

const CALLED_MOST = 0.5; // below every threshold of refusal, and too uncertain for effects

interface Scored {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
  /** After the guardrails, on the scale of the fit. */
  readonly evidence: number;
  readonly score: number;
}

export function rank(text: string, index: RouteIndex, options: RankOptions = {}): RankResult {
  const { topK = DEFAULT_TOP, visible, weights = weightsFor(index.embed) } = options;
  const accept = visible ? ({ document }: IndexEntry) => visible(document.id) : () => true;
  const bounded = boundedText(text);
  const english = inEnglish(bounded, index);
  const task = readTask(english, index.embed);
  const candidates = candidatesFor(task, index, accept);
  const field = fieldOf(candidates);
  const scale = 10 / ceiling(weights.fusion);
  const scored = candidates
    .map((candidate) => score(candidate, field, task, weights, scale))
    .sort(byPrecision);
  const open = scored.filter(({ verdict }) => verdict.factor > 0);
  const { nothingFits, right } = estimate(open, { field, task, index, weights, isCalled: options.isCalled });
  const refused = nothingFits >= (english === bounded ? weights.noneThreshold : GLOSSED_THRESHOLD);
  const floor = FLOOR_SHARE * (open[0]?.score ?? 0);
  const kept = refused ? [] : open.filter((entry) => entry.score >= floor).slice(0, topK);
  const fallback = refused && isConversation(text) ? fallbackMatch(index, accept) : undefined;
  return {
    matches: fallback ? [fallback] : kept.map((entry) => toMatch(entry, task)),
    noMatch: refused && !fallback,
    confidence: round(refused ? nothingFits : right * (1 - nothingFits), 4),
    ...(fallback && { isFallback: true }),
    clauses: task.clauses.length > 0 ? task.clauses.map((clause) => clause.text) : [task.whole.text],
    ...(options.rejected && { rejected: rejections(scored, kept, { floor, nothingFits, refused }) }),
  };
}

interface Estimate {
  /** How likely no capability serves the task. */
  readonly nothingFits: number;
  /** How likely the first is right, if any is. */
  readonly right: number;
}

interface EstimateParts {
  readonly field: Field;
  readonly task: Task;
  readonly index: RouteIndex;
  readonly weights: RouteWeights;
  readonly isCalled?: boolean | undefined;
}

function estimate(
  open: readonly Scored[],
  { field, task, index, weights, isCalled }: EstimateParts,
): Estimate {
  const [first] = open;
  if (!first) return { nothingFits: 1, right: 0 };
  const values = confidenceValues({
    best: field.best,
    task,
    scores: open.map((entry) => entry.evidence),
    unknown: unknownShare(task.contentTerms, index.postings),
    spoken: (first.candidate.entry.document.triggers?.length ?? 0) > 0,
  });
  const general = logOdds(values, weights.none);
  const { model, shift } = ownModel(index, weights);
  const own = model && nothingFitsOdds(catalogValues(open.map(candidateOf), open, task.whole.vector), model);
  const none = probability(own === undefined ? general : (general + own) / 2);
  return {
    nothingFits: isSaid(first, task) ? 0 : isCalled ? Math.min(none, CALLED_MOST) : none,
    right: probability(logOdds(values, weights.right) + shift),
  };
}

const candidateOf = ({ candidate }: Scored): Candidate => candidate;

interface OwnModel {
  readonly model: CatalogModel | undefined;
  /** Added to the log odds that the first is right. */
  readonly shift: number;
}

interface KnownModel extends OwnModel {
  readonly version: number;
  readonly weights: RouteWeights;
}

const models = new WeakMap<RouteIndex, KnownModel>();
const NO_MODEL: OwnModel = { model: undefined, shift: 0 };

/** Fitted at the first task after a catalog change: some tenths of a second for two hundred capabilities. */
function ownModel(index: RouteIndex, weights: RouteWeights): OwnModel {
  const { catalog, fusion, right, usualShift } = weights;
  if (!catalog || !index.embed) return NO_MODEL;
  const known = models.get(index);
  if (known?.version === index.version && known.weights === weights) return known;
  const rows = catalogRows(index, fusion);
  const answers = rows
    .filter(({ none }) => !none)
    .map((row) => ({ odds: logOdds(row.confidence, right), right: row.right }));
  const fitted = {
    version: index.version,
    weights,
    model: rows.length > 0 ? fitCatalogModel(rows, catalog) : undefined,
    shift: usualShift === undefined ? 0 : ownShift(answers, usualShift),
  };
  models.set(index, fitted);
  return fitted;
}

function score(candidate: Candidate, field: Field, task: Task, weights: RouteWeights, scale: number): Scored {
  const verdict = guard(candidate, task);
  const raw = evidence(candidate, field, weights.fusion);
  return {
    candidate,
    verdict,
    evidence: raw * verdict.factor,
    score: round(raw * scale * (verdict.factor || 1), 3),
  };
}

/**
 * A multi-word trigger occurs in the task: of three thousand labelled tasks that nothing fits, none had one.
 * Or it is a page reader, and the task contains a URL.
 */
function isSaid(first: Scored, task: Task): boolean {
  const { triggerHits, entry } = first.candidate;
  return (
    triggerHits.some((trigger) => /\S\s+\S/.test(trigger.trim())) ||
    (task.hasAddress && entry.document.needsUrl === true)
  );
}

/** The seed's order: score, exact trigger hits, exact tag hits, id. Scores are rounded, so that noise does not decide. */
export function byPrecision(a: Precise, b: Precise): number {
  return (
    b.score - a.score ||
    b.candidate.triggerHits.length - a.candidate.triggerHits.length ||
    b.candidate.tagHits.length - a.candidate.tagHits.length ||
    (a.candidate.entry.document.id < b.candidate.entry.document.id ? -1 : 1)
  );
}

interface Precise {
  readonly score: number;
  readonly candidate: Pick<Candidate, "triggerHits" | "tagHits"> & {
    readonly entry: { readonly document: { readonly id: string } };
  };
}

function toMatch({ candidate, verdict, score: value }: Scored, task: Task): Match {
  const reasons = reasonsFor(candidate, task);
  return {
    id: candidate.entry.document.id,
    score: value,
    reasons: verdict.why ? [...reasons, verdict.why] : reasons,
  };
}

/** The fallback answers a question when nothing fits; with several, the first by id. */
function fallbackMatch(index: RouteIndex, accept: (entry: IndexEntry) => boolean): Match | undefined {
  const ids = index.entries
    .filter((entry): entry is IndexEntry => entry?.document.fallback === true && accept(entry))
    .map((entry) => entry.document.id)
    .sort();
  return ids[0] === undefined
    ? undefined
    : { id: ids[0], score: 0, reasons: ["fallback: nothing fits, and this is a question or conversation"] };
}

function rejections(
  scored: readonly Scored[],
  kept: readonly Scored[],
  { floor, nothingFits, refused }: { floor: number; nothingFits: number; refused: boolean },
): Rejected[] {
  const why = ({ verdict, score: value }: Scored): string => {
    if (verdict.factor === 0) return verdict.why ?? "refused";
    if (refused) return `too little evidence: ${Math.round(nothingFits * 100)}% sure that nothing fits`;
    return value < floor
      ? `below the floor: ${value} (${round(floor, 3)} required)`
      : "beyond the requested number of matches";
  };
  return scored
    .filter((entry) => !kept.includes(entry))
    .slice(0, MAX_REJECTED)
    .map((entry) => ({ id: entry.candidate.entry.document.id, score: entry.score, why: why(entry) }));
}

function round(value: number, digits: number): number {
  const unit = 10 ** digits;
  return Math.round(value * unit) / unit;
}
