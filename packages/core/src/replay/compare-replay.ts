/**
 * Compares a recorded run with its replay: which calls are the same, new, missing, reordered or have other arguments;
 * which gate decisions differ; and how the answer, tokens, cost and time differ.
 */
import { type DiffLine, lineDiff } from "../revisions/line-diff.ts";
import type { JsonValue } from "../schema.ts";
import {
  type GateAnswer,
  normalisedKey,
  type ReplayCall,
  type ResultSource,
  similarity,
} from "./replay-call.ts";

export const VERDICTS = ["same", "changed", "diverged"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** `not_reached`: recorded after the place where the replay ended. */
export const CALL_CHANGES = [
  "same",
  "new",
  "missing",
  "other_arguments",
  "other_order",
  "not_reached",
] as const;
export type CallChange = (typeof CALL_CHANGES)[number];

/** One of the two conversations that are compared. */
export interface ReplaySide {
  readonly calls: readonly ReplayCall[];
  readonly answer: string;
  /** `done`, or the code of the failure. */
  readonly outcome: string;
  readonly tokens: number;
  readonly costUsd: number;
  /** Of the model calls; tools take no time in a replay. */
  readonly modelMs: number;
}

export interface ComparedCall {
  readonly change: CallChange;
  readonly tool: string;
  /** The call's id in the recording. */
  readonly callId?: string;
  readonly turn: number;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly source?: ResultSource;
}

/** A call with a different gate decision; `before` is missing for a new call. */
export interface GateChange {
  readonly tool: string;
  readonly input: JsonValue;
  readonly before?: GateAnswer;
  readonly after: GateAnswer;
  readonly why: string;
}

export interface BeforeAfter<Value> {
  readonly before: Value;
  readonly after: Value;
}

/** Where a replay ended for lack of a result. */
export interface Divergence {
  readonly turn: number;
  readonly tool: string;
  readonly input: JsonValue;
  readonly why: string;
}

/** What the replay had otherwise than the recorded run although nothing asked for it. */
export interface NotAsRecorded {
  /** Null: not one capability's. */
  readonly capability: string | null;
  /** Its version in the recorded run. */
  readonly recorded: string | null;
  /** Its version in the replay; null if it had none. */
  readonly used: string | null;
  readonly why: string;
}

export interface ReplayComparison {
  readonly verdict: Verdict;
  readonly calls: readonly ComparedCall[];
  readonly gate: readonly GateChange[];
  readonly answer: BeforeAfter<string> & { readonly isSame: boolean; readonly lines: readonly DiffLine[] };
  readonly outcome: BeforeAfter<string>;
  readonly tokens: BeforeAfter<number>;
  readonly costUsd: BeforeAfter<number>;
  readonly modelMs: BeforeAfter<number>;
  readonly diverged?: Divergence;
  readonly notAsRecorded?: readonly NotAsRecorded[];
}

export function compareReplay(
  before: ReplaySide,
  after: ReplaySide,
  diverged?: Divergence,
): ReplayComparison {
  const pairs = pairCalls(before.calls, after.calls);
  const calls = pairs.map((pair) => comparedCall(pair, diverged));
  const gate = pairs.flatMap(gateChange);
  const isSameAnswer = spaced(before.answer) === spaced(after.answer);
  const isSame =
    isSameAnswer &&
    gate.length === 0 &&
    before.outcome === after.outcome &&
    calls.every(({ change }) => change === "same");
  const both = <Key extends keyof ReplaySide>(key: Key): BeforeAfter<ReplaySide[Key]> => ({
    before: before[key],
    after: after[key],
  });
  return {
    verdict: diverged ? "diverged" : isSame ? "same" : "changed",
    calls,
    gate,
    answer: {
      ...both("answer"),
      isSame: isSameAnswer,
      lines: diverged || isSameAnswer ? [] : lineDiff(before.answer, after.answer),
    },
    outcome: both("outcome"),
    tokens: both("tokens"),
    costUsd: both("costUsd"),
    modelMs: both("modelMs"),
    ...(diverged && { diverged }),
  };
}

/** A trailing line end is no other answer. */
const spaced = (text: string): string => text.trim().replace(/\s+/g, " ");

interface Pair {
  readonly change: Exclude<CallChange, "not_reached">;
  readonly before?: ReplayCall;
  readonly after?: ReplayCall;
}

/** In the order of the replay; missing calls keep their recorded position. */
function pairCalls(before: readonly ReplayCall[], after: readonly ReplayCall[]): Pair[] {
  const left = inOrder(before);
  const right = inOrder(after);
  const keys = (calls: readonly ReplayCall[]) => calls.map(keyOf).join("\n"); // a key is JSON: it has no line end
  const slots = lineDiff(keys(left), keys(right)).map(({ op }): Slot => {
    if (op === "removed") return { before: left.shift() };
    if (op === "added") return { after: right.shift() };
    return { before: left.shift(), after: right.shift() };
  });
  join(slots, "other_order", (a, b) => keyOf(a) === keyOf(b));
  join(slots, "other_arguments", (a, b) => a.tool === b.tool && similarity(a.input, b.input) > 0);
  join(slots, "other_arguments", (a, b) => a.tool === b.tool);
  return slots.flatMap((slot): Pair[] => {
    const { before: was, after: is } = slot;
    if (was && is) return [{ change: changeOf(slot, slots), before: was, after: is }];
    if (was) return [{ change: "missing", before: was }];
    return is ? [{ change: "new", after: is }] : [];
  });
}

/** Calls that were made at once and now come one after the other, or the reverse, are in no other order. */
function changeOf({ change, before, after }: Slot, slots: readonly Slot[]): Pair["change"] {
  if (change !== "other_order") return change ?? "same";
  const isTurnedRound = (other: Slot) =>
    ((before?.turn ?? 0) - (other.before?.turn ?? 0)) * ((after?.turn ?? 0) - (other.after?.turn ?? 0)) < 0;
  return slots.some((other) => other.before && other.after && isTurnedRound(other)) ? change : "same";
}

interface Slot {
  before?: ReplayCall | undefined;
  after?: ReplayCall | undefined;
  change?: "other_order" | "other_arguments";
}

/** Moves a recorded call without a counterpart to the replayed call that takes its place. */
function join(
  slots: Slot[],
  change: NonNullable<Slot["change"]>,
  belong: (before: ReplayCall, after: ReplayCall) => boolean,
): void {
  for (const slot of slots) {
    const { after } = slot;
    if (!after || slot.before) continue;
    const other = slots.find(({ before, after: taken }) => before && !taken && belong(before, after));
    if (!other) continue;
    slot.before = other.before;
    slot.change = change;
    other.before = undefined;
  }
}

/** Calls of one answer are made at once: their order among themselves means nothing. */
const inOrder = (calls: readonly ReplayCall[]): ReplayCall[] =>
  [...calls].sort((a, b) => a.turn - b.turn || (keyOf(a) < keyOf(b) ? -1 : 1));

const keyOf = ({ tool, input }: ReplayCall): string => normalisedKey(tool, input);

function comparedCall({ change, before, after }: Pair, diverged: Divergence | undefined): ComparedCall {
  const isBeyond = change === "missing" && diverged !== undefined && (before?.turn ?? 0) >= diverged.turn;
  return {
    change: isBeyond ? "not_reached" : change,
    tool: after?.tool ?? before?.tool ?? "",
    turn: after?.turn ?? before?.turn ?? 0,
    ...(before && { callId: before.id, before: before.input }),
    ...(after && { after: after.input }),
    ...(after?.source && { source: after.source }),
  };
}

/** A new call that is simply allowed is already in `calls`. */
function gateChange({ before, after }: Pair): GateChange[] {
  if (!after || after.gate === (before?.gate ?? "allowed")) return [];
  const { tool, input, gate, why = "" } = after;
  return [{ tool, input, ...(before && { before: before.gate }), after: gate, why }];
}
