/**
 * Patterns of foreign schemas on RE2, which is linear in time for any pattern. What RE2 does not support (look-around,
 * back-references) is not run at all: `pattern` then accepts everything, and the service decides.
 */
import { RE2JS } from "re2js";

const PATTERN_CHARS = 2_000;

interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/** Ajv's hook for regular expressions. `code` is for standalone code, which we never generate. */
export const compilePattern = Object.assign(
  (pattern: string): Pattern => {
    const compiled = tryPattern(pattern);
    return {
      test: (text) => compiled === undefined || compiled.matcher(text).find(),
      toString: () => `/${pattern}/`, // ajv caches patterns by this: without it all would be the first one
    };
  },
  { code: "compilePattern" },
);

export function isLinearPattern(pattern: string): boolean {
  return tryPattern(pattern) !== undefined;
}

function tryPattern(pattern: string): RE2JS | undefined {
  if (pattern.length > PATTERN_CHARS) return undefined;
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}
