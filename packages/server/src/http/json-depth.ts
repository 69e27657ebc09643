/**
 * Refuses JSON that parses but is unsafe: nested so deeply that code walking it overflows the stack, with duplicate
 * keys (only the last would count), or with values that parsing would change. This applies to every content type,
 * because routes parse whatever they get; only values are checked in JSON alone, because other formats write them
 * differently.
 */
import { fail } from "@capstan/core";
import { endOfJsonString, unclearKey, unclearValue } from "@capstan/core/internal";
import type { MiddlewareHandler } from "hono";
import { isFileUpload } from "./body-limits.ts";
import { problem } from "./problem.ts";

const MOST_DEPTH = 200;

/** Reads the body; `c.req` keeps the text for later readers. */
export const refuseUnclearJson: MiddlewareHandler = async (c, next) => {
  if (isFileUpload(c.req) || c.req.raw.body === null) return next();
  const text = decoded(await c.req.arrayBuffer());
  const isJson = /json/i.test(c.req.header("content-type") ?? "");
  const where = text === undefined ? "it is not UTF-8" : isJson ? unclearJson(text) : unclear(text);
  return where === undefined ? next() : problem(c, fail("body_invalid", { where }).failure);
};

function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What makes this JSON unsafe to parse, as a sentence. */
export const unclearJson = (text: string): string | undefined => unclear(text) ?? unclearValue(text);

const unclear = (text: string): string | undefined =>
  jsonDepth(text) > MOST_DEPTH ? `it is nested deeper than ${MOST_DEPTH} levels` : unclearKey(text);

/** How deep arrays and objects are nested, ignoring brackets in strings. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfJsonString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return deepest;
}

const QUOTE = 34;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
