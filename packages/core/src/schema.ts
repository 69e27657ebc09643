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
  /** Why it cannot be used; whatever has it is refused when it is registered. */
  readonly fault?: string;
}

/**
 * Derives a `Schema` from zod, once it is first asked for: most of a catalog never is. An input's objects refuse unknown
 * fields, because a misspelt argument must not be a default; `z.looseObject` is how a tool says that it takes any.
 */
export function zodSchema<Z extends z.ZodType>(
  type: Z,
  io: "input" | "output" = "input",
): Schema<z.output<Z>> {
  if (!isZod4(type))
    return { jsonSchema: {}, parse: () => ({ ok: false, where: NOT_ZOD_4 }), fault: NOT_ZOD_4 };
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

const NOT_ZOD_4 = "is not a schema of zod 4";

/** Types are no proof: a project's JavaScript, or two versions of zod in one project, get here too. */
const isZod4 = (type: unknown): boolean => typeof type === "object" && type !== null && "_zod" in type;

function jsonSchemaOf(type: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(type, { io, unrepresentable: "any" });
  return jsonSchema;
}
