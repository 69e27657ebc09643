/** The smallest value a JSON schema allows, with the message as text: the demo's structured output. */
import type { JsonSchema, JsonValue } from "@capstan/core";

export function exampleValue(schema: JsonSchema, task: string): JsonValue {
  if (schema.const !== undefined) return schema.const as JsonValue;
  if (Array.isArray(schema.enum)) return (schema.enum[0] ?? null) as JsonValue;
  const type =
    typeof schema.type === "string" ? schema.type : schema.properties === undefined ? "string" : "object";
  return EXAMPLES[type]?.(schema, task) ?? null;
}

const EXAMPLES: Readonly<Record<string, (schema: JsonSchema, task: string) => JsonValue>> = {
  object: ({ properties = {} }, task) =>
    Object.fromEntries(
      Object.entries(properties as Record<string, JsonSchema>).map(([name, inner]) => [
        name,
        exampleValue(inner, task),
      ]),
    ),
  array: ({ minItems, items }, task) => (minItems ? [exampleValue((items ?? {}) as JsonSchema, task)] : []),
  number: ({ minimum }) => (typeof minimum === "number" ? minimum : 0),
  integer: ({ minimum }) => (typeof minimum === "number" ? minimum : 0),
  boolean: () => false,
  string: (_, task) => task.slice(0, 200),
};
