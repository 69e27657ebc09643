/** The arguments that a rule speaks of, and whether a tool's schema has them. */
import type { JsonSchema } from "../schema.ts";
import type { ExpressionField } from "./condition.ts";

export type FieldKind = "string" | "number" | "boolean" | "object" | "other";

const MAX_DEPTH = 12;

/** One place in a schema; a field may have several, of variants and of several tools. */
export interface FieldPlace {
  readonly kind: FieldKind;
  /** The only values it takes, where the schema lists them. */
  readonly values?: readonly unknown[] | undefined;
}

/** What a schema allows at a path; empty when there is no such field. Items of lists stand for the list. */
export const placesAt = (schema: JsonSchema, path: readonly string[]): FieldPlace[] =>
  placesIn(schema, path, schema, 0);

function placesIn(
  schema: JsonSchema,
  path: readonly string[],
  root: JsonSchema,
  depth: number,
): FieldPlace[] {
  const here = resolved(schema, root);
  if (depth > MAX_DEPTH) return [{ kind: "other" }];
  const variants = [here.anyOf, here.oneOf, here.allOf].filter(Array.isArray).flat() as JsonSchema[];
  const own = here.type === "array" ? here.items : undefined;
  if (own !== undefined && typeof own === "object") return placesIn(own as JsonSchema, path, root, depth + 1);
  const [name, ...rest] = path;
  const fromVariants = variants.flatMap((each) => placesIn(each, path, root, depth + 1));
  if (name === undefined) return [...fromVariants, ...(variants.length > 0 ? [] : [placeOf(here)])];
  const inner = (here.properties as Record<string, JsonSchema> | undefined)?.[name];
  if (inner !== undefined) return [...fromVariants, ...placesIn(inner, rest, root, depth + 1)];
  const { additionalProperties: more } = here;
  return [...fromVariants, ...(more === true || isObject(more) ? [{ kind: "other" as const }] : [])];
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const [, name] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(String(schema.$ref ?? "")) ?? [];
  const defined = (root.$defs ?? root.definitions) as Record<string, JsonSchema> | undefined;
  return (name !== undefined && defined?.[name]) || schema;
}

function placeOf({ type, enum: listed, const: constant }: JsonSchema): FieldPlace {
  const values = constant !== undefined ? [constant] : Array.isArray(listed) ? listed : undefined;
  const sample = values?.[0];
  const name = typeof type === "string" ? type : sample === undefined ? "other" : typeof sample;
  return { kind: kindNamed(name), values };
}

function kindNamed(name: string): FieldKind {
  if (name === "integer" || name === "number") return "number";
  return name === "string" || name === "boolean" || name === "object" ? name : "other";
}

const MOST_NESTED = 3;

/** Fields that a schema names, nested ones as `a.b`. */
export const fieldsOf = (schema: JsonSchema): string[] => namesIn(schema, schema, MOST_NESTED);

function namesIn(schema: JsonSchema, root: JsonSchema, depth: number): string[] {
  const { properties, items } = resolved(schema, root);
  if (depth === 0) return [];
  if (isObject(items)) return namesIn(items as JsonSchema, root, depth);
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, inner]) => [
    name,
    ...namesIn(inner, root, depth - 1).map((nested) => `${name}.${nested}`),
  ]);
}

/** Whether a call has it in any case. */
export function isAlwaysGiven(schema: JsonSchema, name: string): boolean {
  const field = (schema.properties as Record<string, JsonSchema> | undefined)?.[name];
  if (!field) return false;
  return field.default !== undefined || (Array.isArray(schema.required) && schema.required.includes(name));
}

/** The first field that none of the schemas has; one that is only asked for with `has` would silently never hold. */
export const missingField = (
  fields: readonly ExpressionField[],
  schemas: readonly JsonSchema[],
): readonly string[] | undefined =>
  fields.find(({ path }) => !schemas.some((schema) => placesAt(schema, path).length > 0))?.path;
