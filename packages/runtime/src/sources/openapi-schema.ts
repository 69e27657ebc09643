/**
 * Schemas of an OpenAPI document (3.0's dialect or 3.1) as one self-contained JSON Schema of bounded size.
 *
 * It is built level by level: when the budget is used up, the deepest parts become "any value", never the top.
 * A model cannot use a 300 kB schema anyway, and the service validates its input.
 */
import type { JsonSchema } from "@capstan/core";
import { isRecord, type JsonRecord, listOf, type OpenApiDocument, textOf } from "./openapi-document.ts";

const BUDGET_CHARS = 40_000; // about 10k tokens for one tool, already more than most conversations need
const DESCRIPTION_CHARS = 300;
const ENUM_VALUES = 200;
const DEFAULT_CHARS = 200;
const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

/** Keywords copied unchanged, if they have the right type. */
const PLAIN: Readonly<Record<string, string>> = {
  format: "string",
  pattern: "string",
  minimum: "number",
  maximum: "number",
  multipleOf: "number",
  minLength: "number",
  maxLength: "number",
  minItems: "number",
  maxItems: "number",
  minProperties: "number",
  maxProperties: "number",
  uniqueItems: "boolean",
  deprecated: "boolean",
};
const SCHEMA_WORDS = ["items", "not", "contains", "propertyNames", "if", "then", "else"];
const SCHEMA_LIST_WORDS = ["allOf", "anyOf", "oneOf", "prefixItems"];

type Target = Record<string, unknown>;

export class SchemaBuilder {
  readonly #document: OpenApiDocument;
  readonly #definitions: Target = {};
  readonly #names = new Map<string, string>();
  readonly #open: { source: unknown; target: Target }[] = [];
  #left = BUDGET_CHARS;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** Reserves a place for a schema; `finish` fills it, one level after the other. */
  add(source: unknown): Target {
    const target: Target = {};
    this.#open.push({ source, target });
    return target;
  }

  /** The definitions that the added schemas refer to, once everything is filled in. */
  finish(): JsonSchema {
    for (let at = 0; at < this.#open.length; at += 1) {
      const next = this.#open[at];
      if (next) this.#fill(next.source, next.target);
    }
    return this.#definitions;
  }

  #fill(source: unknown, target: Target): void {
    if (!isRecord(source) || this.#left <= 0) {
      if (isRecord(source)) Object.assign(target, typeOf(source));
      return;
    }
    if (typeof source.$ref === "string") this.#refer(source, source.$ref, target);
    else this.#copy(source, target);
    this.#left -= JSON.stringify(target).length;
  }

  #refer(source: JsonRecord, reference: string, target: Target): void {
    const found = this.#document.at(reference);
    if (found === undefined) return;
    let name = this.#names.get(reference);
    if (name === undefined) {
      name = this.#newName(reference);
      this.#names.set(reference, name);
      this.#definitions[name] = this.add(found);
    }
    target.$ref = `#/$defs/${name}`;
    if (typeof source.description === "string") target.description = short(source.description);
  }

  #newName(reference: string): string {
    const last = reference.split("/").at(-1) ?? "schema";
    const base = last.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60) || "schema";
    const taken = new Set(this.#names.values());
    let name = base;
    for (let number = 2; taken.has(name) || name === "__proto__"; number += 1) name = `${base}_${number}`;
    return name;
  }

  #copy(source: JsonRecord, target: Target): void {
    Object.assign(target, typeOf(source), bounds(source), plainWords(source), enumOf(source));
    for (const word of SCHEMA_WORDS) if (isRecord(source[word])) target[word] = this.add(source[word]);
    for (const word of SCHEMA_LIST_WORDS) {
      const list = word === "prefixItems" && Array.isArray(source.items) ? source.items : source[word];
      if (Array.isArray(list) && list.length > 0) target[word] = list.map((item) => this.add(item));
    }
    this.#copyFields(source, target);
  }

  /** Fields set by the service (`readOnly`) are not requested from a caller. */
  #copyFields(source: JsonRecord, target: Target): void {
    const { properties, additionalProperties } = source;
    if (isRecord(properties)) {
      const kept = Object.entries(properties).filter(([name, field]) => this.#isWritable(name, field));
      target.properties = Object.fromEntries(kept.map(([name, field]) => [name, this.add(field)]));
      const names = new Set(kept.map(([name]) => name));
      const required = listOf(source.required).filter((name) => typeof name === "string" && names.has(name));
      if (required.length > 0) target.required = [...new Set(required)];
    }
    if (typeof additionalProperties === "boolean") target.additionalProperties = additionalProperties;
    else if (isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0) {
      target.additionalProperties = this.add(additionalProperties);
    }
  }

  #isWritable(name: string, field: unknown): boolean {
    if (name === "__proto__") return false;
    return this.#document.resolve(field)?.readOnly !== true;
  }
}

function plainWords(source: JsonRecord): Target {
  const found: Target = {};
  for (const [word, type] of Object.entries(PLAIN)) {
    if (typeof source[word] === type) found[word] = source[word];
  }
  const about = textOf(source.description)?.trim();
  if (about) found.description = short(about);
  if ("const" in source) found.const = source.const;
  if ("default" in source && JSON.stringify(source.default ?? null).length < DEFAULT_CHARS) {
    found.default = source.default;
  }
  return found;
}

function typeOf({ type, nullable }: JsonRecord): Target {
  const types = [type].flat().filter((name): name is string => typeof name === "string" && TYPES.has(name));
  if (type === "file") types.push("string");
  if (nullable === true && types.length > 0 && !types.includes("null")) types.push("null");
  if (types.length === 0) return {};
  return { type: types.length === 1 ? types[0] : types };
}

/** 3.0 has `exclusiveMinimum: true` with `minimum`, JSON Schema has the number itself. */
function bounds(source: JsonRecord): Target {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = source;
  const found: Target = {};
  if (typeof exclusiveMinimum === "number") found.exclusiveMinimum = exclusiveMinimum;
  else if (exclusiveMinimum === true && typeof minimum === "number") found.exclusiveMinimum = minimum;
  if (typeof exclusiveMaximum === "number") found.exclusiveMaximum = exclusiveMaximum;
  else if (exclusiveMaximum === true && typeof maximum === "number") found.exclusiveMaximum = maximum;
  return found;
}

function enumOf({ enum: values, nullable }: JsonRecord): Target {
  const list = listOf(values);
  if (list.length === 0 || list.length > ENUM_VALUES) return {};
  return { enum: nullable === true && !list.includes(null) ? [...list, null] : [...list] };
}

export function short(text: string, chars: number = DESCRIPTION_CHARS): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length <= chars ? flat : `${flat.slice(0, chars - 3)}...`;
}
