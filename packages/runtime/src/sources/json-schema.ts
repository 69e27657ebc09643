/**
 * A JSON Schema from a third party (an MCP server, an OpenAPI document) as our `Schema`, validated by ajv.
 *
 * The schema itself is untrusted: it is copied within limits, can only refer to itself, its patterns run
 * on a linear-time matcher, and endless recursion is stopped by a counter, not by the stack.
 */
import { fail, type JsonSchema, type JsonValue, ok, type Result, type Schema } from "@capstan/core";
import type { Parsed } from "@capstan/core/internal";
import { Ajv, type AnySchemaObject, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { copySchema, STEP_KEYWORD } from "./schema-copy.ts";
import { compilePattern } from "./schema-pattern.ts";

const STEPS = 200_000; // $refs followed in one check; a normal value of a megabyte stays far below
const VALUE_NODES = 200_000; // parts of a checked value
const FAULTS_SHOWN = 10;

export interface ForeignSchemaOptions {
  /** Apply the schema's `default`s. Off for tools whose service does that itself. */
  readonly defaults?: boolean;
  /** Find faults at load instead of at the first call; the thousand operations of an OpenAPI document are checked later. */
  readonly compileNow?: boolean;
}

export function foreignSchema(
  source: unknown,
  { defaults = false, compileNow = false }: ForeignSchemaOptions = {},
): Result<Schema<JsonValue>> {
  const copied = copySchema(source);
  if (!copied.ok) return fail("schema_refused", copied);
  const { shown, checked, dialect } = copied;
  const schema = new LazySchema(shown, checked, dialect, defaults);
  const fault = compileNow ? schema.compile() : undefined;
  return fault ? fail("schema_refused", { where: "#", why: fault }) : ok(schema);
}

export type Dialect = "draft-07" | "2020-12" | "unsaid";

class LazySchema implements Schema<JsonValue> {
  readonly jsonSchema: JsonSchema;
  readonly #checked: AnySchemaObject;
  readonly #dialect: Dialect;
  readonly #defaults: boolean;
  #validate: ValidateFunction | undefined;
  #fault: string | undefined;

  constructor(shown: JsonSchema, checked: JsonSchema, dialect: Dialect, defaults: boolean) {
    this.jsonSchema = shown;
    this.#checked = checked as AnySchemaObject;
    this.#dialect = dialect;
    this.#defaults = defaults;
  }

  readonly parse = (value: unknown): Parsed<JsonValue> => {
    const fault = this.compile();
    if (fault || !this.#validate) return { ok: false, where: `its schema cannot be used: ${fault}` };
    if (countNodes(value, VALUE_NODES) > VALUE_NODES) return { ok: false, where: "it has too many parts" };
    const own = this.#defaults ? structuredClone(value) : value;
    return check(this.#validate, own);
  };

  /** Compiles once; the reason it cannot be compiled, or undefined. */
  compile(): string | undefined {
    if (this.#validate || this.#fault) return this.#fault;
    const attempts: Exclude<Dialect, "unsaid">[] =
      this.#dialect === "unsaid" ? ["2020-12", "draft-07"] : [this.#dialect];
    for (const dialect of attempts) {
      const ajv = ajvFor(dialect, this.#defaults);
      try {
        this.#validate = ajv.compile(this.#checked);
        this.#fault = undefined;
        return undefined;
      } catch (error) {
        this.#fault ??= error instanceof Error ? error.message : String(error);
      } finally {
        ajv.removeSchema(this.#checked); // ajv would keep it, and this server runs for months
      }
    }
    return this.#fault;
  }
}

let stepsLeft = 0;

function check(validate: ValidateFunction, value: unknown): Parsed<JsonValue> {
  stepsLeft = STEPS;
  try {
    if (validate(value)) return { ok: true, value: value as JsonValue };
    return { ok: false, where: faults(validate.errors ?? []) };
  } catch (error) {
    if (error instanceof TooManySteps || error instanceof RangeError) {
      return { ok: false, where: "its schema refers to itself without end" };
    }
    throw error;
  } finally {
    validate.errors = null; // they contain the value, which may be secret
  }
}

class TooManySteps extends Error {}

const instances = new Map<string, Ajv>();

function ajvFor(dialect: Exclude<Dialect, "unsaid">, defaults: boolean): Ajv {
  const key = `${dialect} ${defaults}`;
  const known = instances.get(key);
  if (known) return known;
  const options: Options = {
    strict: false,
    allErrors: false, // with allErrors one small value could produce a million errors
    ownProperties: true, // `required: ["constructor"]` must not be satisfied by inherited members
    useDefaults: defaults,
    logger: false,
    code: { regExp: compilePattern },
  };
  const ajv = dialect === "draft-07" ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv, { mode: "fast" });
  ajv.removeKeyword("uniqueItems"); // ajv's own compares each with each
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (wanted: boolean, items: unknown[]) => !wanted || allDifferent(items),
    error: { message: "must NOT have duplicate items" },
  });
  ajv.addKeyword({
    keyword: STEP_KEYWORD,
    before: "$ref", // after it, a failing branch would never be counted
    validate: () => {
      stepsLeft -= 1;
      if (stepsLeft < 0) throw new TooManySteps();
      return true;
    },
  });
  instances.set(key, ajv);
  return ajv;
}

function allDifferent(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(sorted(item)))).size === items.length;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, item]) => [key, sorted(item)]);
}

function faults(errors: readonly ErrorObject[]): string {
  const lines = errors.slice(0, FAULTS_SHOWN).map(({ instancePath, message = "is not valid", params }) => {
    const extra = "additionalProperty" in params ? ` (${String(params.additionalProperty)})` : "";
    const allowed =
      "allowedValues" in params ? `: ${JSON.stringify(params.allowedValues).slice(0, 200)}` : "";
    return `${instancePath === "" ? "the input" : instancePath} ${message}${extra}${allowed}`;
  });
  return lines.join("; ");
}

/** Stops counting just above the limit, so that counting costs no more than the limit. */
function countNodes(value: unknown, limit: number): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= limit) {
    const next = open.pop();
    count += 1;
    if (next !== null && typeof next === "object") for (const item of Object.values(next)) open.push(item);
  }
  return count;
}
