/**
 * Changes to an object that a client may have read, edited and sent back whole. Read-only fields must be unchanged,
 * and a value equal to the stored one is not a change, so sending an object back unmodified changes nothing.
 */
import { isDeepStrictEqual } from "node:util";
import { isReadBack, mergePatch } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import type { z } from "@hono/zod-openapi";

interface SentBack<Schema extends z.ZodObject> {
  /** The body's schema; its fields by `readBack` are the server's. */
  readonly schema: Schema;
  /** Such as "budget", for the message. */
  readonly what: string;
  /** As GET returns it. */
  readonly current: object;
  /** Fields of the server that change by themselves, such as what was spent: not compared. */
  readonly figures?: readonly string[];
}

/** The fields that really change; empty when none does. */
export function changesOf<Schema extends z.ZodObject>(
  { schema, what, current, figures = [] }: SentBack<Schema>,
  patch: z.output<Schema>,
): Result<Partial<z.output<Schema>>> {
  const now = new Map(Object.entries(current));
  const changed = Object.entries(patch).filter(
    ([name, value]) =>
      value !== undefined && !figures.includes(name) && !isDeepStrictEqual(value, now.get(name)),
  );
  const kept = changed.map(([name]) => name).filter((name) => isReadBack(schema, name));
  // Derived fields are as old as the object.
  const first = kept.includes("updated_at") ? "updated_at" : kept[0];
  if (first !== undefined) return refuseKept(what, first, now.get(first));
  return ok(Object.fromEntries(changed) as Partial<z.output<Schema>>);
}

/** The whole object after a change: objects are merged as RFC 7396 has it, and null removes. */
export function mergedWith<Schema extends z.ZodType>(
  schema: Schema,
  fields: object,
  changes: object,
): Result<z.output<Schema>> {
  const read = readInput(schema, mergePatch(fields, changes));
  return read.ok ? ok(read.value) : fail("input_invalid", { where: read.where, issues: read.faults });
}

function refuseKept(what: string, field: string, current: unknown): Result<never> {
  if (field === "updated_at")
    return fail("conflict", {
      message: `The ${what} has changed since you read it: its updated_at is now ${current}.`,
      nextStep: "Read it again, then reapply your change.",
    });
  return fail("input_invalid", { where: `${field}: set by the server, it is ${JSON.stringify(current)}` });
}
