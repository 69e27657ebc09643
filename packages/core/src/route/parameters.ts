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
    schema: isRecord(value) ? plainSchema(referred(value, schema), schema) : {},
  }));
}

/** What `{"$ref": "#/$defs/Status"}` stands for: documents declare their choices there. */
function referred(schema: JsonSchema, { $defs }: JsonSchema): JsonSchema {
  const name = typeof schema.$ref === "string" ? /^#\/\$defs\/([^/]+)$/.exec(schema.$ref)?.[1] : undefined;
  const found = name !== undefined && isRecord($defs) ? $defs[name] : undefined;
  if (!isRecord(found)) return schema;
  const { $ref: _, ...own } = schema;
  return { ...found, ...own };
}

/** One type where a schema may also be null, wraps another, or takes one as well as several. "A number, or 'all'" is filled like its number. */
function plainSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type))
    return { ...schema, type: onlyOf(schema.type.filter((type) => type !== "null")) };
  const declared = schema.type === undefined ? (schema.oneOf ?? schema.anyOf ?? schema.allOf) : undefined;
  if (!Array.isArray(declared)) return schema;
  const branches = declared.map((each) => (isRecord(each) ? referred(each, root) : each));
  const some = branches.filter((each) => !isRecord(each) || each.type !== "null");
  const only = onlyOf(some) ?? severalOf(some);
  if (isRecord(only)) return { ...plainSchema(only, root), ...withoutBranches(schema) };
  const number = branches.filter(isRecord).find(({ type }) => type === "integer" || type === "number");
  const others = branches.filter((each) => each !== number);
  const isPlain = others.every(
    (each) =>
      isRecord(each) && (Array.isArray(each.enum) || each.const !== undefined || each.type === "null"),
  );
  return number && isPlain ? { ...schema, type: number.type } : schema;
}

/** A text or a list of texts: the list. */
const severalOf = (branches: readonly unknown[]): Record<string, unknown> | undefined => {
  const [list, ...others] = branches.filter(isRecord).filter(({ type }) => type === "array");
  const isText = branches.some((each) => isRecord(each) && each.type === "string");
  return branches.length === 2 &&
    isText &&
    others.length === 0 &&
    isRecord(list?.items) &&
    list.items.type === "string"
    ? list
    : undefined;
};

const onlyOf = <Each>(all: readonly Each[]): Each | undefined => (all.length === 1 ? all[0] : undefined);

const withoutBranches = ({ oneOf: _, anyOf: __, allOf: ___, ...rest }: JsonSchema): JsonSchema => rest;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
