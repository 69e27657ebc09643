/**
 * `grep` for session files: untrusted patterns on a linear-time matcher (RE2 syntax).
 * The whole file is tested first, at hundreds of MB/s, and only a matching file is split into lines.
 */
import { fail, ok } from "@capstan/core";
import type { CompileGrep, LineFinder } from "@capstan/core/internal";
import { RE2JS, RE2JSException } from "re2js";

const MAX_PATTERN_CHARS = 1_000;
const MAX_LINE_CHARS = 500; // of a shown line; minified code has lines of megabytes
const SNIFFED_BYTES = 8_000; // git uses the same rule for binary files

export const compileGrep: CompileGrep = (pattern) => {
  if (pattern.length > MAX_PATTERN_CHARS)
    return refuse(`${pattern.slice(0, 50)}...`, `it is longer than ${MAX_PATTERN_CHARS} characters`);
  try {
    return ok(lineFinder(RE2JS.compile(pattern), fileTest(pattern)));
  } catch (error) {
    if (error instanceof RE2JSException) return refuse(pattern, error.message);
    throw error;
  }
};

function refuse(pattern: string, why: string) {
  return fail("pattern_invalid", { pattern, why });
}

/** False only when no line of the text can match. Where `^` or `\A` would not mean the start of a line, every file is read. */
function fileTest(pattern: string): (text: string) => boolean {
  if (/\\[Az]|\(\?\w*-/.test(pattern)) return () => true;
  const lines = RE2JS.compile(pattern, RE2JS.MULTILINE);
  return (text) => lines.test(text);
}

function lineFinder(regex: RE2JS, mayMatch: (text: string) => boolean): LineFinder {
  return (content, limit) => {
    const text = textOf(content);
    const found: { line: number; text: string }[] = [];
    if (text === undefined || !mayMatch(text)) return found;
    let line = 0;
    for (let start = 0; start < text.length && found.length < limit; ) {
      const newline = text.indexOf("\n", start);
      const row = newline === -1 ? text.slice(start) : text.slice(start, newline);
      line++;
      if (regex.test(row)) found.push({ line, text: excerpt(row, regex) });
      start += row.length + 1;
    }
    return found;
  };
}

/** The text of a file, or undefined when it is not UTF-8 text. */
function textOf(content: Uint8Array): string | undefined {
  if (content.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content).replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

/** A short line in full; of a long one, the part around its first match. */
function excerpt(row: string, regex: RE2JS): string {
  if (row.length <= MAX_LINE_CHARS) return row;
  const matcher = regex.matcher(row);
  const at = matcher.find() ? matcher.start() : 0;
  const from = Math.max(0, Math.min(at - 100, row.length - MAX_LINE_CHARS));
  const part = row.slice(from, from + MAX_LINE_CHARS).toWellFormed();
  return `${from > 0 ? "..." : ""}${part}${from + MAX_LINE_CHARS < row.length ? "..." : ""}`;
}
