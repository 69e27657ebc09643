/** Choices and lists: enum values by their common names, yes and no, and the items of a list in the text. */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { speaksOf } from "./free-text.ts";
import { listBehind } from "./introduced-list.ts";
import type { Mapping } from "./mapping.ts";
import { isRecord, type ParameterSchema, parametersOf } from "./parameters.ts";
import { type FoundValue, listItems } from "./task-values.ts";
import { spokenForms } from "./value-names.ts";

const MIN_SWITCH_CHARS = 3;

const WITHOUT = /(?<!\p{L})(?:ohne|kein\p{L}*|nicht|sin|no|sans|pas|sem|não|不|没有)(?!\p{L})/iu;

/** In another language, by the task's English words; they lack a negation, so a task with one is left alone. */
export const switchFor = (name: string, { task, hints: { inEnglish } }: Mapping): boolean | undefined =>
  booleanFor(name, task) ??
  (inEnglish && !WITHOUT.test(task) ? booleanFor(name, inEnglish(task)) : undefined);

const booleanFor = (name: string, task: string): boolean | undefined => {
  const words = name
    .replace(/^(is|as|with|include|use)_?/i, "")
    .replace(/_/g, " ")
    .replace(/[^\w ]/g, "");
  if (words.length < MIN_SWITCH_CHARS) return undefined; // nobody says "-P": it would be any word with a P
  if (!new RegExp(`\\b${words}(?:s|d|ed|ing|ly)?\\b`, "i").test(task)) return undefined;
  return !new RegExp(`\\b(?:not?|without|don't)\\s+(?:\\w+\\s+)?${words}`, "i").test(task);
};

/** Text inside a path or quotes is not a choice: "report.pdf" does not ask for a PDF. */
export function enumValue(
  choices: readonly unknown[],
  { task, values, hints: { inEnglish } }: Mapping,
): JsonValue | undefined {
  const names = choices.filter((choice) => typeof choice === "string");
  if (names.length === 0) return undefined;
  const said = without(values.filter(isName), task);
  return choiceIn(said, names) ?? (inEnglish && choiceIn(inEnglish(said), names));
}

function choiceIn(text: string, names: readonly string[]): string | undefined {
  const words = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  const places = names.flatMap((choice) =>
    spokenForms(choice).map((form) => ({ choice, length: form.length, at: lastOf(words, form) })),
  );
  // The longest form wins over one inside it, then the last one: "from png to jpeg" asks for a JPEG.
  return places
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at + b.length - (a.at + a.length) || b.length - a.length)[0]?.choice;
}

/** Also in the plural: "barres" comes out of the dictionary as "bars". */
const lastOf = (words: string, form: string): number =>
  Math.max(words.lastIndexOf(` ${form} `), words.lastIndexOf(` ${form}s `));

/** "Chart type. Values: bar, line, pie.": choices that only the description names. */
export function describedChoices(description: unknown): string[] {
  const [, list] =
    typeof description === "string"
      ? (/\b(?:values|choices|options|one of):?\s+((?:["'`]?[\w-]+["'`]?(?:,\s+(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*)){1,30}["'`]?[\w-]+)/i.exec(
          description,
        ) ?? [])
      : [];
  return (
    list?.split(/,\s+(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*/).map((word) => word.replaceAll(/["'`]/g, "")) ?? []
  );
}

const isName = ({ kind }: FoundValue): boolean => kind === "path" || kind === "quoted" || kind === "url";

const without = (values: readonly FoundValue[], task: string): string =>
  [...values]
    .sort((a, b) => b.at - a.at)
    .reduce((left, { at, end }) => `${left.slice(0, at)} ${left.slice(end)}`, task);

export function arrayFor(
  { name, schema, required }: ParameterSchema,
  mapping: Mapping,
): JsonValue | undefined {
  const item = isRecord(schema.items) ? schema.items : {};
  if (Array.isArray(item.enum)) {
    const chosen = enumValue(item.enum, mapping);
    return chosen === undefined ? undefined : [chosen];
  }
  const marked = item.type === "string" ? markedItems(name, mapping) : [];
  if (marked.length > 0) return marked;
  if (Array.isArray(item.anyOf ?? item.oneOf)) return undefined; // its items have shapes that words alone do not give
  const items = listItems(mapping.task);
  if (items.length === 0 || !(required || speaksOf(name, mapping.task))) return undefined;
  return item.type === "object" ? items.map((text) => itemOf(item, text)) : items;
}

/** In quotes, or behind the word that announces a list. */
function markedItems(name: string, { task, values, used }: Mapping): string[] {
  const quoted = values.filter((value) => value.kind === "quoted" && !used.has(value));
  for (const value of quoted) used.add(value);
  return quoted.length > 0 ? quoted.map(({ text }) => text) : listBehind(name, task);
}

const itemOf = (item: JsonSchema, text: string): JsonValue =>
  Object.fromEntries(
    parametersOf(item).flatMap((field) => {
      const value = itemField(field, text);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );

/** One field of a list item: its words, its words in progressive form, or the first value of an enum. */
function itemField({ name, schema }: ParameterSchema, text: string): JsonValue | undefined {
  if (Array.isArray(schema.enum)) return schema.enum[0] as JsonValue;
  if (schema.type !== "string") return undefined;
  return /active/i.test(name) ? underWay(text) : text.charAt(0).toUpperCase() + text.slice(1);
}

/** "Gym on Monday" starts with a noun; a verb before such words can stay as it is. */
const BEHIND_A_NOUN =
  /^(?:on|at|in|for|with|from|of|by|and|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow)$/i;

/** "Fix the bug" -> "Fixing the bug". */
function underWay(text: string): string {
  const [verb = "", ...rest] = text.split(" ");
  if (rest.length === 0 || BEHIND_A_NOUN.test(rest[0] ?? ""))
    return text.charAt(0).toUpperCase() + text.slice(1); // "eggs" is a noun, not a verb
  const stem = /[^aeiou]e$/i.test(verb)
    ? verb.slice(0, -1)
    : /^[^aeiou]*[aeiou][bdgmnprt]$/i.test(verb)
      ? verb + verb.slice(-1)
      : verb;
  const form = `${stem}ing`;
  return [form.charAt(0).toUpperCase() + form.slice(1), ...rest].join(" ");
}
