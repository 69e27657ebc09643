/** What a database's own error means to the caller; undefined: a fault of ours. The driver's error is inside drizzle's. */
import { type Failure, fail } from "@capstan/core";

const GONE = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"]);
const GONE_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

export function faultOf(error: unknown): Failure | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
  return (
    (typeof code === "string" ? byCode(code) : undefined) ??
    (typeof message === "string" && GONE_WORDS.test(message) ? away(message) : undefined) ??
    faultOf(cause)
  );
}

/** SQLSTATE classes: 22 a value it refuses, 53 out of something, 57P it stops or starts, 08 the connection. */
function byCode(code: string): Failure | undefined {
  if (/^22[0-9A-Z]{3}$/.test(code)) {
    const where = "a text holds a NUL or half a character, which cannot be stored";
    return fail("input_invalid", { where }).failure;
  }
  if (code === "53100" || code === "ENOSPC") return fail("storage_full", {}).failure;
  if (/^(53[0-9A-Z]{3}|57P0[1-5]|08[0-9A-Z]{3})$/.test(code) || GONE.has(code)) return away(code);
  return undefined;
}

const away = (why: string): Failure =>
  fail("not_available", {
    what: "The database",
    why,
    nextStep: "Try again in a few seconds; nothing that was answered is lost.",
  }).failure;
