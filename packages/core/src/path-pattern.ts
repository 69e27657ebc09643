/**
 * Glob patterns over session paths: `*`, `?`, `**`, `[a-z]`, `[!a]`, `{a,b}`, and `\` to escape a character.
 * A pattern without `/` is compared with the last path segment, one with `/` with the whole path.
 * Matching tracks a set of positions instead of backtracking, so `*a*a*a*b` costs no more than its length.
 */
import { fail } from "./failures/fail.ts";
import { ok, type Result } from "./result.ts";
import { baseName } from "./session-path.ts";

const MAX_PATTERN_CHARS = 500;
const MAX_ALTERNATIVES = 64; // `{a,b}{c,d}{e,f}...` doubles with every group

export type PathMatcher = (path: string) => boolean;

type Part =
  | { readonly kind: "char"; readonly test: (char: string) => boolean }
  | { readonly kind: "star"; readonly crosses: boolean }
  | { readonly kind: "optional"; readonly next: number };

/** Compiles a glob into a test on normalised paths. */
export function pathPattern(pattern: string): Result<PathMatcher> {
  if (pattern.length > MAX_PATTERN_CHARS)
    return refuse(pattern.slice(0, 50), `it is longer than ${MAX_PATTERN_CHARS} characters`);
  const alternatives = expandBraces(pattern);
  if (!alternatives) return refuse(pattern, `its braces give more than ${MAX_ALTERNATIVES} patterns`);
  const matchers: PathMatcher[] = [];
  for (const alternative of alternatives) {
    const parts = parseParts(alternative.includes("/") ? absolute(alternative) : alternative);
    if (!parts) return refuse(pattern, "a '[' is not closed");
    const whole = alternative.includes("/");
    matchers.push((path) => matches(parts, whole ? path : baseName(path)));
  }
  return ok((path) => matchers.some((matcher) => matcher(path)));
}

/** `src/*.ts` means `/src/*.ts`; `**` at the start already means any directory. */
function absolute(pattern: string): string {
  return pattern.startsWith("/") ? pattern : `/${pattern}`;
}

function refuse(pattern: string, why: string): Result<never> {
  return fail("pattern_invalid", { pattern, why });
}

/** Replaces the first `{a,b}` by each of its choices until none is left; undefined when there are too many. */
function expandBraces(pattern: string): string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const choices = firstBraces(next);
    if (!choices) done.push(next);
    else open.push(...choices);
    if (done.length + open.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

function firstBraces(pattern: string): string[] | undefined {
  const start = unescapedIndex(pattern, "{", 0);
  if (start === -1) return undefined;
  const cuts = [start];
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "{") depth++;
    else if (char === "," && depth === 1) cuts.push(at);
    else if (char === "}" && --depth === 0) return choicesOf(pattern, cuts, at);
  }
  return undefined; // an unclosed `{` is a plain character
}

function choicesOf(pattern: string, cuts: readonly number[], end: number): string[] | undefined {
  if (cuts.length === 1) {
    // `{a}` offers no choice, so bash keeps it literally; the rest may still contain braces.
    const plain = `${pattern.slice(0, cuts[0])}\\{${pattern.slice((cuts[0] ?? 0) + 1, end)}\\}${pattern.slice(end + 1)}`;
    return [plain];
  }
  const [start = 0] = cuts;
  return cuts.map((cut, index) => {
    const choice = pattern.slice(cut + 1, cuts[index + 1] ?? end);
    return pattern.slice(0, start) + choice + pattern.slice(end + 1);
  });
}

function unescapedIndex(text: string, wanted: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === wanted) return at;
  }
  return -1;
}

const TOKEN = /\*+|\[[!^]?.[^\]]*\]|\\.|./gsu;

function parseParts(pattern: string): Part[] | undefined {
  const tokens: readonly string[] = pattern.match(TOKEN) ?? [];
  if (tokens.includes("[")) return undefined;
  return tokens.flatMap((token, at) => {
    if (token.startsWith("**")) return anyDirectories(tokens[at - 1] === "/" && tokens[at + 1] === "/");
    return partOf(token);
  });
}

/** `**` crosses directories; between two slashes, it and the second slash may match nothing. */
function anyDirectories(betweenSlashes: boolean): Part[] {
  const stars: Part = { kind: "star", crosses: true };
  return betweenSlashes ? [{ kind: "optional", next: 2 }, stars] : [stars];
}

function partOf(token: string): Part {
  if (token === "*") return { kind: "star", crosses: false };
  if (token === "?") return { kind: "char", test: (char) => char !== "/" };
  if (token.length > 2 && token.startsWith("["))
    return { kind: "char", test: classTest([...token.slice(1, -1)]) };
  const literal = token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;
  return { kind: "char", test: (char) => char === literal };
}

function classTest(body: readonly string[]): (char: string) => boolean {
  const negated = body[0] === "!" || body[0] === "^";
  const members = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? "";
    const to = members[at + 2];
    if (members[at + 1] === "-" && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return (char) => char !== "/" && ranges.some(([from, to]) => char >= from && char <= to) !== negated;
}

function matches(parts: readonly Part[], text: string): boolean {
  let positions = withoutReading(parts, new Set([0]));
  for (const char of text) {
    const next = [...positions].flatMap((position) => afterReading(parts[position], char, position));
    if (next.length === 0) return false;
    positions = withoutReading(parts, new Set(next));
  }
  return positions.has(parts.length);
}

function afterReading(part: Part | undefined, char: string, position: number): number[] {
  if (part?.kind === "star" && (part.crosses || char !== "/")) return [position];
  if (part?.kind === "char" && part.test(char)) return [position + 1];
  return [];
}

/** Adds every position reachable without reading a character; iterating a growing set also visits the new ones. */
function withoutReading(parts: readonly Part[], positions: Set<number>): Set<number> {
  for (const position of positions) {
    const part = parts[position];
    if (part?.kind === "star" || part?.kind === "optional") positions.add(position + 1);
    if (part?.kind === "optional") positions.add(position + 1 + part.next);
  }
  return positions;
}
