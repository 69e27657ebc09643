/**
 * Whether a rule's condition holds for a call. A missing or incomparable argument never favours the call: it matches
 * in `ask` and `deny` rules, but not in `allow` rules.
 */

import { COMPARES, listOf } from "./comparisons.ts";
import type { ArgumentCondition, OftenCondition, RuleCall, RuleCondition, RuleEffect } from "./rule.ts";
import { isWithin } from "./rule-time.ts";

/** `decision` numbers the current decision: values read from the call may be cached until the next one. */
export type Holds = (call: RuleCall, decision?: number) => boolean;
/** A field of a call's arguments that an expression reads, or only asks for with `has`. */
export interface ExpressionField {
  readonly path: readonly string[];
  readonly isAsked: boolean;
}
export type CompiledExpression = Holds & { readonly fields?: readonly ExpressionField[] };
/** Compiles a CEL expression to a function; throws on an invalid one. */
export type CompileExpression = (text: string) => CompiledExpression;

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
  const isStrict = effect !== "allow";
  if (op === "exists" || op === "missing") return presence(path, { isGiven: op === "exists", isStrict });
  const compared = COMPARES[op](value);
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

/** As for other operators: rules that ask or deny need one item of a list, rules that allow need all. */
function presence(
  path: readonly string[],
  { isGiven, isStrict }: { readonly isGiven: boolean; readonly isStrict: boolean },
): Holds {
  const fits = (value: unknown): boolean => (value !== undefined) === isGiven;
  return ({ args }) => {
    const values = valuesAt(args, path);
    if (values.length === 0) return !isGiven;
    return isStrict ? values.some(fits) : values.every(fits);
  };
}

/** Every value at a path; a list on the way stands for all its items, and an item without the field for `undefined`. */
function valuesAt(args: unknown, path: readonly string[]): readonly unknown[] {
  let found: readonly unknown[] = [args];
  for (const name of path) found = found.flatMap((value) => fieldOf(value, name));
  return found.flat(Number.POSITIVE_INFINITY).map((value) => value ?? undefined);
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
  if (!isRecord(value) || !Object.hasOwn(value, name)) return [undefined];
  return value[name]; // a list is flattened by the caller
}
