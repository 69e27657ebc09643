/**
 * Reads a JSON body that the route's definition cannot check: a protocol with its own error format, or a route that
 * is only known when it is called. Everywhere else `newRoutes` parses the body by its schema.
 */
import { fail, ok, type Refused, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import type { Context } from "hono";
import type { z } from "zod";

/** `+json` also: directories send application/scim+json. */
const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<Result<z.output<Schema>>> {
  const refused = otherType(c);
  if (refused) return refused;
  const value: unknown = await c.req.json().catch(() => undefined);
  if (value === undefined) return fail("body_invalid", { where: "it is not JSON" });
  const read = readInput(schema, value);
  return read.ok ? ok(read.value) : fail("input_invalid", { where: read.where, issues: read.faults });
}

/** A body that is not sent as JSON. Forms and plain text can be sent by pages of other sites without a preflight. */
export function otherType(c: Context): Refused | undefined {
  const given = c.req.header("content-type") ?? "nothing in particular";
  return JSON_TYPE.test(given) ? undefined : fail("media_type_unsupported", { given });
}
