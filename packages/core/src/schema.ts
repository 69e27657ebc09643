/** A schema as a tool carries it: JSON Schema for models and clients, `parse` for us. Zod makes ours, ajv (outside core) foreign ones. */
import { z } from "zod";
import { whatIsWrong } from "./what-is-wrong.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonSchema = { readonly [key: string]: unknown };

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly where: string };

export interface Schema<T = unknown> {
  readonly jsonSchema: JsonSchema;
  readonly parse: (value: unknown) => Parsed<T>;
}

/** Derives a `Schema` from zod. The JSON Schema is made once, when it is first asked for: most of a catalog never is. */
export function zodSchema<Z extends z.ZodType>(
  type: Z,
  io: "input" | "output" = "input",
): Schema<z.output<Z>> {
  let made: JsonSchema | undefined;
  return {
    get jsonSchema() {
      made ??= jsonSchemaOf(type, io);
      return made;
    },
    parse(value) {
      const parsed = type.safeParse(value);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, where: whatIsWrong(parsed.error) };
    },
  };
}

function jsonSchemaOf(type: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(type, { io, unrepresentable: "any" });
  return jsonSchema;
}
