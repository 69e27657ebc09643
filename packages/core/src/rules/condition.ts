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

export type Holds = (call: RuleCall) => boolean;
/** Turns a CEL expression into a function; throws on one that is not understood. */
export type CompileExpression = (text: string) => Holds;

type Compare = (actual: unknown, value: RuleValue | undefined) => boolean;

const listOf = (value: RuleValue | undefined): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const number =
  (compare: (actual: number, value: number) => boolean): Compare =>
  (actual, value) =>
    typeof actual === "number" && typeof value === "number" && compare(actual, value);

const text =
  (compare: (actual: string, value: string) => boolean): Compare =>
  (actual, value) =>
    typeof actual === "string" && listOf(value).some((each) => compare(actual, String(each)));

/** `..` and unusual spellings are under nothing, so a path cannot trick its way into a folder. */
const isUnder: Compare = text((actual, folder) => {
  const path = normalisePath(actual);
  const above = normalisePath(folder);
  if (!path.ok || !above.ok) return false;
  return above.value === "/" || path.value === above.value || path.value.startsWith(`${above.value}/`);
});
const isIn: Compare = (actual, value) => listOf(value).some((each) => each === actual);
const hasPart: Compare = text((actual, part) => actual.toLowerCase().includes(part.toLowerCase()));
const endsWith: Compare = text((actual, end) => actual.toLowerCase().endsWith(end.toLowerCase()));

const COMPARES: Readonly<Record<Exclude<RuleOperator, "exists" | "missing">, Compare>> = {
  is: isIn,
  is_not: (actual, value) => !isIn(actual, value),
  in: isIn,
  not_in: (actual, value) => !isIn(actual, value),
  above: number((actual, value) => actual > value),
  below: number((actual, value) => actual < value),
  at_least: number((actual, value) => actual >= value),
  at_most: number((actual, value) => actual <= value),
  under: isUnder,
  not_under: (actual, value) => !isUnder(actual, value),
  contains: hasPart,
  not_contains: (actual, value) => !hasPart(actual, value),
  starts_with: text((actual, start) => actual.toLowerCase().startsWith(start.toLowerCase())),
  ends_with: endsWith,
  not_ends_with: (actual, value) => !endsWith(actual, value),
};

export function compileCondition(
  condition: RuleCondition,
  effect: RuleEffect,
  compileExpression: CompileExpression,
): Holds {
  if ("arg" in condition) return argumentHolds(condition, effect);
  if ("seen" in condition) return ({ seen }) => seen.includes(condition.seen);
  if ("expr" in condition) return compileExpression(condition.expr);
  const users = new Set(listOf(condition.user).map((user) => String(user).toLowerCase()));
  return ({ user }) => users.has(user.toLowerCase());
}

function argumentHolds({ arg, op, value }: ArgumentCondition, effect: RuleEffect): Holds {
  const path = arg.split(".");
  if (op === "exists") return ({ args }) => valuesAt(args, path).length > 0;
  if (op === "missing") return ({ args }) => valuesAt(args, path).length === 0;
  const compare = COMPARES[op];
  return ({ args }) => {
    const found = valuesAt(args, path);
    if (found.length === 0) return effect !== "allow";
    const holds = (actual: unknown) => compare(actual, value);
    return effect === "allow" ? found.every(holds) : found.some(holds);
  };
}

/** Every value at a path; lists on the way expand to all their items. */
function valuesAt(args: unknown, path: readonly string[]): unknown[] {
  let found: unknown[] = [args];
  for (const name of path)
    found = found
      .flatMap(items)
      .flatMap((value) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, name)
          ? [(value as Record<string, unknown>)[name]]
          : [],
      );
  return found.flatMap(items).filter((value) => value !== undefined && value !== null);
}

const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
