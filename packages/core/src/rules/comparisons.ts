/**
 * The operators of rules. Two values that cannot be compared (a text and "above 5", a path with `..`, a text that may be read in
 * another way than it is written) give undefined, which matches rules that ask or deny, and none that allows.
 */
import {
  addressesIn,
  isUnclearPath,
  namesOf,
  normalOrNone,
  plain,
  plainLetters,
  readingsOf,
  readPath,
  spellingsOfValue,
} from "./readings.ts";
import type { RuleOperator, RuleValue } from "./rule.ts";

/** Compiled once per rule, then evaluated for every call. */
type Compare = (value: RuleValue | undefined) => (actual: unknown) => boolean | undefined;

export const listOf = (value: RuleValue | undefined): readonly unknown[] =>
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

/** The answer that all agree on. */
function agreed<T>(items: readonly T[], holds: (item: T) => boolean): boolean | undefined {
  const first = items[0];
  if (first === undefined) return undefined;
  const answer = holds(first);
  return items.every((each) => holds(each) === answer) ? answer : undefined;
}

/** A folder, a file or the end of a file's name, as a rule's value. */
const isPathValue = (value: unknown): boolean => typeof value === "string" && /^[/.]\w/.test(value);

type CompareText = (actual: string, value: string) => boolean;

const text =
  (compare: CompareText): Compare =>
  (value) => {
    const values = listOf(value).flatMap((each) => spellingsOfValue(String(each).toLowerCase()));
    const plainValues = values.map(plainLetters);
    const isForPaths = values.some(isPathValue);
    return (actual) => {
      if (typeof actual !== "string" || (isForPaths && isUnclearPath(actual))) return undefined;
      const { lower, others } = readingsOf(actual);
      const holds = values.some((each) => compare(lower, each));
      const isSure =
        others.length === 0 ||
        others.every((other) => plainValues.some((each) => compare(other, each)) === holds);
      return isSure ? holds : undefined;
    };
  };

const MAIL = /^[^\s@]*@[^\s@]+\.[^\s@]+$/;
const namesMail = (value: RuleValue | undefined): boolean =>
  listOf(value).some((each) => typeof each === "string" && MAIL.test(each));

/** Compared with "@example.com", a text is a list of mail addresses. */
const endsWith: Compare = (value) => {
  const plainly = text((actual, end) => actual.endsWith(end));
  if (!namesMail(value)) return plainly(value);
  const ends = listOf(value).map((each) => plain(String(each)));
  return (actual) => {
    const addresses = typeof actual === "string" ? addressesIn(actual) : undefined;
    return addresses && agreed(addresses, (address) => ends.some((end) => address.endsWith(end)));
  };
};

const HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/;

/** A host as value must end there: `https://example.com` is not sure to be the start of `https://example.com.evil.example`. */
const startsWith = text((actual, start) => actual.startsWith(start));
const startsWithHost: Compare = (value) => {
  const compared = startsWith(value);
  const hosts = listOf(value).flatMap((each) => {
    const lower = String(each).toLowerCase();
    return HOST.test(lower) ? [lower] : [];
  });
  if (hosts.length === 0) return compared;
  const goesOn = (lower: string) =>
    hosts.some((host) => lower.startsWith(host) && !["", "/", "?", "#"].includes(lower.charAt(host.length)));
  return (actual) =>
    typeof actual === "string" && goesOn(readingsOf(actual).lower) ? undefined : compared(actual);
};

/** Exactly one of these. What is one of them only by another spelling or type cannot be compared. */
const isIn: Compare = (value) => {
  const values = new Set(listOf(value));
  const names = new Set(listOf(value).flatMap(allNames));
  const isMail = namesMail(value);
  const isForPaths = listOf(value).some(isPathValue);
  const isNearly = (actual: unknown): boolean => {
    if (typeof actual === "object" || actual === undefined) return true;
    if (typeof actual !== "string") return names.has(String(actual));
    if (isForPaths && isUnclearPath(actual)) return true;
    const read = isMail ? addressesIn(actual) : namesOf(actual);
    return read === undefined || read.some((each) => names.has(each));
  };
  return (actual) => values.has(actual) || (isNearly(actual) ? undefined : false);
};

const allNames = (value: unknown): readonly string[] =>
  typeof value === "string" ? namesOf(value) : [String(value)];

/** Where `..`, `~`, an address or an unusual spelling leads is unknown, so no path tricks its way into a folder or out of one. */
const isUnder: Compare = (value) => {
  const folders = listOf(value).flatMap((each) => normalOrNone(String(each)) ?? []);
  const plainFolders = folders.map(plain);
  return (actual) => {
    const path = typeof actual === "string" ? readPath(actual) : undefined;
    if (path === undefined) return undefined;
    const holds = folders.some((folder) => isInside(path.written, folder));
    return plainFolders.some((folder) => isInside(path.plain, folder)) === holds ? holds : undefined;
  };
};

const isInside = (path: string, folder: string): boolean =>
  folder === "/" || path === folder || (path.startsWith(folder) && path[folder.length] === "/");

const contains = text((actual, part) => actual.includes(part));

export const COMPARES: Readonly<Record<Exclude<RuleOperator, "exists" | "missing">, Compare>> = {
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
  contains,
  not_contains: not(contains),
  starts_with: startsWithHost,
  not_starts_with: not(startsWithHost),
  ends_with: endsWith,
  not_ends_with: not(endsWith),
};
