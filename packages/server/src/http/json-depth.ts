/**
 * Extremely nested JSON: it parses, and whatever walks it afterwards overflows the stack. It is refused before
 * anything walks it, whatever the content type: routes parse what they get. Only bodies long enough to be that deep are checked, so that ordinary requests pay nothing.
 */
import { fail } from "@capstan/core";
import type { MiddlewareHandler } from "hono";
import { isFileUpload } from "./body-limits.ts";
import { problem } from "./problem.ts";

const MOST_DEPTH = 200;
const SHORTEST_DEEP_BYTES = 2000; // a stack allows a few thousand levels; shorter bodies cannot contain them

export const refuseDeepJson: MiddlewareHandler = async (c, next) => {
  const declared = Number(c.req.header("content-length") ?? Number.POSITIVE_INFINITY);
  if (isFileUpload(c.req) || c.req.raw.body === null || declared < SHORTEST_DEEP_BYTES) return next();
  const text = await c.req.text();
  if (jsonDepth(text) > MOST_DEPTH)
    return problem(
      c,
      fail("body_invalid", { where: `it is nested deeper than ${MOST_DEPTH} levels` }).failure,
    );
  c.req.raw = new Request(c.req.raw, { body: text }); // for handlers that read the request themselves
  return next();
};

/** How deep arrays and objects are nested, ignoring brackets in strings. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return deepest;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Where the string that starts here ends; an unterminated one ends with the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
