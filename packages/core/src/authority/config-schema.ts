/**
 * Which parts of a JSON Schema say something about a value of a config, in whatever notation: what protects a field must
 * not depend on how its schema was written. Conditions are not evaluated: a part that may apply counts.
 */
import type { JsonSchema } from "../schema.ts";

const SAME_VALUE = ["allOf", "anyOf", "oneOf", "if", "then", "else"];
const EVERY_MEMBER = ["additionalProperties", "unevaluatedProperties"];
const EVERY_ITEM = ["items", "additionalItems", "unevaluatedItems", "contains"];

/** The schema with everything it refers to and all its branches; `root` is what references start from. */
export function schemasAt(schema: unknown, root: unknown): JsonSchema[] {
  const found = new Set<JsonSchema>();
  const waiting: unknown[] = [schema];
  for (const next of waiting) {
    if (!isSchema(next) || found.has(next)) continue;
    found.add(next);
    const { $ref, dependentSchemas } = next;
    waiting.push(typeof $ref === "string" ? referred($ref, root) : undefined);
    waiting.push(...SAME_VALUE.flatMap((word) => listOf(next[word])));
    waiting.push(...(isSchema(dependentSchemas) ? Object.values(dependentSchemas) : []));
  }
  return [...found];
}

/** What these schemas say about a member or an item. */
export function schemasOfPart(schemas: readonly JsonSchema[], name: string, root: unknown): JsonSchema[] {
  return schemas.flatMap((schema) => {
    const { properties, patternProperties, prefixItems } = schema;
    const named = isSchema(properties) && Object.hasOwn(properties, name) ? [properties[name]] : undefined;
    const others = isSchema(patternProperties) ? Object.values(patternProperties) : [];
    const rest = EVERY_MEMBER.map((word) => schema[word]);
    const items = [...EVERY_ITEM.flatMap((word) => listOf(schema[word])), ...listOf(prefixItems)];
    return [...(named ?? rest), ...others, ...items].flatMap((part) => schemasAt(part, root));
  });
}

/** `#/$defs/Login`; nothing outside the schema is ever looked up. */
function referred(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  const names = reference.slice(1).split("/").slice(1);
  return names.reduce<unknown>(
    (at, name) => (isSchema(at) ? at[unescaped(name)] : Array.isArray(at) ? at[Number(name)] : undefined),
    root,
  );
}

const unescaped = (name: string): string => {
  const plain = name.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
};

const isSchema = (value: unknown): value is JsonSchema =>
  value !== null && typeof value === "object" && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
