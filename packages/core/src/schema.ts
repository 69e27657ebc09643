/** A tool's schema: JSON Schema for models and clients, `parse` for us. Ours are made with zod, foreign ones with ajv (outside core). */
import { z } from "zod";
import { closedObjects } from "./closed-objects.ts";
import { readInput } from "./faults.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonSchema = { readonly [key: string]: unknown };

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly where: string };

export interface Schema<T = unknown> {
  readonly jsonSchema: JsonSchema;
  readonly parse: (value: unknown) => Parsed<T>;
  /** Why it cannot be used; registration refuses whatever has it. */
  readonly fault?: string;
}

/**
 * Derives a `Schema` from zod on first use: most of a catalog is never used. Input objects refuse unknown
 * fields, because a misspelt argument must not silently become the default; use `z.looseObject` to accept any.
 */
export function zodSchema<Z extends z.ZodType>(
  type: Z,
  io: "input" | "output" = "input",
): Schema<z.output<Z>> {
  const before = made[io].get(type);
  if (before) return before as Schema<z.output<Z>>;
  const schema = deriveSchema(type, io);
  if (typeof type === "object" && type !== null) made[io].set(type, schema);
  return schema;
}

/** Cached by type: some tools are declared anew for each turn, and deriving a JSON Schema costs more than the rest of the turn. */
const made = { input: new WeakMap<z.ZodType, Schema>(), output: new WeakMap<z.ZodType, Schema>() };

function deriveSchema<Z extends z.ZodType>(type: Z, io: "input" | "output"): Schema<z.output<Z>> {
  if (!isZod4(type))
    return { jsonSchema: {}, parse: () => ({ ok: false, where: NOT_ZOD_4 }), fault: NOT_ZOD_4 };
  let checked: Z | undefined;
  let jsonSchema: JsonSchema | undefined;
  const schema = () => (checked ??= io === "input" ? closedObjects(type) : type);
  return {
    get jsonSchema() {
      jsonSchema ??= jsonSchemaOf(schema(), io);
      return jsonSchema;
    },
    parse: (value) => readInput(schema(), value),
  };
}

const NOT_ZOD_4 = "is not a zod 4 schema";

/** Types do not guarantee this: JavaScript projects, or two zod versions in one project, get here too. */
const isZod4 = (type: unknown): boolean => typeof type === "object" && type !== null && "_zod" in type;

function jsonSchemaOf(type: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(type, { io, unrepresentable: "any" });
  return jsonSchema;
}
