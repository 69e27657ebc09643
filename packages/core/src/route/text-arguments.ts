/** Texts: what the task hands over, in quotes, behind a colon, or as what remains of the sentence. */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { type FreeText, freeText, isFreeText } from "./free-text.ts";
import { identifierNamed } from "./identifiers-in-text.ts";
import { isText, type Mapping, take, useUp } from "./mapping.ts";
import { nameIn } from "./names-in-text.ts";
import { kindOf } from "./parameter-kind.ts";
import { isRecord, type ParameterSchema } from "./parameters.ts";
import { stem } from "./stem.ts";
import type { FoundValue } from "./task-values.ts";
import { contentTerms, identifierWords, words } from "./text.ts";

export function freeValue(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  if (!isFilledFreely(parameter)) return undefined;
  const quoted = take(mapping, "quoted");
  if (quoted !== undefined || isIncidental(parameter, mapping)) return quoted;
  const { name, required } = parameter;
  const found = freeText(name, mapping.task, [...mapping.used]);
  if (!found || (!required && isUnasked(found, mapping))) return undefined;
  if (POINTS_BACK.test(found.text)) return undefined; // "write it to a.txt": it is the output of the step before
  if (found.isGuess || (!required && holdsAnother(found, mapping))) mapping.guessed.add(name);
  // The rest of a sentence uses up nothing: a file in it that no parameter takes still needs confirmation.
  if (!found.isRest) mapping.used.add(spanOf(found.text, mapping.task));
  return found.text;
}

const isFilledFreely = ({ name, schema }: Pick<ParameterSchema, "name" | "schema">): boolean =>
  isText(schema) &&
  !Array.isArray(schema.enum) &&
  isFreeText(name) &&
  !isLetter(name, schema) &&
  kindOf({ name, schema }) !== "path";

/** A text that holds a value of another parameter, such as the day in "comment on task 7: It ships on Monday": one of both is wrong. */
function holdsAnother({ text, isRest }: FreeText, { task, used }: Mapping): boolean {
  if (isRest) return false;
  const { at, end } = spanOf(text, task);
  return [...used].some((value) => value.at >= at && value.end <= end && value.text !== text);
}

const spanOf = (text: string, task: string): FoundValue => {
  const at = task.lastIndexOf(text);
  return { kind: "quoted", text, at, end: at < 0 ? at : at + text.length };
};

/** An optional text never gets another parameter's text, and the rest of a sentence only where nothing is required. */
const isUnasked = (found: FreeText, mapping: Mapping): boolean =>
  (found.isRest === true &&
    (mapping.parameters.some(({ required }) => required) || mapping.parameters.length > FILTERS)) ||
  [...mapping.used].some((each) => each.kind === "quoted" && each.text === found.text) ||
  isAboutOperation(found, mapping);

/** With more optional parameters than this, each is a filter, and the whole sentence is none. */
const FILTERS = 4;

/** "cancelled campaigns" of `/campaigns` with a status: the words of the operation itself, and nothing to search for. */
function isAboutOperation({ text, isRest }: FreeText, { hints, parameters }: Mapping): boolean {
  if (!isRest || hints.path === undefined) return false;
  const known = parameters.flatMap(({ name, schema }) => [name, ...choicesOf(schema)]);
  const own = new Set(words(identifierWords([hints.path, ...known].join(" "))).map(stem));
  const english = hints.inEnglish?.(text) ?? text;
  return contentTerms(english).every((term) => own.has(term));
}

function choicesOf({ enum: choices, items }: JsonSchema): string[] {
  const all = choices ?? (isRecord(items) ? items.enum : undefined);
  return Array.isArray(all) ? all.filter((choice) => typeof choice === "string") : [];
}

/** `-q` of a command is "quiet" as often as "query": its description decides. */
const isLetter = (name: string, { description }: JsonSchema): boolean =>
  name.length === 1 &&
  typeof description === "string" &&
  !/\b(search|query|find|terms?|words)\b/i.test(description);

const POINTS_BACK =
  /^(?:it|this|that|them|these|those|the (?:result|output|answer|text|summary)s?|es|das|ergebnis|lo|eso|el resultado|le|cela|le résultat|isso|o resultado|那|它|结果|それ)$/iu;

/** An operation has dozens of optional fields; a filter set to the whole sentence finds nothing. */
const isIncidental = (
  { name, required }: Pick<ParameterSchema, "name" | "required">,
  { hints, parameters }: Mapping,
): boolean =>
  !required &&
  ((hints.path !== undefined && !/^(name|title|q|query|search|prompt)$/i.test(name)) ||
    (ASIDE.test(name) && parameters.some((each) => each.required && isFreeText(each.name))));

/** Optional texts that nobody says without a sign where another takes what the task is about. */
const ASIDE = /desc(?:ription)?$|^meta|caption$|comment$|notes?$/i;

/** A required text of no kind, such as `data`: what the task hands over, if it is marked as a value. */
export function handedOver(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const { schema, required } = parameter;
  if (!required || !isText(schema) || Array.isArray(schema.enum) || kindOf(parameter)) return undefined;
  return (
    take(mapping, "url") ??
    take(mapping, "quoted") ??
    take(mapping, "email") ??
    take(mapping, "phone") ??
    handedText(parameter, mapping)
  );
}

/** "of the text Table 12", "branch fix-login", "the sign Aries". */
function handedText({ name }: ParameterSchema, mapping: Mapping): string | undefined {
  const said = /(?<!\p{L})(?:the|den|el|le|o)\s+(?:text|word|phrase|texto|texte|satz)\s+(\S.*)$/iu.exec(
    mapping.task,
  )?.[1];
  const found =
    said ?? (nameIn(mapping.task, name, { loosely: false }) ?? identifierNamed(name, mapping.task))?.text;
  if (found !== undefined) useUp(mapping, [found]);
  return found;
}
