/**
 * What a verb takes, read from its command's usage: the text that people read is the rule that is enforced. An option that the
 * usage gives to other verbs alone, and an argument too many, would be ignored; they are refused instead.
 */
import { fail, ok, type Result } from "@capstan/core";

export interface VerbUsage {
  /** Options that the usage names for this verb, or for all. */
  readonly options: ReadonlySet<string>;
  /** Options that it names for others. */
  readonly others: ReadonlySet<string>;
  readonly mostArguments: number;
}

export interface SaidOptions {
  readonly [name: string]: unknown;
}

export function checkVerb(
  usage: string,
  verb: string,
  rest: readonly string[],
  options: SaidOptions,
): Result<true> {
  const takes = readUsage(usage, verb);
  if (!takes) return ok(true);
  const extra = rest[takes.mostArguments];
  if (extra !== undefined) {
    const message = `${verb} takes ${countText(takes.mostArguments)}, so "${extra}" is unexpected; put text with spaces in quotes`;
    return fail("command_invalid", { message, usage });
  }
  const foreign = Object.keys(options).find(
    (name) => options[name] !== undefined && takes.others.has(name) && !takes.options.has(name),
  );
  return foreign === undefined
    ? ok(true)
    : fail("command_invalid", { message: `${verb} does not take --${foreign}`, usage });
}

const countText = (most: number): string =>
  most === 0 ? "no argument" : `${most} argument${most === 1 ? "" : "s"}`;

/** Undefined where the usage has no list of verbs, or not this one. */
export function readUsage(usage: string, verb: string): VerbUsage | undefined {
  const start = usage.indexOf("[");
  const end = closing(usage, start);
  if (start < 0 || end < 0) return undefined;
  const segments = choices(usage.slice(start + 1, end));
  const own = segments.find((segment) => segment.split(" ")[0] === verb);
  if (own === undefined) return undefined;
  const shared = optionsIn(usage.slice(end));
  return {
    options: new Set([...optionsIn(own), ...shared]),
    others: new Set(segments.flatMap(optionsIn)),
    mostArguments: argumentsIn(own.slice(verb.length)),
  };
}

function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at >= 0 && at < text.length; at++) {
    if (text[at] === "[") depth++;
    if (text[at] === "]" && --depth === 0) return at;
  }
  return -1;
}

/** Split at the bars that are in neither brackets nor a placeholder. */
function choices(text: string): string[] {
  let depth = 0;
  let from = 0;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if ("[<".includes(text[at] ?? "")) depth++;
    if ("]>".includes(text[at] ?? "")) depth--;
    if (depth === 0 && text.startsWith(" | ", at)) {
      parts.push(text.slice(from, at));
      from = at + 3;
    }
  }
  return [...parts, text.slice(from)];
}

const optionsIn = (text: string): string[] =>
  [...text.matchAll(/--([a-z][a-z-]*)/g)].map(([, name = ""]) => name);

function argumentsIn(text: string): number {
  const plain = text
    .replace(/--[a-z][a-z-]*(?: (?:"[^"]*"|<[^>]*>|[^\s[\]|<"-][^\s[\]]*))?(?:\.\.\.)?/g, "")
    .replace(/\[[a-z]+(?: \| [a-z]+)+\]/g, "<one>");
  const places = [...plain.matchAll(/<([^>]*)>(\.\.\.)?/g)];
  const isOpen = places.some(([, inside = "", dots]) => dots !== undefined || inside.includes("..."));
  return isOpen ? Number.POSITIVE_INFINITY : places.length;
}
