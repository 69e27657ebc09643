/**
 * The results of a recorded run, handed out to the calls of its replay: exact match first, then normalised, then
 * nearest. Each result is used once: if the model makes a call twice that it made once in the recording, the second
 * is a new call. A result that was only near to a call still answers the call that it belongs to.
 */
import type { DataLabel } from "../data-flow/data-flow.ts";
import type { ToolOutput } from "../messages.ts";
import type { JsonValue } from "../schema.ts";
import { exactKey, normalisedKey, type ReplayCall, similarity } from "./replay-call.ts";

export interface RecordedCall extends ReplayCall {
  /** Missing when the run ended before the call had a result. */
  readonly output?: ToolOutput;
  /** The arguments it ran with, where the person who approved it changed them. */
  readonly edited?: JsonValue;
  /** What the conversation has read by this call beyond what its tool declares, as by another agent's calls. */
  readonly labels?: readonly DataLabel[];
}

export type MatchKind = "exact" | "normalised" | "nearest";

export interface Match {
  readonly kind: MatchKind;
  readonly call: RecordedCall;
}

export interface Recording {
  /** The recorded call that answers this one. */
  take(tool: string, input: JsonValue, how?: Matching): Match | undefined;
}

export interface Matching {
  readonly within?: readonly MatchKind[];
  /** Whether a person is asked about the call now: only then would they change its arguments as they did. */
  readonly isAsked?: boolean;
}

const NEAR_ENOUGH = 0.5; // half of the arguments agree; below that the result would answer another question

const EVERY_KIND: readonly MatchKind[] = ["exact", "normalised", "nearest"];

export function createRecording(calls: readonly RecordedCall[]): Recording {
  const left = new Set(calls);
  const leftAsNearest = new Set(calls);
  return {
    take(tool, input, { within = EVERY_KIND, isAsked = false } = {}) {
      const isSame = (keyOf: typeof exactKey) => (call: RecordedCall) =>
        call.tool === tool &&
        argumentsOf(call, isAsked).some((each) => keyOf(tool, each) === keyOf(tool, input));
      const find: Record<MatchKind, () => RecordedCall | undefined> = {
        exact: () => first(left, isSame(exactKey)),
        normalised: () => first(left, isSame(normalisedKey)),
        nearest: () => nearestOf(leftAsNearest, tool, input, isAsked),
      };
      for (const kind of within) {
        const call = find[kind]();
        if (!call) continue;
        leftAsNearest.delete(call);
        if (kind !== "nearest") left.delete(call);
        return { kind, call };
      }
      return undefined;
    },
  };
}

/** What the result belongs to; before that what the model asked for, if a person would change it again. */
const argumentsOf = ({ input, edited }: RecordedCall, isAsked: boolean): readonly JsonValue[] =>
  edited === undefined ? [input] : isAsked ? [input, edited] : [edited];

function first(
  calls: Iterable<RecordedCall>,
  isIt: (call: RecordedCall) => boolean,
): RecordedCall | undefined {
  for (const call of calls) if (isIt(call)) return call;
  return undefined;
}

function nearestOf(
  calls: Iterable<RecordedCall>,
  tool: string,
  input: JsonValue,
  isAsked: boolean,
): RecordedCall | undefined {
  let best: { readonly call: RecordedCall; readonly score: number } | undefined;
  for (const call of calls) {
    if (call.tool !== tool) continue;
    const score = Math.max(...argumentsOf(call, isAsked).map((each) => similarity(each, input)));
    if (score >= NEAR_ENOUGH && score > (best?.score ?? 0)) best = { call, score };
  }
  return best?.call;
}
