/** What a check looks for, on a linear-time matcher (RE2): patterns come from people. */
import { fail, ok, type Result } from "@capstan/core";
import {
  type FindSpans,
  findWords,
  inPlainTextToo,
  KIND_PATTERNS,
  type Span,
  spansOfKind,
  type TextFind,
} from "@capstan/core/internal";
import { RE2JS, RE2JSException } from "re2js";

export function compileTextFind(find: TextFind): Result<FindSpans> {
  if ("model" in find) return ok(() => []); // it judges a whole answer, not a line
  if ("words" in find) return ok(findWords(find.words));
  if ("kind" in find) {
    const { kind } = find;
    return ok(spansOf(RE2JS.compile(KIND_PATTERNS[kind]), (text) => spansOfKind(kind, text)));
  }
  try {
    const compiled = RE2JS.compile(find.pattern);
    if (compiled.test("")) return refuse(find.pattern, "it matches everything, also an empty line");
    return ok(spansOf(compiled));
  } catch (error) {
    if (error instanceof RE2JSException) return refuse(find.pattern, error.message);
    throw error;
  }
}

const refuse = (pattern: string, why: string) => fail("pattern_invalid", { pattern, why });

/** `within`: which parts of a match count; default: all of it. */
const spansOf = (
  pattern: RE2JS,
  within: (text: string) => readonly Span[] = (text) => [[0, text.length]],
): FindSpans =>
  inPlainTextToo((line) => {
    const spans: Span[] = [];
    const matcher = pattern.matcher(line);
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start)
        for (const [from, to] of within(line.slice(start, end))) spans.push([start + from, start + to]);
    }
    return spans;
  });
