/**
 * Copies a foreign JSON Schema within limits, twice: for models, and for ajv. Nothing outside the
 * schema is ever looked up: a `$ref` that does not start with `#` refuses the whole schema.
 */
import type { JsonSchema } from "@capstan/core";
import type { Dialect } from "./json-schema.ts";
import { isLinearPattern } from "./schema-pattern.ts";

/** Set next to each `$ref` in the checked copy: ajv calls it, and we count. */
export const STEP_KEYWORD = "x-capstan-step";

const NODES = 50_000; // the largest operation of GitHub's API has some 10,000
const DEPTH = 100;
const KEY_CHARS = 500;

export type CopiedSchema =
  | { readonly ok: true; readonly shown: JsonSchema; readonly checked: JsonSchema; readonly dialect: Dialect }
  | { readonly ok: false; readonly where: string; readonly why: string };

class Refused extends Error {
  readonly where: string;
  constructor(where: string, why: string) {
    super(why);
    this.where = where;
  }
}

export function copySchema(source: unknown): CopiedSchema {
  if (source === null || typeof source !== "object" || Array.isArray(source)) {
    return { ok: false, where: "#", why: "a schema is an object" };
  }
  try {
    const dialect = dialectOf((source as { $schema?: unknown }).$schema);
    const shown = new Copy(false).object(source, "#", 0);
    const checked = new Copy(true).object(source, "#", 0);
    return { ok: true, shown, checked, dialect };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { ok: false, where: error.where, why: error.message };
  }
}

function dialectOf(declared: unknown): Dialect {
  if (typeof declared !== "string") return "unsaid";
  if (/draft-0[4-7]/.test(declared)) return "draft-07";
  return declared.includes("2020-12") ? "2020-12" : "unsaid";
}

/** Contains data, not schemas: copied unchanged. */
const DATA_KEYWORDS = new Set(["const", "default", "enum", "example", "examples"]);
/** Ids would let one schema replace another; ajv identifies them by position instead. */
const LEFT_OUT = new Set(["$schema", "$id", "id", "$vocabulary", "$comment", "$async"]);
const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
/** Maps of names to schemas: their keys are names, not keywords. */
const NAME_MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

class Copy {
  #nodes = 0;
  readonly #forChecking: boolean;

  constructor(forChecking: boolean) {
    this.#forChecking = forChecking;
  }

  object(source: object, where: string, depth: number): JsonSchema {
    this.#count(where, depth);
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(source)) {
      this.#checkKey(key, where);
      const kept = this.#keyword(key, value, `${where}/${key}`, depth);
      if (kept !== undefined) copy[key] = kept;
    }
    if (this.#forChecking && ("$ref" in copy || "$dynamicRef" in copy)) copy[STEP_KEYWORD] = true;
    return copy;
  }

  #keyword(key: string, value: unknown, where: string, depth: number): unknown {
    if (LEFT_OUT.has(key) && typeof value !== "object") return undefined;
    if (key === STEP_KEYWORD) return undefined;
    if (REFERENCES.has(key)) return this.#reference(value, where);
    if (DATA_KEYWORDS.has(key)) return this.#data(value, where, depth + 1);
    if (NAME_MAPS.has(key) && isObject(value)) return this.#named(key, value, where, depth + 1);
    return this.#any(value, where, depth + 1);
  }

  #named(key: string, source: object, where: string, depth: number): unknown {
    this.#count(where, depth);
    const copy: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(source)) {
      this.#checkKey(name, where);
      if (key === "patternProperties" && !isLinearPattern(name)) {
        throw new Refused(`${where}/${name}`, "the pattern cannot be run in linear time");
      }
      copy[name] = this.#any(value, `${where}/${name}`, depth + 1);
    }
    return copy;
  }

  #any(value: unknown, where: string, depth: number): unknown {
    if (Array.isArray(value)) {
      this.#count(where, depth);
      return value.map((item, at) => this.#any(item, `${where}/${at}`, depth + 1));
    }
    return isObject(value) ? this.object(value, where, depth) : this.#data(value, where, depth);
  }

  #data(value: unknown, where: string, depth: number): unknown {
    this.#count(where, depth);
    if (Array.isArray(value)) return value.map((item, at) => this.#data(item, `${where}/${at}`, depth + 1));
    if (!isObject(value)) return value;
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      this.#checkKey(key, where);
      copy[key] = this.#data(item, `${where}/${key}`, depth + 1);
    }
    return copy;
  }

  #reference(value: unknown, where: string): string {
    if (typeof value === "string" && value.startsWith("#")) return value;
    throw new Refused(where, `it refers outside itself: ${JSON.stringify(value)?.slice(0, 100)}`);
  }

  #checkKey(key: string, where: string): void {
    if (key === "__proto__") throw new Refused(where, "a name is __proto__");
    if (key.length > KEY_CHARS) throw new Refused(where, "a name is too long");
  }

  #count(where: string, depth: number): void {
    this.#nodes += 1;
    if (this.#nodes > NODES) throw new Refused(where, `it has more than ${NODES} parts`);
    if (depth > DEPTH) throw new Refused(where.slice(0, 200), `it is more than ${DEPTH} levels deep`);
  }
}

const isObject = (value: unknown): value is object => value !== null && typeof value === "object";
