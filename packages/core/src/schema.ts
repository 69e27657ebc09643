/** A schema as a tool carries it: JSON Schema for models and clients, `parse` for us. Zod makes ours, ajv (outside core) foreign ones. */
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
}

/**
 * Derives a `Schema` from zod, once it is first asked for: most of a catalog never is. An input's objects refuse unknown
 * fields, because a misspelt argument must not be a default; `z.looseObject` is how a tool says that it takes any.
 */
export function zodSchema<Z extends z.ZodType>(
  type: Z,
  io: "input" | "output" = "input",
): Schema<z.output<Z>> {
  let checked: Z | undefined;
  let made: JsonSchema | undefined;
  const schema = () => (checked ??= io === "input" ? closedObjects(type) : type);
  return {
    get jsonSchema() {
      made ??= jsonSchemaOf(schema(), io);
      return made;
    },
    parse: (value) => readInput(schema(), value),
  };
}

function jsonSchemaOf(type: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(type, { io, unrepresentable: "any" });
  return jsonSchema;
}
