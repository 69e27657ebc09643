/**
 * Refuses JSON that parses but is unsafe: nested so deeply that code walking it overflows the stack, with duplicate
 * keys (only the last would count), or with values that parsing would change. This applies to every content type,
 * because routes parse whatever they get; only values are checked in JSON alone, because other formats write them
 * differently.
 */
import { fail } from "@capstan/core";
import { tooDeep, unclearJson, unclearKey } from "@capstan/core/internal";
import type { MiddlewareHandler } from "hono";
import { isFileUpload } from "./body-limits.ts";
import { problem } from "./problem.ts";

/** Reads the body; `c.req` keeps the text for later readers. */
export const refuseUnclearJson: MiddlewareHandler = async (c, next) => {
  if (isFileUpload(c.req) || c.req.raw.body === null) return next();
  const text = decoded(await c.req.arrayBuffer());
  const isJson = /json/i.test(c.req.header("content-type") ?? "");
  const where =
    text === undefined ? "it is not UTF-8" : isJson ? unclearJson(text) : (tooDeep(text) ?? unclearKey(text));
  return where === undefined ? next() : problem(c, fail("body_invalid", { where }).failure);
};

function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
