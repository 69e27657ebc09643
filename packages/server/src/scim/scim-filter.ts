/** SCIM's filters (RFC 7644, section 3.4.2.2), read completely: unsupported syntax is refused, never ignored. */
import { pathParts } from "./scim-attributes.ts";

const OPERATORS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
type Operator = (typeof OPERATORS)[number];
type Value = string | number | boolean | null;

export type Filter =
  | { readonly kind: "and" | "or"; readonly left: Filter; readonly right: Filter }
  | { readonly kind: "not"; readonly of: Filter }
  | {
      readonly kind: "compare";
      readonly path: readonly string[];
      readonly operator: Operator;
      readonly value: Value;
    }
  | { readonly kind: "present"; readonly path: readonly string[] }
  /** `emails[type eq "work"]` */
  | { readonly kind: "some"; readonly path: readonly string[]; readonly of: Filter };

const MOST_CHARS = 4000;
const MOST_DEPTH = 20;
const TOKEN = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/gy;

export function parseFilter(text: string): Filter | undefined {
  const tokens = text.length > MOST_CHARS ? undefined : tokensOf(text);
  if (tokens === undefined) return undefined;
  const reader = new Reader(tokens);
  const filter = reader.either(0);
  return reader.isAtEnd ? filter : undefined;
}

function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  let at = 0;
  for (const found of text.matchAll(TOKEN)) {
    tokens.push(found[1] ?? found[2] ?? found[3] ?? "");
    at = found.index + found[0].length;
  }
  return text.slice(at).trim() === "" ? tokens : undefined;
}

/** Each method returns undefined where the text is not a filter; then the whole filter is invalid. */
class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  either(depth: number): Filter | undefined {
    return this.#joined("or", () => this.#both(depth));
  }

  #both(depth: number): Filter | undefined {
    return this.#joined("and", () => this.#one(depth));
  }

  #joined(kind: "and" | "or", next: () => Filter | undefined): Filter | undefined {
    let left = next();
    while (left !== undefined && this.#takes(kind)) {
      const right = next();
      left = right && { kind, left, right };
    }
    return left;
  }

  #one(depth: number): Filter | undefined {
    if (depth > MOST_DEPTH) return undefined;
    if (this.#takes("not")) {
      const of = this.#takes("(") ? this.#closed(depth, ")") : undefined;
      return of && { kind: "not", of };
    }
    if (this.#takes("(")) return this.#closed(depth, ")");
    const path = pathOf(this.#next());
    if (path === undefined) return undefined;
    if (this.#takes("[")) {
      const of = this.#closed(depth, "]");
      return of && { kind: "some", path, of };
    }
    if (this.#takes("pr")) return { kind: "present", path };
    const operator = this.#next()?.toLowerCase();
    const value = literalOf(this.#next());
    const known = OPERATORS.find((each) => each === operator);
    return known === undefined || value === undefined
      ? undefined
      : { kind: "compare", path, operator: known, value };
  }

  #closed(depth: number, end: string): Filter | undefined {
    const inside = this.either(depth + 1);
    return this.#takes(end) ? inside : undefined;
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#at]?.toLowerCase() !== word) return false;
    this.#at++;
    return true;
  }

  #next(): string | undefined {
    return this.#tokens[this.#at++];
  }
}

const NAME = /^[a-z$][\w$-]*$/i;

function pathOf(token: string | undefined): string[] | undefined {
  if (token === undefined) return undefined;
  const parts = pathParts(token);
  return parts.every((part) => NAME.test(part) || part.startsWith("urn:")) ? parts : undefined;
}

function literalOf(token: string | undefined): Value | undefined {
  if (token === undefined) return undefined;
  if (/^true$/i.test(token)) return true;
  if (/^false$/i.test(token)) return false;
  if (token === "null") return null;
  if (!token.startsWith('"')) return /^-?\d+(\.\d+)?$/.test(token) ? Number(token) : undefined;
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

type Json = Readonly<Record<string, unknown>>;

export function matches(filter: Filter, resource: Json): boolean {
  switch (filter.kind) {
    case "and":
      return matches(filter.left, resource) && matches(filter.right, resource);
    case "or":
      return matches(filter.left, resource) || matches(filter.right, resource);
    case "not":
      return !matches(filter.of, resource);
    case "present":
      return valuesAt(resource, filter.path).some((value) => value !== null && value !== "");
    case "some":
      return valuesAt(resource, filter.path).some((value) => isObject(value) && matches(filter.of, value));
    case "compare":
      return compares(filter, resource);
  }
}

function compares({ path, operator, value }: Extract<Filter, { kind: "compare" }>, resource: Json): boolean {
  const found = valuesAt(resource, path).map((each) => (isObject(each) ? entryOf(each, "value") : each));
  if (operator === "ne") return !found.some((each) => COMPARE.eq(each, value, isExact(path)));
  if (found.length === 0) return operator === "eq" && value === null;
  return found.some((each) => COMPARE[operator](each, value, isExact(path)));
}

const isExact = (path: readonly string[]): boolean => /^(id|externalid)$/i.test(path.join("."));

type Compare = (found: unknown, wanted: Value, isExact: boolean) => boolean;

const onTexts =
  (test: (found: string, wanted: string) => boolean): Compare =>
  (found, wanted, exact) => {
    if (typeof found !== "string" || typeof wanted !== "string") return false;
    return exact ? test(found, wanted) : test(found.toLowerCase(), wanted.toLowerCase());
  };

const COMPARE: Readonly<Record<Exclude<Operator, "ne">, Compare>> = {
  eq: (found, wanted, exact) =>
    typeof wanted === "string" && typeof found === "string"
      ? onTexts((a, b) => a === b)(found, wanted, exact)
      : found === wanted || (typeof found === "boolean" && String(found) === String(wanted).toLowerCase()), // Entra writes "True"
  co: onTexts((a, b) => a.includes(b)),
  sw: onTexts((a, b) => a.startsWith(b)),
  ew: onTexts((a, b) => a.endsWith(b)),
  gt: onTexts((a, b) => a > b),
  ge: onTexts((a, b) => a >= b),
  lt: onTexts((a, b) => a < b),
  le: onTexts((a, b) => a <= b),
};

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, path));
  const [first, ...rest] = path;
  if (first === undefined) return value === undefined ? [] : [value];
  if (!isObject(value)) return [];
  const found = entryOf(value, first);
  return found === undefined ? [] : valuesAt(found, rest);
}

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const entryOf = (value: Json, name: string): unknown =>
  Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

/** What every match has, so that the database can look it up. */
export function requiredTexts(filter: Filter): Readonly<Record<string, string>> {
  if (filter.kind === "and") return { ...requiredTexts(filter.left), ...requiredTexts(filter.right) };
  if (filter.kind !== "compare" || filter.operator !== "eq" || typeof filter.value !== "string") return {};
  return filter.path.length === 1 ? { [String(filter.path[0]).toLowerCase()]: filter.value } : {};
}
