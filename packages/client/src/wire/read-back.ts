/** What the server sets in an object: a client may send it back as it read it. */
import { z } from "zod";

/** The same fields in a request: optional, and marked as read-only in the OpenAPI document. */
export const readBack = <Shape extends z.ZodRawShape>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      z.optional(schema).meta({ readOnly: true, description: "Set by the server." }),
    ]),
  ) as { [Name in keyof Shape]: z.ZodOptional<Shape[Name]> };

export const isReadBack = (schema: z.ZodObject, name: string): boolean =>
  new Map(Object.entries(schema.shape)).get(name)?.meta()?.readOnly === true;
