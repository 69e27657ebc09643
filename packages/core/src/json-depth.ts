/** JSON that parses but is unsafe: nested so deeply that code walking it overflows the stack, or ambiguous. */
import { endOfJsonString, unclearKey } from "./unclear-json.ts";
import { unclearValue } from "./unclear-values.ts";

const MOST_DEPTH = 200;

export const tooDeep = (text: string): string | undefined =>
  jsonDepth(text) > MOST_DEPTH ? `it is nested deeper than ${MOST_DEPTH} levels` : undefined;

/** What makes this JSON unsafe to parse, as a sentence. */
export const unclearJson = (text: string): string | undefined =>
  tooDeep(text) ?? unclearKey(text) ?? unclearValue(text);

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
