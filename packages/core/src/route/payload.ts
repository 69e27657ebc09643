/**
 * Arguments from a task's text by the tool's own JSON Schema. Rules, not a model: what is not in the text is reported
 * as missing and never made up.
 */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { freeText, isFreeText, speaksOf, valueNamed } from "./free-text.ts";
import { pathValues } from "./operation.ts";
import { isRecord, type ParameterSchema, parametersOf } from "./parameters.ts";
import { type FoundValue, findValues, listItems, numberOf, type ValueKind } from "./task-values.ts";
import { boundedLines } from "./text.ts";

export interface MappedPayload {
  readonly payload: Readonly<Record<string, JsonValue>>;
  /** Required parameters the text does not give. */
  readonly missing: readonly string[];
  /** How many values of the text (addresses, paths, numbers, lists) found a place: what speaks for the tool. */
  readonly placed: number;
}

export interface PayloadHints {
  /** Fields that are the same at every call. */
  readonly constants?: Readonly<Record<string, JsonValue>>;
  /** The IANA zone of a place named in a text. */
  readonly timezoneOf?: (text: string) => string | undefined;
  /** Today, so that "tomorrow" can be a date. */
  readonly now?: Date;
  /** The address of an operation: "pod web-0" fills `/pods/{name}`. */
  readonly path?: string;
}

interface Mapping {
  readonly task: string;
  readonly values: readonly FoundValue[];
  readonly used: Set<FoundValue>;
  readonly hints: PayloadHints;
}

type Fill = (parameter: ParameterSchema, mapping: Mapping) => JsonValue | undefined;

export function mapPayload(task: string, schema: JsonSchema, hints: PayloadHints = {}): MappedPayload {
  const text = boundedLines(task);
  const mapping: Mapping = { task: text, values: findValues(text, hints.now), used: new Set(), hints };
  const parameters = parametersOf(schema);
  const payload: Record<string, JsonValue> = { ...hints.constants };
  const inPath = pathValues(text, hints.path ?? "", { guess: true });
  fill(parameters, payload, ({ name, schema }) => typed(inPath.get(name), schema));
  useUp(mapping, inPath.values());
  // The exact kinds first, so that what is left over for free text is really left over.
  for (const pass of [exactValue, freeValue])
    fill(parameters, payload, (parameter) => pass(parameter, mapping));
  const given = ({ name, schema }: ParameterSchema) =>
    payload[name] !== undefined || schema.default !== undefined || schema.const !== undefined;
  const missing = parameters
    .filter((parameter) => parameter.required && !given(parameter))
    .map(({ name }) => name);
  const lists = Object.values(payload).filter((value) => Array.isArray(value)).length;
  return { payload, missing, placed: mapping.used.size + lists };
}

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

/** What stands inside the name of a thing is no value of its own: the 0 of "web-0". */
function useUp({ task, values, used }: Mapping, names: Iterable<string>): void {
  for (const name of names) {
    const from = task.indexOf(name);
    const end = from + name.length;
    for (const value of values) if (value.at < end && value.end > from) used.add(value);
  }
}

/** A value that stands for a thing by name, if the parameter can hold it. */
function typed(value: string | undefined, { type }: JsonSchema): JsonValue | undefined {
  if (type !== "integer" && type !== "number") return value;
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

/** What a parameter's name or format says it holds. The first row that fits decides. */
const KINDS: readonly (readonly [RegExp, Fill])[] = [
  [/^(url|uri|link|href|website|page|endpoint|webhook)$|_?url$/i, taking("url")],
  [/mail|recipient/i, taking("email")],
  [/^(path|file|filename|file_?path|filepath|directory|dir|folder|input|source)$|_path$/i, taking("path")],
  [
    /time_?zone|^tz$/i,
    (_, { task, hints }) =>
      /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/.exec(task)?.[0] ?? hints.timezoneOf?.(task),
  ],
  [/uuid|guid/i, taking("uuid")],
  [/^(domain|host)(_?name)?$/i, (_, { task }) => /\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b/i.exec(task)?.[0]],
  [/date|^(day|when|since|until|from_time|to_time|start|end)$/i, taking("date")],
  [/city|location|place|region|country|address|destination|origin/i, (_, { task }) => placeIn(task)],
  [
    /pattern|regex|regexp/i,
    (_, mapping) =>
      take(mapping, "quoted") ?? wordAfter(mapping.task, /(?:pattern|for|matching|containing)\s+(\S+)/i),
  ],
];

function exactValue(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const { schema, name } = parameter;
  if (schema.const !== undefined) return schema.const as JsonValue;
  if (Array.isArray(schema.enum)) return enumValue(schema.enum, mapping.task);
  if (schema.type === "number" || schema.type === "integer") return numberFor(parameter, mapping);
  if (schema.type === "boolean") return booleanFor(name, mapping.task);
  if (schema.type === "array") return arrayFor(parameter, mapping);
  if (schema.type !== "string" && schema.type !== undefined) return undefined;
  if (schema.format === "uri") return take(mapping, "url");
  if (schema.format === "email") return take(mapping, "email");
  if (schema.format === "date") return take(mapping, "date")?.slice(0, 10);
  const kind = KINDS.find(([pattern]) => pattern.test(name));
  return kind ? kind[1](parameter, mapping) : named(name, mapping);
}

/** "event deploy.done", "branch: main": the word behind the parameter's own name. */
function named(name: string, { task, used }: Mapping): string | undefined {
  const found = valueNamed(name, task);
  if (!found || !/^(?:$|[\s,;.!?])/.test(task.slice(found.end))) return undefined; // "print" of "print(1+1)" is no word
  used.add(found);
  return found.text;
}

function freeValue({ name, schema, required }: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const isText = schema.type === "string" || schema.type === undefined;
  if (!isText || Array.isArray(schema.enum) || !isFreeText(name)) return undefined;
  const quoted = take(mapping, "quoted");
  if (quoted !== undefined || isIncidental({ name, required }, mapping)) return quoted;
  return freeText(name, mapping.task, [...mapping.used]);
}

/** An operation has dozens of optional fields; a filter that holds the whole sentence finds nothing. */
const isIncidental = ({ name, required }: Pick<ParameterSchema, "name" | "required">, { hints }: Mapping) =>
  hints.path !== undefined && !required && !/^(name|title|q|query|search|prompt)$/i.test(name);

function taking(kind: ValueKind): Fill {
  return (_, mapping) =>
    take(mapping, kind) ?? (kind === "path" || kind === "date" ? undefined : takeShared(mapping, kind));
}

function take({ values, used }: Mapping, kind: ValueKind): string | undefined {
  const found = values.find((value) => value.kind === kind && !used.has(value));
  if (found) used.add(found);
  return found?.text;
}

/** The only URL of a task may serve two parameters that both want one. */
const takeShared = ({ values }: Mapping, kind: ValueKind): string | undefined =>
  values.findLast((value) => value.kind === kind)?.text;

function numberFor({ name, schema, required }: ParameterSchema, mapping: Mapping): number | undefined {
  const said = name
    .toLowerCase()
    .split(/[_-]/)
    .filter((word) => word.length > (word === name ? 2 : 3));
  const mustBeSaid = !required && mapping.hints.path !== undefined;
  const free = mapping.values.filter((value) => value.kind === "number" && !mapping.used.has(value));
  const behind = free.find(({ at }) => wordBehind(schema)?.test(mapping.task.slice(0, at)));
  const near = free.find(({ at, end }) => {
    const around = mapping.task
      .slice(Math.max(0, at - name.length - 12), end + name.length + 12)
      .toLowerCase();
    return said.some((word) => around.includes(word.replace(/s$/, "")));
  });
  const chosen = behind ?? near ?? (schema.default === undefined && !mustBeSaid ? free[0] : undefined);
  if (!chosen) return undefined;
  mapping.used.add(chosen);
  const number = numberOf(chosen);
  return schema.type === "integer" ? Math.trunc(number) : number;
}

/** "The number to subtract from." ends in the word that stands before its number: "subtract 5 from 20". */
function wordBehind({ description }: JsonSchema): RegExp | undefined {
  const word = /\b(by|from|into)(?=[.;,]|$)/i.exec(typeof description === "string" ? description : "")?.[1];
  return word === undefined ? undefined : new RegExp(`\\b${word}\\s+$`, "i");
}

const booleanFor = (name: string, task: string): boolean | undefined => {
  const words = name.replace(/^(is|as|with|include|use)_?/i, "").replace(/_/g, " ");
  if (!new RegExp(`\\b${words.replace(/[^\w ]/g, "")}`, "i").test(task)) return undefined;
  return !new RegExp(`\\b(?:not?|without|don't)\\s+(?:\\w+\\s+)?${words.replace(/[^\w ]/g, "")}`, "i").test(
    task,
  );
};

const enumValue = (values: readonly unknown[], task: string): JsonValue | undefined => {
  const words = ` ${task.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  return values.find(
    (value) => typeof value === "string" && words.includes(` ${value.toLowerCase().replace(/[_-]+/g, " ")} `),
  ) as JsonValue | undefined;
};

function arrayFor({ name, schema, required }: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const item = isRecord(schema.items) ? schema.items : {};
  if (Array.isArray(item.enum)) {
    const chosen = enumValue(item.enum, mapping.task);
    return chosen === undefined ? undefined : [chosen];
  }
  const items = listItems(mapping.task);
  if (items.length === 0 || !(required || speaksOf(name, mapping.task))) return undefined;
  if (item.type !== "object") return items;
  const fields = parametersOf(item);
  return items.map((text) =>
    Object.fromEntries(
      fields.map((field) => [field.name, itemField(field, text)]).filter(([, value]) => value !== undefined),
    ),
  );
}

/** One field of a list's item: its words, its words as something under way, or the first of a choice. */
function itemField({ name, schema }: ParameterSchema, text: string): JsonValue | undefined {
  if (Array.isArray(schema.enum)) return schema.enum[0] as JsonValue;
  if (schema.type !== "string") return undefined;
  return /active/i.test(name) ? underWay(text) : text.charAt(0).toUpperCase() + text.slice(1);
}

/** "Fix the bug" -> "Fixing the bug". */
function underWay(text: string): string {
  const [verb = "", ...rest] = text.split(" ");
  if (rest.length === 0) return text.charAt(0).toUpperCase() + text.slice(1); // "eggs" is a thing, not a doing
  const stem = /[^aeiou]e$/i.test(verb)
    ? verb.slice(0, -1)
    : /^[^aeiou]*[aeiou][bdgmnprt]$/i.test(verb)
      ? verb + verb.slice(-1)
      : verb;
  const form = `${stem}ing`;
  return [form.charAt(0).toUpperCase() + form.slice(1), ...rest].join(" ");
}

/** "weather in New York tomorrow" -> "New York"; lower case is taken as it is typed. */
function placeIn(task: string): string | undefined {
  const named =
    /\b(?:in|for|at|near|of|to|from)\s+(?:the\s+)?(\p{Lu}[\p{L}'.-]*(?:\s+\p{Lu}[\p{L}'.-]*)*)/u.exec(
      task,
    )?.[1];
  return named ?? /\b(?:in|for|at|near)\s+([\p{L}'-]{3,}(?:\s[\p{L}'-]{3,})?)\s*[?.!]?\s*$/u.exec(task)?.[1];
}

const wordAfter = (task: string, pattern: RegExp): string | undefined => pattern.exec(task)?.[1]?.trim();
