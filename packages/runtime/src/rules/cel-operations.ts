/** CEL's operators and functions on plain values. Anything else is left to the library. */
import { UNSURE } from "./unsure.ts";

type Value = () => unknown;
type Constants = readonly ({ readonly value: unknown } | undefined)[];
type Operator = (values: readonly Value[], constants: Constants) => Value | undefined;

/** The type checker guarantees that `values` has one entry per operand. */
const unary =
  (apply: (value: unknown) => unknown): Operator =>
  ([value]) =>
    value && (() => apply(value()));

const binary =
  (apply: (left: unknown, right: unknown) => unknown): Operator =>
  ([left, right]) =>
    left && right && (() => apply(left(), right()));

const NUMBERS: ReadonlySet<string> = new Set(["number", "bigint"]);

/** Numbers compare by value, whatever their type; other types are never equal. */
function isEqual(left: unknown, right: unknown): boolean {
  const [is, other] = [typeof left, typeof right];
  if ((is === "object" && left !== null) || (other === "object" && right !== null)) throw UNSURE;
  if (is === "undefined" || other === "undefined") throw UNSURE;
  // biome-ignore lint/suspicious/noDoubleEquals: of a bigint and a number
  return NUMBERS.has(is) && NUMBERS.has(other) ? left == right : left === right;
}

type Compare<T> = (left: T, right: T) => boolean;

/** The same comparison three times: a function that sees a single type is several times faster. */
interface Order {
  readonly numbers: Compare<number>;
  readonly integers: Compare<bigint>;
  readonly others: Compare<string | number | bigint>;
}

const order =
  ({ numbers, integers, others }: Order): Operator =>
  ([left, right], constants) => {
    if (!left || !right) return undefined;
    const bound = constants[1]?.value;
    const [number, integer] = [numberOf(bound), typeof bound === "bigint" ? bound : undefined];
    return () => {
      const value = left();
      if (number !== undefined && typeof value === "number") return numbers(value, number);
      if (integer !== undefined && typeof value === "bigint") return integers(value, integer);
      return compareAny(value, right(), others);
    };
  };

function compareAny(left: unknown, right: unknown, compare: Order["others"]): boolean {
  if (typeof left === "string" && typeof right === "string") return compare(left, right);
  if (isNumber(left) && isNumber(right)) return compare(left, right);
  throw UNSURE;
}

const isNumber = (value: unknown): value is number | bigint => NUMBERS.has(typeof value);

/** A whole number as a number, where that is exact: comparing a number with a bigint is slow. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "bigint") return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

const equality =
  (isWanted: boolean): Operator =>
  ([left, right], constants) => {
    if (!left || !right) return undefined;
    const wanted = constants[1]?.value;
    const exact = typeof wanted === "string" ? wanted : numberOf(wanted);
    const type = typeof exact;
    return () => {
      const value = left();
      if (exact !== undefined && typeof value === type) return (value === exact) === isWanted;
      return isEqual(value, right()) === isWanted;
    };
  };

const MOST_INTEGER = 2n ** 63n - 1n;

/** Whole numbers are bigints, others numbers; the two do not mix. */
const arithmetic = (
  ofNumbers: ((left: number, right: number) => number) | undefined,
  ofIntegers: (left: bigint, right: bigint) => bigint,
): Operator =>
  binary((left, right) => {
    if (ofNumbers && typeof left === "number" && typeof right === "number") return ofNumbers(left, right);
    if (typeof left !== "bigint" || typeof right !== "bigint") throw UNSURE;
    return inRange(ofIntegers(left, right));
  });

function inRange(integer: bigint): bigint {
  if (integer > MOST_INTEGER || integer < -MOST_INTEGER) throw UNSURE;
  return integer;
}

function divisor(value: bigint): bigint {
  if (value === 0n) throw UNSURE;
  return value;
}

function plus(left: unknown, right: unknown): unknown {
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (typeof left !== "bigint" || typeof right !== "bigint") throw UNSURE;
  return inRange(left + right);
}

function booleanOf(value: unknown): boolean {
  if (typeof value !== "boolean") throw UNSURE;
  return value;
}

/** A list in the rule is a set. Of the call's own values only texts are looked up here. */
const membership: Operator = ([left, right]) => {
  if (!left || !right) return undefined;
  const named = constantSet(right);
  return () => {
    const value = left();
    if (named && typeof value === named.type) return named.values.has(value);
    return typeof value === "string" ? isWithin(value, right()) : unsure();
  };
};

function isWithin(text: string, place: unknown): boolean {
  if (!Array.isArray(place)) return plainField(knownWithin(place), text, true) !== undefined;
  if (place.length > 0 && typeof place[0] !== "string") throw UNSURE;
  return place.includes(text);
}

function unsure(): never {
  throw UNSURE;
}

function constantSet(
  value: Value,
): { readonly type: string; readonly values: ReadonlySet<unknown> } | undefined {
  const list = "constant" in value ? (value.constant as { value: unknown }).value : undefined;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const values = list.map((each) => (typeof each === "string" ? each : numberOf(each)));
  const type = typeof values[0];
  return values.every((each) => each !== undefined && typeof each === type)
    ? { type, values: new Set(values) }
    : undefined;
}

export const OPERATORS: Readonly<Record<string, Operator>> = {
  "&&": binaryLazy((left, right) => booleanOf(left()) && booleanOf(right())),
  "||": binaryLazy((left, right) => booleanOf(left()) || booleanOf(right())),
  "?:": ([condition, yes, no]) => condition && yes && no && (() => (booleanOf(condition()) ? yes() : no())),
  "!_": unary((value) => !booleanOf(value)),
  "-_": unary((value) => (isNumber(value) ? -value : unsure())),
  "==": equality(true),
  "!=": equality(false),
  "<": order({
    numbers: (left, right) => left < right,
    integers: (left, right) => left < right,
    others: (left, right) => left < right,
  }),
  "<=": order({
    numbers: (left, right) => left <= right,
    integers: (left, right) => left <= right,
    others: (left, right) => left <= right,
  }),
  ">": order({
    numbers: (left, right) => left > right,
    integers: (left, right) => left > right,
    others: (left, right) => left > right,
  }),
  ">=": order({
    numbers: (left, right) => left >= right,
    integers: (left, right) => left >= right,
    others: (left, right) => left >= right,
  }),
  "-": arithmetic(
    (left, right) => left - right,
    (left, right) => left - right,
  ),
  "*": arithmetic(
    (left, right) => left * right,
    (left, right) => left * right,
  ),
  "/": arithmetic(
    (left, right) => left / right,
    (left, right) => left / divisor(right),
  ),
  "%": arithmetic(undefined, (left, right) => left % divisor(right)),
  in: membership,
  "+": binary(plus),
};

function binaryLazy(apply: (left: Value, right: Value) => unknown): Operator {
  return ([left, right]) => left && right && (() => apply(left, right));
}

interface Method {
  /** Tests are cheap and seldom shared by rules; other results are cached for the decision. */
  readonly isTest?: boolean;
  readonly of: Operator;
}

const test = (holds: (text: string, part: string) => boolean): Method => ({
  isTest: true,
  of: ([text, part], constants) => {
    if (!text || !part) return undefined;
    const named = constants[0]?.value;
    if (typeof named === "string") return () => holds(textOf(text()), named);
    return () => holds(textOf(text()), textOf(part()));
  },
});

function textOf(value: unknown): string {
  if (typeof value !== "string") throw UNSURE;
  return value;
}

const textMethod = (apply: (text: string) => unknown): Method => ({
  of: ([value, more]) => (value && more === undefined ? () => apply(textOf(value())) : undefined),
});

/** Lists and texts; a text counts in code points. */
const size = unary((value) => {
  if (Array.isArray(value)) return BigInt(value.length);
  let count = 0n;
  for (const _ of textOf(value)) count += 1n;
  return count;
});

export const METHODS: Readonly<Record<string, Method>> = {
  startsWith: test((text, part) => text.startsWith(part)),
  endsWith: test((text, part) => text.endsWith(part)),
  contains: test((text, part) => text.includes(part)),
  lowerAscii: textMethod((text) => text.toLowerCase()),
  upperAscii: textMethod((text) => text.toUpperCase()),
  trim: textMethod((text) => text.trim()),
  size: { of: size },
};

export const FUNCTIONS: Readonly<Record<string, (values: readonly Value[]) => Value | undefined>> = {
  size: (values) => size(values, []),
};

/** A field of a plain object. A missing one is an error, except where it is asked for. */
export function plainField(of: unknown, name: string, mayBeMissing = false): unknown {
  if (!isObject(of)) throw UNSURE;
  const value = Object.hasOwn(of, name) ? of[name] : undefined;
  return value === undefined && mayBeMissing ? undefined : known(value);
}

/** A value of a JSON type; the library refuses others wherever it meets them. */
export function known(value: unknown): unknown {
  const isKnown =
    typeof value === "object"
      ? value === null || Array.isArray(value) || isObject(value)
      : value !== undefined && typeof value !== "function" && typeof value !== "symbol";
  if (!isKnown) throw UNSURE;
  return value;
}

/** The library checks the type of the first entry, recursively, before it looks for a key. */
function knownWithin(value: unknown): unknown {
  for (let first = known(value); isObject(first) || Array.isArray(first); )
    first = known(Object.values(first)[0] ?? null);
  return value;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  (value.constructor === Object || value.constructor === undefined);
