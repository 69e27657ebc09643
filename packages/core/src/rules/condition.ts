/**
 * Whether a rule's condition holds for a call. A missing or incomparable argument never favours the call: it matches
 * in `ask` and `deny` rules, but not in `allow` rules.
 */

import { normalisePath } from "../session-path.ts";
import type {
  ArgumentCondition,
  OftenCondition,
  RuleCall,
  RuleCondition,
  RuleEffect,
  RuleOperator,
  RuleValue,
} from "./rule.ts";
import { isWithin } from "./rule-time.ts";

/** `decision` numbers the current decision: values read from the call may be cached until the next one. */
export type Holds = (call: RuleCall, decision?: number) => boolean;
/** Compiles a CEL expression to a function; throws on an invalid one. */
export type CompileExpression = (text: string) => Holds;

/** Compiled once per rule, then evaluated for every call. Undefined: the two cannot be compared, such as a text and "above 5". */
type Compare = (value: RuleValue | undefined) => (actual: unknown) => boolean | undefined;

const listOf = (value: RuleValue | undefined): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const not =
  (compare: Compare): Compare =>
  (value) => {
    const compared = compare(value);
    return (actual) => {
      const holds = compared(actual);
      return holds === undefined ? undefined : !holds;
    };
  };

const number =
  (compare: (actual: number, value: number) => boolean): Compare =>
  (value) =>
  (actual) =>
    typeof actual === "number" && typeof value === "number" ? compare(actual, value) : undefined;

const text =
  (compare: (actual: string, value: string) => boolean): Compare =>
  (value) => {
    const values = listOf(value).map((each) => String(each).toLowerCase());
    return (actual) => {
      if (typeof actual !== "string") return undefined;
      const lower = lowered(actual);
      return values.some((each) => compare(lower, each));
    };
  };

// Many rules compare the same few texts in a row: each is lowercased once.
const MOST_LOWERED = 16;
const lowers = new Map<string, string>();
function lowered(text: string): string {
  const known = lowers.get(text);
  if (known !== undefined) return known;
  if (lowers.size >= MOST_LOWERED) lowers.clear();
  const lower = text.toLowerCase();
  lowers.set(text, lower);
  return lower;
}

/** `..` and unusual spellings are resolved, so that no path tricks its way into a folder or out of one. */
const isUnder: Compare = (value) => {
  const folders = listOf(value).flatMap((each) => normalOrNone(String(each)) ?? []);
  return (actual) => {
    const path = typeof actual === "string" ? normalOrNone(actual) : undefined;
    return path === undefined ? undefined : folders.some((folder) => isInside(path, folder));
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
const startsWith = text((actual, start) => actual.startsWith(start));
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
  starts_with: startsWith,
  not_starts_with: not(startsWith),
  ends_with: endsWith,
  not_ends_with: not(endsWith),
};

export function compileCondition(
  condition: RuleCondition,
  { id: ruleId, effect }: { readonly id: string; readonly effect: RuleEffect },
  compileExpression: CompileExpression,
): Holds {
  if ("arg" in condition) return argumentHolds(condition, effect);
  if ("seen" in condition) return ({ seen }) => seen.includes(condition.seen);
  if ("expr" in condition) return compileExpression(condition.expr);
  if ("time" in condition) return isWithin(condition.time);
  if ("often" in condition) return countHolds(condition.often, ruleId);
  return isOneOf(condition);
}

/** A count that was not looked up throws: then the rule denies. */
function countHolds({ op, calls }: OftenCondition, ruleId: string): Holds {
  return ({ counts }) => {
    const made = counts.get(ruleId);
    if (made === undefined) throw new Error("its calls were not counted");
    return op === "above" ? made >= calls : made < calls;
  };
}

type ListCondition = Exclude<
  RuleCondition,
  ArgumentCondition | { seen: unknown } | { expr: unknown } | { time: unknown } | { often: unknown }
>;

/** Conditions that need one matching value of a list. */
function isOneOf(condition: ListCondition): Holds {
  if ("path" in condition) return isAmong(condition.path, ({ path }) => [path]);
  if ("group" in condition) return isAmong(condition.group, ({ groups }) => groups);
  if ("connection" in condition) return isAmong(condition.connection, ({ connections }) => connections);
  if ("scope" in condition) return isAmong(condition.scope, ({ scopes }) => scopes);
  if ("not_group" in condition) {
    const holds = isAmong(condition.not_group, ({ groups }) => groups);
    return (call) => !holds(call);
  }
  const lower = listOf(condition.user).map((user) => String(user).toLowerCase());
  return isAmong(lower, ({ user }) => [user.toLowerCase()]);
}

function isAmong(named: string | readonly string[], actual: (call: RuleCall) => readonly string[]): Holds {
  const wanted = new Set<unknown>([named].flat());
  return (call) => actual(call).some((each) => wanted.has(each));
}

function argumentHolds({ arg, op, value }: ArgumentCondition, effect: RuleEffect): Holds {
  const path = arg.split(".");
  if (op === "exists") return ({ args }) => valuesAt(args, path).length > 0;
  if (op === "missing") return ({ args }) => valuesAt(args, path).length === 0;
  const compared = COMPARES[op](value);
  const isStrict = effect !== "allow";
  const holds = (actual: unknown): boolean => compared(actual) ?? isStrict;
  const [name = "", ...deeper] = path;
  return ({ args }) => {
    const plain = deeper.length === 0 ? plainField(args, name) : undefined;
    if (plain !== undefined) return holds(plain);
    const found = valuesOf(args, arg, path);
    if (found.length === 0) return isStrict;
    return isStrict ? found.some(holds) : found.every(holds);
  };
}

// Many rules use the same list of the same call: it is read once.
let read: { readonly args: unknown; readonly arg: string; readonly values: readonly unknown[] } | undefined;
/** Before each decision: the arguments of a call may have changed since the last one. */
export function forgetArguments(): void {
  read = undefined;
}
function valuesOf(args: unknown, arg: string, path: readonly string[]): readonly unknown[] {
  if (read === undefined || read.args !== args || read.arg !== arg || typeof args !== "object")
    read = { args, arg, values: valuesAt(args, path) };
  return read.values;
}

/** Every value at a path; a list on the way stands for all its items. */
function valuesAt(args: unknown, path: readonly string[]): readonly unknown[] {
  let found: readonly unknown[] = [args];
  for (const name of path) found = found.flatMap((value) => fieldOf(value, name));
  return found.filter((value) => value !== undefined && value !== null);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Most arguments are a plain top-level value, found without allocating a list. */
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
