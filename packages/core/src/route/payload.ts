/**
 * Arguments from a task's text by the tool's JSON Schema. Rules, not a model: what is not in the text is reported
 * as missing and never made up, and a value without a clear sign in the text is reported as a guess.
 */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { arrayFor, describedChoices, enumValue, switchFor } from "./choice-arguments.ts";
import { freeText, isFreeText, valueNamed } from "./free-text.ts";
import { identifierNamed } from "./identifiers-in-text.ts";
import { labelledValues } from "./labelled-values.ts";
import { type Mapping, type PayloadHints, take } from "./mapping.ts";
import { nameIn } from "./names-in-text.ts";
import { numberFor } from "./number-arguments.ts";
import { pathValues } from "./operation.ts";
import { isSource, kindOf, type ParameterKind } from "./parameter-kind.ts";
import { type ParameterSchema, parametersOf } from "./parameters.ts";
import { pathArguments } from "./path-arguments.ts";
import { placeIn } from "./place-arguments.ts";
import { type FoundValue, findValues, isFileEnding, type ValueKind } from "./task-values.ts";
import { boundedLines } from "./text.ts";
import { unplacedValues } from "./unplaced-values.ts";
import { currenciesIn, languagesIn, type NamedValue } from "./value-names.ts";

export interface MappedPayload {
  readonly payload: Readonly<Record<string, JsonValue>>;
  /** Required parameters without a value in the text. */
  readonly missing: readonly string[];
  /** Parameters whose value is a guess. */
  readonly guessed: readonly string[];
  /** Values in the text that no parameter takes: a sign that another tool is meant. */
  readonly unplaced: readonly string[];
  /** How many values of the text (URLs, paths, numbers, lists) were used: evidence for the tool. */
  readonly placed: number;
  /** How many numbers, dates and quoted texts no parameter takes: evidence against it. */
  readonly spare: number;
}

type Fill = (parameter: ParameterSchema, mapping: Mapping) => JsonValue | undefined;

export function mapPayload(task: string, schema: JsonSchema, hints: PayloadHints = {}): MappedPayload {
  const text = boundedLines(task);
  const values = findValues(text, hints.now);
  const parameters = parametersOf(schema);
  const mapping: Mapping = { task: text, values, used: new Set(), guessed: new Set(), hints, parameters };
  const payload: Record<string, JsonValue> = { ...hints.constants };
  const inPath = pathValues(text, hints.path ?? "", { guess: true });
  fill(parameters, payload, ({ name, schema }) => typed(inPath.get(name), schema));
  useUp(mapping, inPath.values());
  const open = parameters.filter(({ name }) => payload[name] === undefined);
  fillLabelled(open, payload, mapping);
  fillPaths(open, payload, mapping);
  // Exact kinds first, so that free text gets only the rest.
  fill(parameters, payload, (parameter) => exactValue(parameter, mapping));
  const neededFirst = [...parameters].sort((a, b) => Number(b.required) - Number(a.required));
  for (const pass of [freeValue, handedOver])
    fill(neededFirst, payload, (parameter) => pass(parameter, mapping));
  const given = ({ name, schema }: ParameterSchema) =>
    payload[name] !== undefined || schema.default !== undefined || schema.const !== undefined;
  const missing = parameters
    .filter(
      (parameter) =>
        (parameter.required && !given(parameter)) || isUnreadPlace(parameter, parameters, payload, mapping),
    )
    .map(({ name }) => name);
  const lists = Object.values(payload).filter((value) => Array.isArray(value)).length;
  return {
    payload,
    missing,
    guessed: [...mapping.guessed],
    unplaced: unplacedValues(mapping, payload),
    placed: mapping.used.size + lists,
    spare: values.filter((value) => SPARE_KINDS.has(value.kind) && !mapping.used.has(value)).length,
  };
}

const SPARE_KINDS = new Set<ValueKind>(["number", "date", "quoted"]);

/**
 * The task names a place, and this is the only parameter that could say where: a default would answer for somewhere else. An unknown
 * place is missing input.
 */
const isUnreadPlace = (
  parameter: ParameterSchema,
  parameters: readonly ParameterSchema[],
  payload: Readonly<Record<string, JsonValue>>,
  { task }: Mapping,
): boolean =>
  kindOf(parameter) === "timezone" &&
  payload[parameter.name] === undefined &&
  parameters.every((each) => each === parameter || Array.isArray(each.schema.enum)) &&
  PLACE_NAME.test(task);

function fill(
  parameters: readonly ParameterSchema[],
  payload: Record<string, JsonValue>,
  find: (parameter: ParameterSchema) => JsonValue | undefined,
): void {
  for (const parameter of parameters) {
    const value = payload[parameter.name] === undefined ? find(parameter) : undefined;
    if (value !== undefined) payload[parameter.name] = value;
  }
}

function fillLabelled(
  parameters: readonly ParameterSchema[],
  payload: Record<string, JsonValue>,
  mapping: Mapping,
): void {
  const taking = parameters.filter(({ schema }) => isText(schema) && !Array.isArray(schema.enum));
  const labelled = labelledValues(
    mapping.task,
    taking.map(({ name }) => name),
  );
  for (const [name, value] of labelled) {
    const parameter = taking.find((each) => each.name === name);
    if (!parameter || !holds(parameter, value.text)) continue;
    payload[name] = value.text;
    useUp(mapping, [value.text]);
    mapping.used.add(value);
  }
}

/** A label does not override the type: a URL must be one. */
const holds = (parameter: ParameterSchema, text: string): boolean => {
  const kind = kindOf(parameter);
  return kind === "url" ? /^https?:/i.test(text) : kind === "email" ? text.includes("@") : kind !== "date";
};

function fillPaths(
  parameters: readonly ParameterSchema[],
  payload: Record<string, JsonValue>,
  { task, values, used }: Mapping,
): void {
  const open = parameters.filter(({ name }) => payload[name] === undefined);
  const free = values.filter((value) => !used.has(value));
  for (const [name, { value, used: taken }] of pathArguments(task, open, free)) {
    payload[name] = value;
    for (const each of taken) used.add(each);
  }
}

/** A part of a name is not a value: the 0 of "web-0". */
function useUp({ task, values, used }: Mapping, names: Iterable<string>): void {
  for (const name of names) {
    const from = task.indexOf(name);
    const end = from + name.length;
    for (const value of values) if (value.at < end && value.end > from) used.add(value);
  }
}

/** A value that stands for a thing by name, if the parameter's type allows it. */
function typed(value: string | undefined, { type }: JsonSchema): JsonValue | undefined {
  if (type !== "integer" && type !== "number") return value;
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

const isText = ({ type }: JsonSchema): boolean => type === "string" || type === undefined;

/** How a parameter of each kind is filled. Paths are not here: they are assigned together, in order. */
const FILLS: Readonly<Record<Exclude<ParameterKind, "path">, Fill>> = {
  url: taking("url"),
  email: taking("email"),
  uuid: taking("uuid"),
  phone: taking("phone"),
  date: (parameter, mapping) => {
    const date = take(mapping, "date");
    if (date === undefined && /^(start|end|when)$/i.test(parameter.name)) return take(mapping, "time");
    return parameter.schema.format === "date" ? date?.slice(0, 10) : date;
  },
  time: taking("time"),
  timezone: (_, { task, hints }) =>
    /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/.exec(task)?.[0] ?? hints.timezoneOf?.(task),
  host: (_, { task }) => /\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b/i.exec(task)?.[0],
  place: (parameter, mapping) => placeIn(parameter, mapping) ?? mapping.hints.placeOf?.(mapping.task),
  pattern: (parameter, mapping) => patternFor(parameter, mapping),
  language: (parameter, mapping) => languageFor(parameter, mapping),
  currency: (parameter, mapping) => currencyFor(parameter, mapping),
  identifier: (parameter, mapping) => identifierFor(parameter, mapping),
  name: (parameter, mapping) => nameFor(parameter, mapping),
};

function exactValue(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const { schema, name } = parameter;
  if (schema.const !== undefined) return schema.const as JsonValue;
  const kind = kindOf(parameter);
  if (Array.isArray(schema.enum)) {
    return kind === "language" ? languageFor(parameter, mapping) : enumValue(schema.enum, mapping);
  }
  if (schema.type === "number" || schema.type === "integer") return numberFor(parameter, mapping);
  if (schema.type === "boolean") return switchFor(name, mapping);
  if (schema.type === "array" && kind === "path") return arrayFor({ ...parameter, required: false }, mapping);
  if (kind === "path") return undefined;
  if (schema.type === "array") return arrayFor(parameter, mapping);
  return isText(schema) ? textValue(parameter, kind, mapping) : undefined;
}

function textValue(
  parameter: ParameterSchema,
  kind: Exclude<ParameterKind, "path"> | undefined,
  mapping: Mapping,
): JsonValue | undefined {
  const { name, schema } = parameter;
  const chosen = enumValue(describedChoices(schema.description), mapping);
  if (chosen !== undefined) return chosen;
  if (!kind && isFormat(parameter)) return formatIn(mapping.task);
  return kind ? FILLS[kind](parameter, mapping) : named(name, mapping);
}

/** "Output format", "Set output format to 'v'": what comes behind "as" or "to", if files end so. */
const isFormat = ({ name, schema: { description } }: ParameterSchema): boolean =>
  /(^|_)format$/i.test(name) ||
  /^(?:the |set |name of the )*(?:output )?format\b/i.test(String(description ?? ""));

const formatIn = (task: string): string | undefined =>
  [...task.matchAll(/\b(?:as|to|into)\s+(?:an?\s+)?([a-z0-9]{2,5})\b(?!\.\w)/gi)]
    .map(([, word = ""]) => word.toLowerCase())
    .findLast(isFileEnding);

/** "event deploy.done": the word after the parameter's own name. */
function named(name: string, { task, used }: Mapping): string | undefined {
  const found = valueNamed(name, task);
  if (!found || !/^(?:$|[\s,;.!?])/.test(task.slice(found.end))) return undefined; // "print" of "print(1+1)" is not a word
  used.add(found);
  return found.text;
}

const FROM_LANGUAGE = /(?<!\p{L})(?:from|aus|vom|del|du|do|desde|depuis)\s+(?:(?:the|dem|el|le|o)\s+)?$/iu;

/** "into French" is the target, "from German" the source; a language in quotes is part of a text. */
function languageFor(parameter: ParameterSchema, { task, values }: Mapping): string | undefined {
  const said = languagesIn(task).filter(
    ({ at }) => !values.some((value) => value.kind === "quoted" && value.at <= at && at < value.end),
  );
  const isFrom = ({ at }: NamedValue) => FROM_LANGUAGE.test(task.slice(0, at));
  const chosen = isSource(parameter) ? said.find(isFrom) : said.findLast((each) => !isFrom(each));
  if (!chosen) return undefined;
  const { enum: choices, description } = parameter.schema;
  if (!Array.isArray(choices))
    return /\b(code|ISO)\b/i.test(String(description ?? "")) || /code/i.test(parameter.name)
      ? chosen.code
      : parameter.name.match(/lang$/i)
        ? chosen.code
        : chosen.name;
  const fits = (choice: unknown) =>
    typeof choice === "string" &&
    [chosen.code, chosen.name.toLowerCase()].includes(choice.toLowerCase().split(/[-_]/)[0] ?? "");
  return choices.find(fits) as string | undefined;
}

/** The first currency mentioned is the source. */
function currencyFor(parameter: ParameterSchema, { task }: Mapping): string | undefined {
  const said = currenciesIn(task);
  const chosen = isSource(parameter) ? said[0] : said.length > 1 ? said.at(-1) : undefined;
  return (chosen ?? (/^currency/i.test(parameter.name) ? said[0] : undefined))?.code;
}

/** "message msg-4711", "invoice 2026-118". Only a required one is filled without a mention of its name. */
function identifierFor(parameter: ParameterSchema, mapping: Mapping): string | undefined {
  const ofNoun = identifierNamed(parameter.name, mapping.task);
  if (ofNoun) useUp(mapping, [ofNoun.text]);
  const byName = ofNoun?.text ?? named(parameter.name, mapping);
  if (byName !== undefined || !parameter.required) return byName;
  const { values, used, guessed } = mapping;
  const free = values.filter((value) => !used.has(value) && !isNamedAfterAnother(value, parameter, mapping));
  const candidates = free.filter(({ kind }) => kind === "identifier" || kind === "uuid");
  const chosen = candidates[0] ?? free.find(({ kind }) => kind === "number");
  if (!chosen) return take(mapping, "quoted");
  if (candidates.length > 1) guessed.add(parameter.name);
  used.add(chosen);
  return chosen.text;
}

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

function nameFor({ name, required }: ParameterSchema, mapping: Mapping): string | undefined {
  const quoted = take(mapping, "quoted");
  if (quoted !== undefined) return quoted;
  const found = nameIn(mapping.task, name, { loosely: required });
  if (found) mapping.used.add(found);
  return found?.text ?? named(name, mapping);
}

function freeValue({ name, schema, required }: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  if (!isText(schema) || Array.isArray(schema.enum) || !isFreeText(name) || isLetter(name, schema))
    return undefined;
  if (kindOf({ name, schema }) === "path") return undefined;
  const quoted = take(mapping, "quoted");
  if (quoted !== undefined || isIncidental({ name, required }, mapping)) return quoted;
  const found = freeText(name, mapping.task, [...mapping.used]);
  if (found && POINTS_BACK.test(found.text)) return undefined; // "write it to a.txt": it is the output of the step before
  if (found?.isGuess) mapping.guessed.add(name);
  return found?.text;
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
function handedOver(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
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

function taking(kind: ValueKind): Fill {
  return (_, mapping) =>
    take(mapping, kind) ?? (kind === "url" || kind === "email" ? takeShared(mapping, kind) : undefined);
}

/** The only URL of a task may fill two parameters. */
const takeShared = ({ values }: Mapping, kind: ValueKind): string | undefined =>
  values.findLast((value) => value.kind === kind)?.text;

/** After the prepositions of every language that tasks are read in. */
const PLACE_NAME =
  /(?<!\p{L})(?:in|for|at|near|of|to|from|für|bei|nach|en|em|à|a|para|pour|de)\s+(?:the\s+)?(\p{Lu}[\p{L}'.-]*(?:\s+\p{Lu}[\p{L}'.-]*)*)/u;

const LOOKED_FOR =
  /\b(?:pattern|for|matching|containing|mentioning|contains?)\s+(?:(?:the|a|any|all)\s+)*(?:(?:words?|text|phrase|term|string|lines?|pattern)\s+)?(?:(?:with|containing|matching)\s+)?([^\s,;?!]+)/i;

/** "search for the word invoice" looks for "invoice". A word is not a pattern of paths: that one must be quoted. */
function patternFor({ name }: ParameterSchema, mapping: Mapping): string | undefined {
  const quoted = take(mapping, "quoted");
  return quoted ?? (/path|file|glob/i.test(name) ? undefined : LOOKED_FOR.exec(mapping.task)?.[1]?.trim());
}
