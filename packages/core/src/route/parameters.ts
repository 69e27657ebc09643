/** The parameters of a tool's JSON Schema as a flat list: what the router matches on and the payload mapper fills. */
import type { JsonSchema } from "../schema.ts";

export interface ParameterSchema {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** Top-level parameters in declared order. A schema that is not an object has none. */
export function parametersOf(schema: JsonSchema): ParameterSchema[] {
  const { properties, required } = schema;
  if (!isRecord(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, value]) => ({
    name,
    required: needed.has(name),
    schema: isRecord(value) ? plainSchema(value) : {},
  }));
}

/** "A number, or 'all'": without a type of its own it is filled like its number. */
function plainSchema(schema: JsonSchema): JsonSchema {
  const branches = schema.type === undefined ? (schema.oneOf ?? schema.anyOf) : undefined;
  if (!Array.isArray(branches)) return schema;
  const number = branches.filter(isRecord).find(({ type }) => type === "integer" || type === "number");
  const others = branches.filter((each) => each !== number);
  const isPlain = others.every(
    (each) =>
      isRecord(each) && (Array.isArray(each.enum) || each.const !== undefined || each.type === "null"),
  );
  return number && isPlain ? { ...schema, type: number.type } : schema;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
