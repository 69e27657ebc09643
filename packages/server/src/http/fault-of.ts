/** What a database error means to the caller; undefined: a bug of ours. The driver's error is inside drizzle's. */
import { type Failure, fail } from "@capstan/core";
import { isDatabaseAway } from "@capstan/runtime";

export function faultOf(error: unknown): Failure | undefined {
  const code = stateOf(error);
  if (code !== undefined && /^22[0-9A-Z]{3}$/.test(code)) {
    const where = "a text contains a NUL or half a character, which cannot be stored";
    return fail("input_invalid", { where }).failure;
  }
  if (code === "53100" || code === "ENOSPC") return fail("storage_full", {}).failure;
  if (!isDatabaseAway(error)) return undefined;
  return fail("not_available", {
    what: "The database",
    why: code ?? "the connection was lost",
    nextStep: "Try again in a few seconds; no confirmed change is lost.",
  }).failure;
}

/** The innermost code: SQLSTATE, or the system's. */
function stateOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return (cause === error ? undefined : stateOf(cause)) ?? (typeof code === "string" ? code : undefined);
}
