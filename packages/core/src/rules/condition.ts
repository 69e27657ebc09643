/** Whether a condition of a rule holds for a call. A missing argument never helps a call: it meets `ask` and `deny`, and not `allow`. */

import { normalisePath } from "../session-path.ts";
import type {
  ArgumentCondition,
  RuleCall,
  RuleCondition,
  RuleEffect,
  RuleOperator,
  RuleValue,
} from "./rule.ts";
import { isWithin } from "./rule-time.ts";

export type Holds = (call: RuleCall) => boolean;
/** Turns a CEL expression into a function; throws on one that is not understood. */
export type CompileExpression = (text: string) => Holds;

/** Made once for a rule, then asked for every call. */
type Compare = (value: RuleValue | undefined) => (actual: unknown) => boolean;

const listOf = (value: RuleValue | undefined): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const not =
  (compare: Compare): Compare =>
  (value) => {
    const holds = compare(value);
    return (actual) => !holds(actual);
  };

const number =
  (compare: (actual: number, value: number) => boolean): Compare =>
  (value) =>
  (actual) =>
    typeof actual === "number" && typeof value === "number" && compare(actual, value);

const text =
  (compare: (actual: string, value: string) => boolean): Compare =>
  (value) => {
    const values = listOf(value).map((each) => String(each).toLowerCase());
    return (actual) => {
      if (typeof actual !== "string") return false;
      const lower = actual.toLowerCase();
      return values.some((each) => compare(lower, each));
    };
  };

/** `..` and unusual spellings are under nothing, so a path cannot trick its way into a folder. */
const isUnder: Compare = (value) => {
  const folders = listOf(value).flatMap((each) => normalOrNone(String(each)) ?? []);
  return (actual) => {
    const path = typeof actual === "string" ? normalOrNone(actual) : undefined;
    return path !== undefined && folders.some((folder) => isInside(path, folder));
  };
};

const isInside = (path: string, folder: string): boolean =>
  folder === "/" || path === folder || (path.startsWith(folder) && path[folder.length] === "/");

// A call's path is compared with many folders one after the other: it is normalised once.
let last: { readonly text: string; readonly path: string | undefined } | undefined;
function normalOrNone(path: string): string | undefined {
  if (last?.text === path) return last.path;
  const normal = normalisePath(path);
  last = { text: path, path: normal.ok ? normal.value : undefined };
  return last.path;
}

const isIn: Compare = (value) => {
  const values = new Set(listOf(value));
  return (actual) => values.has(actual);
};
const hasPart = text((actual, part) => actual.includes(part));
const endsWith = text((actual, end) => actual.endsWith(end));

const COMPARES: Readonly<Record<Exclude<RuleOperator, "exists" | "missing">, Compare>> = {
  is: isIn,
  is_not: not(isIn),
  in: isIn,
  not_in: not(isIn),
  above: number((actual, value) => actual > value),
  below: number((actual, value) => actual < value),
  at_least: number((actual, value) => actual >= value),
  at_most: number((actual, value) => actual <= value),
  under: isUnder,
  not_under: not(isUnder),
  contains: hasPart,
  not_contains: not(hasPart),
  starts_with: text((actual, start) => actual.startsWith(start)),
  ends_with: endsWith,
  not_ends_with: not(endsWith),
};

export function compileCondition(
  condition: RuleCondition,
  effect: RuleEffect,
  compileExpression: CompileExpression,
): Holds {
  if ("arg" in condition) return argumentHolds(condition, effect);
  if ("seen" in condition) return ({ seen }) => seen.includes(condition.seen);
  if ("expr" in condition) return compileExpression(condition.expr);
  if ("time" in condition) return isWithin(condition.time);
  if ("path" in condition) {
    const paths = new Set<unknown>(listOf(condition.path));
    return ({ path }) => paths.has(path);
  }
  const users = new Set(listOf(condition.user).map((user) => String(user).toLowerCase()));
  return ({ user }) => users.has(user.toLowerCase());
}

function argumentHolds({ arg, op, value }: ArgumentCondition, effect: RuleEffect): Holds {
  const path = arg.split(".");
  if (op === "exists") return ({ args }) => valuesAt(args, path).length > 0;
  if (op === "missing") return ({ args }) => valuesAt(args, path).length === 0;
  const holds = COMPARES[op](value);
  const [name = "", ...deeper] = path;
  return ({ args }) => {
    const plain = deeper.length === 0 ? plainField(args, name) : undefined;
    if (plain !== undefined) return holds(plain);
    const found = valuesAt(args, path);
    if (found.length === 0) return effect !== "allow";
    return effect === "allow" ? found.every(holds) : found.some(holds);
  };
}

/** Every value at a path; lists on the way stand for all their items. */
function valuesAt(args: unknown, path: readonly string[]): readonly unknown[] {
  let found: readonly unknown[] = [args];
  for (const name of path) found = found.flatMap((value) => fieldOf(value, name));
  return found.filter((value) => value !== undefined && value !== null);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Most arguments are one plain value at the top: found without making a list. */
function plainField(args: unknown, name: string): string | number | boolean | undefined {
  const value = isRecord(args) && Object.hasOwn(args, name) ? args[name] : undefined;
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? value : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.flatMap((each) => fieldOf(each, name));
  if (!isRecord(value) || !Object.hasOwn(value, name)) return [];
  return value[name]; // a list is flattened by the caller
}
