/** A tool call in a replay, recorded or repeated, and when two calls count as the same. */
import { orderedJson } from "../ordered-json.ts";
import type { JsonValue } from "../schema.ts";

/** What the gate said of a call. `asked`: a person had to approve it. */
export const GATE_ANSWERS = ["allowed", "asked", "denied"] as const;
export type GateAnswer = (typeof GATE_ANSWERS)[number];

/**
 * Where the result of a replayed call came from. The first three are the recording's; `computed`: the call touches nothing
 * outside the conversation; `refused`: the gate refused it; `none`: nothing answered it, and the replay ended there.
 */
export const RESULT_SOURCES = [
  "exact",
  "normalised",
  "nearest",
  "live",
  "stand_in",
  "computed",
  "refused",
  "none",
] as const;
export type ResultSource = (typeof RESULT_SOURCES)[number];

export interface ReplayCall {
  readonly id: string;
  /** Which answer of the model made it, from 0. */
  readonly turn: number;
  readonly tool: string;
  readonly input: JsonValue;
  readonly gate: GateAnswer;
  /** Why the gate asked or refused. */
  readonly why?: string;
  /** Only of replayed calls. */
  readonly source?: ResultSource;
}

/** The same text for calls with the same arguments, byte for byte apart from the order of keys. */
export const exactKey = (tool: string, input: JsonValue): string => `${tool} ${orderedJson(input)}`;

/** The same text for calls that differ only in spelling: spaces, letter case, empty fields, numbers written as text. */
export const normalisedKey = (tool: string, input: JsonValue): string =>
  `${tool} ${orderedJson(normalised(input))}`;

function normalised(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.trim().replace(/\s+/g, " ").toLowerCase();
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(normalised);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([name, field]) => [name, normalised(field)] as const);
  return Object.fromEntries(fields.filter(([, field]) => !isEmpty(field)));
}

const isEmpty = (value: JsonValue): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value as object).length === 0);

/** From 0 to 1: how much of two calls' arguments agrees, field by field. */
export function similarity(left: JsonValue, right: JsonValue): number {
  const a = fieldsOf(normalised(left));
  const b = fieldsOf(normalised(right));
  const paths = new Set([...a.keys(), ...b.keys()]);
  if (paths.size === 0) return 1;
  let sum = 0;
  for (const path of paths) sum += textSimilarity(a.get(path), b.get(path));
  return sum / paths.size;
}

const MOST_FIELDS = 1000; // of one call; later ones are not compared

function fieldsOf(value: JsonValue, path = "", fields = new Map<string, string>()): Map<string, string> {
  if (fields.size >= MOST_FIELDS) return fields;
  if (value === null || typeof value !== "object") return fields.set(path, String(value));
  for (const [name, field] of Object.entries(value)) fieldsOf(field, `${path}/${name}`, fields);
  return fields;
}

const LONGEST_COMPARED = 5_000; // characters of one field

/** Texts with different numbers in them name different things, however similar they look: order-17 is not order-18. */
function textSimilarity(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return 0;
  if (a === b) return 1;
  if (numbersIn(a) !== numbersIn(b)) return 0;
  const [left, right] = [pairsOf(a), pairsOf(b)];
  let common = 0;
  for (const [pair, count] of left) common += Math.min(count, right.get(pair) ?? 0);
  const total = sizeOf(left) + sizeOf(right);
  return total === 0 ? 0 : (2 * common) / total;
}

const numbersIn = (text: string): string => (text.match(/\d+/g) ?? []).join(" ");

/** Neighbouring letters, with how often each pair occurs. */
function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const end = Math.min(text.length, LONGEST_COMPARED) - 1;
  for (let at = 0; at < end; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

const sizeOf = (pairs: ReadonlyMap<string, number>): number =>
  [...pairs.values()].reduce((sum, count) => sum + count, 0);
