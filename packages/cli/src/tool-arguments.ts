/**
 * A tool's arguments as typed: `{"a": 1}`, or `a=1 name=x`. A value is parsed by the tool's schema, so
 * that `seconds=33` is the text 33 where text is expected, and the number where a number is.
 */
import { fail, ok, type Result } from "@capstan/core";
import { parseClearJson } from "@capstan/core/internal";

type Input = Record<string, unknown>;
type Json = Readonly<Record<string, unknown>>;

export function toolArguments(words: readonly string[], schema: Json, usage: string): Result<Input> {
  const [first, ...more] = words;
  if (first?.trimStart().startsWith("{") && more.length === 0) return jsonInput(first, usage);
  const input: Input = {};
  for (const word of words) {
    const [, name = "", text = ""] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? [];
    if (name === "") return fail("command_invalid", { message: `"${word}" is not key=value`, usage });
    if (Object.hasOwn(input, name))
      return fail("command_invalid", { message: `"${name}" is given twice`, usage });
    const read = readValue(text, kindsOf(propertyOf(schema, name), schema));
    if (!read.ok) return fail("command_invalid", { message: `${name}: ${read.why}`, usage });
    Object.defineProperty(input, name, { value: read.value, enumerable: true });
  }
  return ok({ ...input });
}

function jsonInput(text: string, usage: string): Result<Input> {
  try {
    return ok(parseClearJson(text) as Input);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail("command_invalid", { message: `the arguments are not JSON: ${why}`, usage });
  }
}

/** The types the schema allows for a field; undefined for an unknown one, which the server refuses by name. */
function propertyOf({ properties }: Json, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** `within` are the references already followed: a schema may name itself. */
function kindsOf(property: unknown, root: Json, within: readonly string[] = []): string[] {
  if (!isObject(property)) return [];
  const { type, anyOf, oneOf, allOf, $ref } = property;
  const said = [type].flat().filter((kind) => typeof kind === "string");
  const options = [anyOf, oneOf, allOf].filter((list) => Array.isArray(list)).flat();
  const path = typeof $ref === "string" && !within.includes($ref) ? [$ref] : [];
  const named = path.map((each) => referred(each, root));
  const valued = [
    ...(Array.isArray(property.enum) ? property.enum : []),
    ...("const" in property ? [property.const] : []),
  ];
  const fromValues = said.length === 0 ? valued.map((value) => (value === null ? "null" : typeof value)) : [];
  const inside = [...options, ...named].flatMap((each) => kindsOf(each, root, [...within, ...path]));
  return [...said, ...fromValues, ...inside];
}

const referred = (path: string, root: Json): unknown =>
  path
    .replace(/^#\//, "")
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);

type Value = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** Text stays as typed wherever text is allowed, unless it can only be meant as another type. */
function readValue(text: string, kinds: readonly string[]): Value {
  if (kinds.length === 0) return { ok: true, value: guessed(text) };
  const others = kinds.filter((kind) => kind !== "string");
  const parsed = parsedJson(text);
  const fits = parsed !== undefined && others.some((kind) => isOfKind(parsed, kind));
  if (fits) return { ok: true, value: parsed };
  if (kinds.includes("string")) return { ok: true, value: text };
  return { ok: false, why: `expected ${[...new Set(kinds)].join(" or ")}, received "${text}"` };
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "array") return Array.isArray(value);
  if (kind === "null") return value === null;
  return kind === "object" ? isObject(value) : typeof value === kind;
}

/** Without a schema: a value that parses as JSON is JSON, anything else is text. */
function guessed(text: string): unknown {
  const parsed = /^(-?\d|true$|false$|null$|\[|\{|")/.test(text) ? parsedJson(text) : undefined;
  return parsed === undefined ? text : parsed;
}

function parsedJson(text: string): unknown {
  try {
    return parseClearJson(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
