/** Names and identifiers: beside their noun, in quotes, behind "called", or as the only one of their kind. */
import type { JsonValue } from "../schema.ts";
import { isActionVerb } from "./actions.ts";
import { mentionedChoices } from "./choice-arguments.ts";
import { isFreeText, valueNamed } from "./free-text.ts";
import { identifierNamed } from "./identifiers-in-text.ts";
import { isTaken, isText, type Mapping, useUp } from "./mapping.ts";
import { nameIn, titleIn } from "./names-in-text.ts";
import { nounsOf, valueBesideNoun } from "./noun-values.ts";
import { kindOf, type ParameterKind } from "./parameter-kind.ts";
import type { ParameterSchema } from "./parameters.ts";
import { spokenNoun } from "./spoken-nouns.ts";
import { stem } from "./stem.ts";
import type { FoundValue } from "./task-values.ts";
import { identifierWords, isStopTerm, words } from "./text.ts";

/** "event deploy.done": the word after the parameter's own name. */
export function named(name: string, { task, used }: Mapping): string | undefined {
  const found = valueNamed(name, task);
  if (!found || !/^(?:$|[\s,;.!?])/.test(task.slice(found.end))) return undefined; // "print" of "print(1+1)" is not a word
  used.add(found);
  return found.text;
}

/** "from develop" for `from_branch`, "into main" for `target_branch`, "to iec" for `to`. */
export function directed({ name, schema }: ParameterSchema, mapping: Mapping): string | undefined {
  const kind = kindOf({ name, schema });
  if (
    !isText(schema) ||
    Array.isArray(schema.enum) ||
    !(/branch|ref$|^head$|^base$/i.test(name) || (/^(?:from|to)$/i.test(name) && kind === undefined)) ||
    kind === "path"
  )
    return undefined;
  const words = /^(?:from|source|head|src)/i.test(name)
    ? "from|aus|von|desde|de|depuis|à partir de"
    : /^(?:to|target|base|dest|into)/i.test(name)
      ? "to|into|onto|in|nach|auf|hacia|vers|para"
      : undefined;
  const found =
    words === undefined
      ? undefined
      : new RegExp(
          `(?<!\\p{L})(?:${words})\\s+(?:the\\s+)?(?:branch\\s+)?([\\p{L}\\d][\\p{L}\\d_./-]*[\\p{L}\\d])`,
          "iu",
        ).exec(mapping.task);
  const text = found?.[1];
  if (!found || text === undefined) return undefined;
  const at = found.index + found[0].length - text.length;
  const value: FoundValue = { kind: "quoted", text, at, end: at + text.length };
  if (isTaken(value, mapping)) return undefined;
  mapping.used.add(value);
  return text;
}

/** "namespace shop", "the prod cluster": required text behind or before its own noun, whatever its kind. */
export function besideNoun(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const { schema, required, name } = parameter;
  if (!isText(schema) || Array.isArray(schema.enum) || NOT_BESIDE.test(name)) return undefined;
  const kind = kindOf(parameter);
  if (kind !== undefined && !BESIDE_KINDS.has(kind)) return undefined;
  const found = valueBesideNoun({
    task: mapping.task,
    values: mapping.values,
    nouns: nounsIn(parameter, mapping),
    loosely: required,
  });
  if (!found || (!required && schema.description === undefined && isFreeText(name))) return undefined;
  if (isTaken(found, mapping)) return undefined;
  mapping.used.add(found);
  useUp(mapping, [found.text]);
  return found.text;
}

const BESIDE_KINDS = new Set<ParameterKind>(["name", "identifier", "place"]);
/** What people write, rather than name. */
const NOT_BESIDE =
  /content|(?<!con)text|body|message|note|comment|prompt|question|query|search|instruction|description|summary|format/i;

/** A `name` beside a `resourceType` is called by one of its choices: "deployment api". */
function nounsIn(parameter: ParameterSchema, { parameters }: Mapping): string[] {
  const own = nounsOf(parameter);
  if (!/name$/i.test(parameter.name)) return own;
  const types = parameters
    .filter(({ name }) => /type$/i.test(name))
    .flatMap(({ schema }) => [
      ...(Array.isArray(schema.enum) ? schema.enum : []),
      ...mentionedChoices(schema.description),
    ]);
  return [...own, ...types.filter((type) => typeof type === "string").map((type) => type.replace(/s$/, ""))];
}

/** "message msg-4711", "invoice 2026-118". Only a required one is filled without a mention of its name. */
export function identifierFor(parameter: ParameterSchema, mapping: Mapping): string | undefined {
  const ofNoun = identifierNamed(parameter.name, mapping.task);
  if (ofNoun) useUp(mapping, [ofNoun.text]);
  const byName = ofNoun?.text ?? named(parameter.name, mapping);
  if (byName !== undefined || !parameter.required) return byName;
  const { values, used, guessed } = mapping;
  const free = values.filter((value) => !used.has(value) && !isNamedAfterAnother(value, parameter, mapping));
  const candidates = free.filter(({ kind }) => kind === "identifier" || kind === "uuid");
  const chosen =
    candidates[0] ??
    free.find((value) => value.kind === "number" && !isCount(value, mapping)) ??
    free.find(({ kind, text }) => kind === "quoted" && !/\s/.test(text));
  if (!chosen) return undefined;
  const own = identifierWords(parameter.name).replace(/\s*\b(?:g|i|u)?(?:id|number|no|key|code)s?\b/gi, "");
  if (candidates.length > 1 || (own.trim() !== "" && isOfAnotherThing(chosen.at, mapping.task, own)))
    guessed.add(parameter.name);
  used.add(chosen);
  return chosen.text;
}

/** "rule 18": whether the word before the value is the noun of something else. */
export function isOfAnotherThing(at: number, task: string, own: string): boolean {
  const noun = /(\p{L}{3,})\s+(?:number\s+|no\.?\s+|id\s+)?#?$/iu.exec(task.slice(0, at))?.[1]?.toLowerCase();
  if (
    noun === undefined ||
    isStopTerm(noun) ||
    isActionVerb(noun) ||
    /^(?:id|number|called|named)$/.test(noun)
  )
    return false;
  const nouns = words(own).flatMap((word) => [
    word,
    ...spokenNoun(word.replace(/s$/, "")).toLowerCase().split("|"),
  ]);
  return !nouns.some((each) => stem(each) === stem(noun));
}

/** "the last 5 workouts", "top 10". */
const isCount = ({ at }: FoundValue, { task }: Mapping): boolean => COUNTS.test(task.slice(0, at));
const COUNTS =
  /(?<!\p{L})(?:last|latest|first|top|next|newest|past|previous|recent|letzten?|ersten?|nächsten?|neuesten?|últim[oa]s|primer[oa]s|próxim[oa]s|derni[eè]re?s|premi[eè]re?s|prochaine?s|primeir[oa]s)\s+$/iu;

/** "event ev_93kd" is the event's, and nobody else's. */
const isNamedAfterAnother = (
  { at, end }: FoundValue,
  { name }: ParameterSchema,
  { task, parameters }: Mapping,
): boolean =>
  parameters.some((each) => {
    const theirs = each.name === name ? undefined : identifierNamed(each.name, task);
    return theirs !== undefined && theirs.at < end && theirs.end > at;
  });

export function nameFor(parameter: ParameterSchema, mapping: Mapping): string | undefined {
  const { name, required } = parameter;
  const quoted = takeQuoted(parameter, mapping);
  if (quoted !== undefined) return quoted;
  const titled = /title|^name$|^subject$/i.test(name)
    ? titleIn(mapping.task, mapping.parameters.filter((each) => each.name !== name).flatMap(nounsOf))
    : undefined;
  const found = titled ?? nameIn(mapping.task, name, { loosely: required });
  if (found && !isTaken(found, mapping)) {
    mapping.used.add(found);
    return found.text;
  }
  return named(name, mapping);
}

/** "the song 'Yesterday'" is the song's, and not the artist's. */
function takeQuoted(parameter: ParameterSchema, mapping: Mapping): string | undefined {
  const { task, values, used, parameters } = mapping;
  const open = values.filter((value) => value.kind === "quoted" && !used.has(value));
  const isBehind = (each: ParameterSchema) => {
    const nouns = nounsOf(each);
    return ({ at }: FoundValue) =>
      nouns.some((noun) =>
        new RegExp(
          `(?<!\\p{L})(?:${spokenNoun(noun)})s?(?:\\s+(?:called|named|titled|is|of|name|title))*\\s*:?\\s*$`,
          "iu",
        ).test(task.slice(0, at)),
      );
  };
  const others = parameters.filter(({ name }) => name !== parameter.name).map(isBehind);
  const chosen =
    open.find(isBehind(parameter)) ?? open.find((value) => !others.some((isTheirs) => isTheirs(value)));
  if (chosen) used.add(chosen);
  return chosen?.text;
}
