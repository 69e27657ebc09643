/**
 * The results of a recorded run, handed out to the calls of its replay: exact match first, then normalised, then
 * nearest. Each result is used once: if the model makes a call twice that it made once in the recording, the second
 * is a new call.
 */
import type { ToolOutput } from "../messages.ts";
import type { JsonValue } from "../schema.ts";
import { exactKey, normalisedKey, type ReplayCall, similarity } from "./replay-call.ts";

export interface RecordedCall extends ReplayCall {
  /** Missing when the run ended before the call had a result. */
  readonly output?: ToolOutput;
}

export type MatchKind = "exact" | "normalised" | "nearest";

export interface Match {
  readonly kind: MatchKind;
  readonly call: RecordedCall;
}

export interface Recording {
  /** The recorded call that answers this one; it answers no other. */
  take(tool: string, input: JsonValue, within?: readonly MatchKind[]): Match | undefined;
}

const NEAR_ENOUGH = 0.5; // half of the arguments agree; below that the result would answer another question

export function createRecording(calls: readonly RecordedCall[]): Recording {
  const left = new Set(calls);
  const find: Record<MatchKind, (tool: string, input: JsonValue) => RecordedCall | undefined> = {
    exact: (tool, input) => first(left, (call) => exactKey(call.tool, call.input) === exactKey(tool, input)),
    normalised: (tool, input) =>
      first(left, (call) => normalisedKey(call.tool, call.input) === normalisedKey(tool, input)),
    nearest: (tool, input) => nearestOf(left, tool, input),
  };
  return {
    take(tool, input, within = ["exact", "normalised", "nearest"]) {
      for (const kind of within) {
        const call = find[kind](tool, input);
        if (!call) continue;
        left.delete(call);
        return { kind, call };
      }
      return undefined;
    },
  };
}

function first(
  calls: Iterable<RecordedCall>,
  isIt: (call: RecordedCall) => boolean,
): RecordedCall | undefined {
  for (const call of calls) if (isIt(call)) return call;
  return undefined;
}

function nearestOf(calls: Iterable<RecordedCall>, tool: string, input: JsonValue): RecordedCall | undefined {
  let best: { readonly call: RecordedCall; readonly score: number } | undefined;
  for (const call of calls) {
    if (call.tool !== tool) continue;
    const score = similarity(call.input, input);
    if (score >= NEAR_ENOUGH && score > (best?.score ?? 0)) best = { call, score };
  }
  return best?.call;
}
