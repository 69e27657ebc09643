/**
 * Arguments from a task's text by the tool's JSON Schema. Rules, not a model: what is not in the text is reported
 * as missing and never made up, and a value without a clear sign in the text is reported as a guess.
 */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { withoutMention } from "./capability-mention.ts";
import {
  arrayFor,
  describedChoices,
  describedCode,
  enumValue,
  mentionedChoice,
  switchFor,
} from "./choice-arguments.ts";
import { currencyFor, languageFor } from "./code-arguments.ts";
import { dateAs } from "./declared-dates.ts";
import { behindColon, isFreeText } from "./free-text.ts";
import { labelledValues } from "./labelled-values.ts";
import { isText, type Mapping, type PayloadHints, take, useUp } from "./mapping.ts";
import { besideNoun, directed, identifierFor, isOfAnotherThing, named, nameFor } from "./name-arguments.ts";
import { nestedValue } from "./nested-arguments.ts";
import { isNumeric, numberFor } from "./number-arguments.ts";
import { numbersByName } from "./numbers-by-name.ts";
import { onlyThing } from "./only-thing.ts";
import { pathValues } from "./operation.ts";
import { pairArguments } from "./pair-arguments.ts";
import { kindOf, type ParameterKind } from "./parameter-kind.ts";
import { type ParameterSchema, parametersOf } from "./parameters.ts";
import { pathArguments } from "./path-arguments.ts";
import { placeIn } from "./place-arguments.ts";
import { repositoryIn } from "./repository-names.ts";
import { findValues, isFileEnding, type ValueKind } from "./task-values.ts";
import { boundedLines, identifierWords } from "./text.ts";
import { freeValue, handedOver } from "./text-arguments.ts";
import { withoutWordsOf } from "./unheard-words.ts";
import { unplacedValues } from "./unplaced-values.ts";

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
  /** The text without the words that hold a value. */
  readonly rest: string;
}

type Fill = (parameter: ParameterSchema, mapping: Mapping) => JsonValue | undefined;

export function mapPayload(task: string, schema: JsonSchema, hints: PayloadHints = {}): MappedPayload {
  const text = withoutMention(boundedLines(task), hints.calledNames ?? []);
  const values = findValues(text, hints.now);
  const parameters = parametersOf(schema);
  const mapping: Mapping = { task: text, values, used: new Set(), guessed: new Set(), hints, parameters };
  const payload: Record<string, JsonValue> = { ...hints.constants };
  const inPath = pathValues(text, hints.path ?? "", { guess: true });
  fill(parameters, payload, ({ name, schema }) => typed(inPath.get(name), schema));
  for (const name of guessedInPath(text, hints.path ?? "", inPath)) mapping.guessed.add(name);
  useUp(mapping, inPath.values());
  const open = parameters.filter(({ name }) => payload[name] === undefined);
  fillLabelled(open, payload, mapping);
  fillRepository(open, payload, mapping);
  fillPaths(open, payload, mapping);
  const pair = pairArguments(
    parameters.filter(({ name }) => payload[name] === undefined),
    mapping,
  );
  fill(parameters, payload, ({ name }) => pair.get(name));
  const numbers = numbersByName(
    parameters.filter(({ name }) => payload[name] === undefined),
    mapping,
  );
  fill(parameters, payload, ({ name }) => numbers.get(name));
  // Exact kinds first, so that free text gets only the rest.
  fill(parameters, payload, (parameter) => exactValue(parameter, mapping));
  const neededFirst = [...parameters].sort((a, b) => Number(b.required) - Number(a.required));
  for (const pass of [directed, besideNoun, freeValue, handedOver, nested])
    fill(neededFirst, payload, (parameter) => pass(parameter, mapping));
  fill(neededFirst, payload, (parameter) => onlyThing(parameter, mapping, payload));
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
    spare:
      values.filter((value) => SPARE_KINDS.has(value.kind) && !mapping.used.has(value)).length +
      (isColonTextSpare(text, payload) ? 1 : 0),
    rest: withoutWordsOf([...mapping.used, ...values], text),
  };
}

/** "apply rule 18 to my transactions" gives `/transactions/{id}` the id of another thing. */
function guessedInPath(task: string, path: string, found: ReadonlyMap<string, string>): string[] {
  const named = pathValues(task, path);
  return [...found].flatMap(([name, value]) =>
    !named.has(name) && isOfAnotherThing(task.indexOf(value), task, identifierWords(path)) ? [name] : [],
  );
}

/** "comment on task 7: It ships on Monday": a tool without a place for the text is not the one that is asked for. */
function isColonTextSpare(task: string, payload: Readonly<Record<string, JsonValue>>): boolean {
  const handed = behindColon(task);
  return handed !== undefined && !JSON.stringify(payload).includes(JSON.stringify(handed).slice(1, -1));
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

function fillRepository(
  parameters: readonly ParameterSchema[],
  payload: Record<string, JsonValue>,
  mapping: Mapping,
): void {
  const open = parameters.filter(({ name }) => payload[name] === undefined);
  const named = repositoryIn(mapping.task, open, mapping.values);
  if (!named) return;
  for (const { parameter, value } of [named.owner, named.repository]) payload[parameter] = value;
  mapping.used.add(named.found);
  useUp(mapping, [named.found.text]);
}

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

/** A value that stands for a thing by name, if the parameter's type allows it. */
function typed(value: string | undefined, { type }: JsonSchema): JsonValue | undefined {
  if (type !== "integer" && type !== "number") return value;
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

/** How a parameter of each kind is filled. Paths are not here: they are assigned together, in order. */
const FILLS: Readonly<Record<Exclude<ParameterKind, "path">, Fill>> = {
  url: taking("url"),
  email: taking("email"),
  uuid: taking("uuid"),
  phone: taking("phone"),
  date: (parameter, mapping) => {
    const date = take(mapping, "date");
    if (date === undefined && /^(start|end|when)$/i.test(parameter.name)) return take(mapping, "time");
    return date === undefined ? undefined : dateAs(date, parameter.schema);
  },
  time: taking("time"),
  timezone: (_, { task, hints }) =>
    /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/.exec(task)?.[0] ?? hints.timezoneOf?.(task),
  host: (_, { task }) => /\b(?:(?:[a-z0-9-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3})\b/i.exec(task)?.[0],
  place: (parameter, mapping) => placeIn(parameter, mapping) ?? mapping.hints.placeOf?.(mapping.task),
  pattern: (parameter, mapping) => patternFor(parameter, mapping),
  language: (parameter, mapping) => languageFor(parameter, mapping),
  currency: (parameter, mapping) => currencyFor(parameter, mapping),
  identifier: (parameter, mapping) => identifierFor(parameter, mapping),
  name: (parameter, mapping) => nameFor(parameter, mapping),
};

function exactValue(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const { schema } = parameter;
  if (schema.const !== undefined) return schema.const as JsonValue;
  const kind = kindOf(parameter);
  if (Array.isArray(schema.enum))
    return kind === "language" ? languageFor(parameter, mapping) : choiceFor(schema, schema.enum, mapping);
  if (isNumeric(schema)) return describedCode(schema, mapping) ?? numberFor(parameter, mapping);
  if (schema.type === "boolean") return switchFor(parameter, mapping);
  if (schema.type === "array" && kind === "path") return arrayFor({ ...parameter, required: false }, mapping);
  if (kind === "path") return undefined;
  if (schema.type === "array") return arrayFor(parameter, mapping);
  return isText(schema) ? textValue(parameter, kind, mapping) : undefined;
}

const choiceFor = (
  schema: JsonSchema,
  choices: readonly unknown[],
  mapping: Mapping,
): JsonValue | undefined =>
  isNumeric(schema) ? describedCode(schema, mapping) : enumValue(choices, mapping);

function textValue(
  parameter: ParameterSchema,
  kind: Exclude<ParameterKind, "path"> | undefined,
  mapping: Mapping,
): JsonValue | undefined {
  const { name, schema } = parameter;
  const chosen =
    enumValue(describedChoices(schema.description), mapping) ??
    (isFreeText(name) && !/type|status|state|model/i.test(name)
      ? undefined
      : mentionedChoice(schema, mapping));
  if (chosen !== undefined) return chosen;
  if (!kind && isFormat(parameter)) return formatIn(mapping.task);
  if (!kind && SORT.test(name)) return SORTED_BY.exec(mapping.task)?.[1];
  return kind ? FILLS[kind](parameter, mapping) : named(name, mapping);
}

const SORT = /^(?:sort|order|sort_?by|order_?by|sort_?(?:key|field|column))$/i;
/** "sorted by size", in all task languages. */
const SORTED_BY =
  /(?<!\p{L})(?:sort|order|ordena|ordne|geordnet|tri|class)\p{L}*\s+(?:by|nach|por|par)\s+(?:(?:the|their|la|el|le|o|a)\s+)?([\p{L}\d_]+)/iu;

/** "Output format", "Set output format to 'v'": what comes behind "as" or "to", if files end so. */
const isFormat = ({ name, schema: { description } }: ParameterSchema): boolean =>
  /(^|_)format$/i.test(name) ||
  /^(?:the |set |specify |choose |select |name of the )*(?:output )?format(?:ter)?\b/i.test(
    String(description ?? ""),
  );

const formatIn = (task: string): string | undefined =>
  [...task.matchAll(/\b(?:as|to|into)\s+(?:an?\s+)?([a-z0-9]{2,5})\b(?!\.\w)/gi)]
    .map(([, word = ""]) => word.toLowerCase())
    .findLast(isFileEnding);

function nested(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const found = nestedValue(parameter, (schema) => mapPayload(mapping.task, schema, mapping.hints));
  if (found?.isGuess) mapping.guessed.add(parameter.name);
  return found?.value;
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
