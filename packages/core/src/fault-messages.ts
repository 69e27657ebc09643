/**
 * Plain messages for zod issues. Pass `plainWords` to a parse: only then does an issue know its schema
 * and can suggest the field that was meant.
 */
import type { z } from "zod";
import { editDistance, nearest } from "./nearest.ts";

type RawIssue = z.core.$ZodRawIssue;

export const plainWords: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => sayings[issue.code]?.(issue),
};

/** Names of JSON types; zod's `record` and `nan` are not terms people know. */
const NOUNS: Readonly<Record<string, string>> = {
  record: "object",
  int: "integer",
  nan: "number",
  tuple: "array",
  set: "array",
  map: "object",
};
const noun = (type: string): string => NOUNS[type] ?? type;

const sayings: Readonly<Record<string, (issue: RawIssue) => string | undefined>> = {
  unrecognized_keys: ({ keys, inst }) =>
    (keys as readonly string[]).map((key) => unknownField(key, knownFields(inst))).join("; "),
  invalid_type: ({ expected, input }) =>
    input === undefined
      ? `missing, expected ${noun(String(expected))}`
      : `expected ${noun(String(expected))}, received ${kindOf(input)}`,
  invalid_value: ({ values, input }) => oneOf(values as readonly unknown[], input),
  invalid_union: ({ options, input, discriminator, inst }) =>
    options === undefined
      ? undefined
      : [
          oneOf(options as readonly unknown[], fieldValue(input, discriminator)),
          ...unknownToAll(variantsOf(inst), input),
        ].join("; "),
  /** A check of a schema that is not ours and says nothing. */
  custom: ({ input }) => (input === null ? "must not be null" : "is not valid"),
  invalid_format: ({ format, inst }) => {
    if (format !== "url") return FORMATS[String(format)];
    return "protocol" in definition(inst) ? "expected a URL with http: or https:" : "expected a URL";
  },
  too_small: ({ origin, minimum, inclusive }) =>
    Number(minimum) === 1 && origin === "string"
      ? "must not be empty"
      : bound(inclusive ? "at least" : "more than", Number(minimum), String(origin)),
  too_big: ({ origin, maximum, inclusive }) =>
    bound(inclusive ? "at most" : "less than", Number(maximum), String(origin)),
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "must be a UUID",
  email: "must be an e-mail address",
  datetime: "must be a date with a time, such as 2030-01-31T12:00:00Z",
};

const COUNTED: Readonly<Record<string, string>> = {
  string: "characters",
  array: "entries",
  record: "entries",
};

const bound = (how: string, limit: number, origin: string): string =>
  COUNTED[origin] ? `must have ${how} ${limit} ${COUNTED[origin]}` : `must be ${how} ${limit}`;

export function unknownField(field: string, known: readonly string[]): string {
  const same = known.find((name) => folded(name) === folded(field));
  if (same !== undefined) return `unknown field "${field}", use "${same}"`;
  const near = nearest(field, known);
  if (near.length > 0) return `unknown field "${field}", did you mean ${quoted(near, " or ")}?`;
  return known.length > 0
    ? `unknown field "${field}", allowed: ${quoted(known, ", ")}`
    : `unknown field "${field}", none is expected`;
}

/** Shorter names are an edit or two away from words that others use, such as `mode`. */
const SHORTEST_MISSPELT = 6;

/**
 * In an object that others may add to: one of our names in another spelling, such as `on_disconnect` or `ephemerl`,
 * as a sentence. Ignoring it would be unsafe.
 */
export function misspeltField(given: object, ours: readonly string[]): string | undefined {
  const found = Object.keys(given).find((name) => {
    if (ours.includes(name)) return false;
    if (ours.some((own) => folded(own) === folded(name))) return true;
    const [near] = nearest(name, ours, 1);
    return (
      near !== undefined && near.length >= SHORTEST_MISSPELT && editDistance(folded(name), folded(near)) === 1
    );
  });
  return found && unknownField(found, ours);
}

function oneOf(values: readonly unknown[], given: unknown): string {
  const near = typeof given === "string" ? nearest(given, values.map(String), 1) : [];
  const meant = near.length > 0 ? `; did you mean ${quoted(near, " or ")}?` : "";
  const said = given === undefined ? "missing, " : "";
  return values.length === 1
    ? `${said}expected ${JSON.stringify(values[0])}${meant}`
    : `${said}expected one of ${values.map((value) => JSON.stringify(value)).join(", ")}${meant}`;
}

const quoted = (names: readonly string[], between: string): string =>
  names.map((name) => `"${name}"`).join(between);

/** `editedArgs`, `edited-args` and `edited_args` are the same name in three spellings. */
const folded = (name: string): string => name.replace(/[_\s-]/g, "").toLowerCase();

/** Fields that no variant of a union knows, such as a misspelt discriminator. */
function unknownToAll(variants: readonly unknown[], input: unknown): string[] {
  const fields = variants.map(knownFields);
  const isClosed = variants.every((variant) => definition(variant).catchall !== undefined);
  if (!isClosed || typeof input !== "object" || input === null) return [];
  const known = [...new Set(fields.flat())];
  return Object.keys(input)
    .filter((name) => !known.includes(name))
    .map((name) => unknownField(name, known));
}

const knownFields = (schema: unknown): readonly string[] => Object.keys(definition(schema).shape ?? {});

interface Definition {
  readonly shape?: object;
  /** Of an object: what its other fields are; never for a strict one. */
  readonly catchall?: unknown;
  readonly options?: readonly unknown[];
}

const definition = (schema: unknown): Definition =>
  (schema as { _zod?: { def?: Definition } } | undefined)?._zod?.def ?? {};

const variantsOf = (schema: unknown): readonly unknown[] => definition(schema).options ?? [];

function fieldValue(input: unknown, field: unknown): unknown {
  const isObject = typeof input === "object" && input !== null;
  return isObject ? Object.entries(input).find(([name]) => name === field)?.[1] : undefined;
}

function kindOf(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "array";
  return typeof input === "number" && !Number.isFinite(input) ? String(input) : typeof input;
}
