/**
 * The one thing that a task names and nothing has taken: "who discovered radium" for a required `element_name`. What is left of the task
 * without its values, its verbs and the words of the tool itself must be one run of words; it counts as a guess.
 */
import type { JsonValue } from "../schema.ts";
import { isActionVerb } from "./actions.ts";
import { isFreeText } from "./free-text.ts";
import { isTaken, isText, type Mapping } from "./mapping.ts";
import { isCalendarWord } from "./names-in-text.ts";
import { kindOf, type ParameterKind } from "./parameter-kind.ts";
import type { ParameterSchema } from "./parameters.ts";
import { stem } from "./stem.ts";
import type { FoundValue } from "./task-values.ts";
import { contentTerms, identifierWords, isStopTerm, words } from "./text.ts";

/** An identifier or an address is never a plain word of the task. */
const TAKING = new Set<ParameterKind | undefined>([undefined, "name", "place"]);
const EXACT =
  /\b(?:[gu]?u?ids?|identifier|token|key|code|url|slug|path|json|command|sql|expression|formula|format|formatted)\b/i;
const MOST_WORDS = 6;

export function onlyThing(
  parameter: ParameterSchema,
  mapping: Mapping,
  payload: Readonly<Record<string, JsonValue>>,
): string | undefined {
  const { about, inEnglish } = mapping.hints;
  const isEnglish = inEnglish === undefined || inEnglish(mapping.task) === mapping.task;
  if (about === undefined || !isEnglish || !takesThing(parameter)) return undefined; // the tool's own words are English
  const held = Object.values(payload).filter((value) => typeof value === "string");
  const runs = runsOf(mapping, ownTerms(about, mapping.parameters)).filter(
    ({ text }) => !held.some((value) => value.includes(text)),
  );
  const [only, ...others] =
    runs.length > 1 && isOfName(parameter) ? runs.filter(({ text }) => /^\p{Lu}/u.test(text)) : runs;
  if (!only || others.length > 0 || words(only.text).length > MOST_WORDS) return undefined;
  mapping.used.add(only);
  mapping.guessed.add(parameter.name);
  return only.text;
}

const takesThing = (parameter: ParameterSchema): boolean =>
  parameter.required &&
  isText(parameter.schema) &&
  !Array.isArray(parameter.schema.enum) &&
  TAKING.has(kindOf(parameter)) &&
  !isFreeText(parameter.name.replace(/_?name$/i, "")) &&
  !EXACT.test(`${identifierWords(parameter.name)} ${parameter.schema.description ?? ""}`);

const isOfName = (parameter: ParameterSchema): boolean =>
  kindOf(parameter) !== undefined || /\bname\b/i.test(String(parameter.schema.description ?? ""));

/** What the tool says of itself is no value; the examples in its descriptions may be. */
const ownTerms = (about: string, parameters: readonly ParameterSchema[]): ReadonlySet<string> =>
  new Set(
    contentTerms(
      identifierWords(
        [
          about,
          ...parameters.flatMap(({ name, schema }) => [
            name,
            String(schema.description ?? "").replaceAll(
              /["'`][^"'`]*["'`]|\b(?:e\.g\.|such as|for example|like)[\s\S]*$/gi,
              " ",
            ),
          ]),
        ].join(" "),
      ),
    ),
  );

/** Runs of words that nothing has taken and that are neither verbs nor the tool's own. */
function runsOf(mapping: Mapping, own: ReadonlySet<string>): FoundValue[] {
  const runs: FoundValue[] = [];
  let isOpen = false;
  for (const match of mapping.task.matchAll(/[\p{L}\d][\p{L}\d'’&-]*|[^\s\p{L}\d]/gu)) {
    const [text] = match;
    const value: FoundValue = { kind: "quoted", text, at: match.index, end: match.index + text.length };
    const last = runs.at(-1);
    if (!isThing(text, own) || isTaken(value, mapping)) isOpen = false;
    else if (isOpen && last) runs[runs.length - 1] = joined(last, value, mapping.task);
    else {
      runs.push(value);
      isOpen = true;
    }
  }
  return runs;
}

const joined = (last: FoundValue, next: FoundValue, task: string): FoundValue => ({
  ...last,
  text: task.slice(last.at, next.end),
  end: next.end,
});

function isThing(text: string, own: ReadonlySet<string>): boolean {
  const [word = ""] = words(text.replace(/['’]\p{L}{1,2}$/u, ""));
  if (/^New$/.test(text)) return true;
  return (
    /^\p{L}/u.test(text) &&
    word.length > 1 &&
    !isStopTerm(word) &&
    !own.has(stem(word)) &&
    !isActionVerb(word) &&
    !isCalendarWord(text) &&
    !COMMON.has(stem(word))
  );
}

/** What people say whatever they ask for. */
const COMMON = new Set(
  contentTerms(
    `please thanks hello hi information details data value list current today tomorrow now latest nearest available upcoming specific many
     much one two three first next last new give show want would like looking information about using use also only all every each more
     most during after before between while until since over under please near located related based given including called named say`,
  ),
);
