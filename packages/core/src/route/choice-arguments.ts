/** Choices and lists: enum values by their common names, yes and no, and the items of a list in the text. */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { speaksOf } from "./free-text.ts";
import { listBehind } from "./introduced-list.ts";
import { literalsIn, numberRuns } from "./list-literal.ts";
import type { Mapping } from "./mapping.ts";
import { isRecord, type ParameterSchema, parametersOf } from "./parameters.ts";
import { stem } from "./stem.ts";
import { type FoundValue, listItems, type ValueKind, withoutValues } from "./task-values.ts";
import { contentTerms, identifierWords, words } from "./text.ts";
import { spokenForms } from "./value-names.ts";

const MIN_SWITCH_CHARS = 3;

const WITHOUT = /(?<!\p{L})(?:ohne|kein\p{L}*|nicht|sin|no|sans|pas|sem|não|不|没有)(?!\p{L})/iu;

/** In another language, by the task's English words; they lack a negation, so a task with one is left alone. */
export const switchFor = (
  { name, schema }: Pick<ParameterSchema, "name" | "schema">,
  { task, hints: { inEnglish } }: Mapping,
): boolean | undefined =>
  booleanFor(name, task) ??
  describedSwitch(schema.description, task) ??
  (inEnglish && !WITHOUT.test(task) ? booleanFor(name, inEnglish(task)) : undefined);

/** "remove comments and collapse whitespace": nothing but switches of this tool. */
export function isOnlySwitches(text: string, schema: JsonSchema): boolean {
  const said = parametersOf(schema)
    .filter((each) => each.schema.type === "boolean" && booleanFor(each.name, text) === true)
    .flatMap(({ name }) => contentTerms(identifierWords(name)));
  return said.length > 0 && contentTerms(text).every((term) => said.includes(term));
}

const HELPERS =
  /^(?:(?:is|are|as|has|have|with|include|includes|including|use|only|show|should|allow|enable|get|return|want|can|do|add|auto|apply|make) )+/i;

/** All words of its name, in any form: "scan all the namespaces" for `allNamespaces`. */
function booleanFor(name: string, task: string): boolean | undefined {
  const own = identifierWords(name)
    .replaceAll(/[^\w ]/g, "")
    .trim();
  const said = own.replace(HELPERS, "");
  if (said.length < MIN_SWITCH_CHARS) return undefined; // nobody writes "-P": it would match any word with a P
  const stems = words(said).map(stem);
  const all = words(task);
  const at = all.findIndex((word) => stem(word) === stems[0]);
  const near = all.slice(at, at + stems.length + 2).map(stem);
  if (at < 0 || !stems.every((each) => near.includes(each))) return undefined;
  return !NEGATED.test(all.slice(Math.max(0, at - 2), at).join(" "));
}

const NEGATED = /\b(?:no|not|non|without|dont|do not|never|exclude|excluding|skip|ignore)(?: \w+)?$/;
const SHORT_WORDS = 6;
const ADDED =
  "with|including|include|and|plus|mit|samt|con|avec|com|initiali[sz]e\\p{L}*(?: it)? with|return|show|give me|want";

/** "Initialize with README.md" for "with a readme": a short description's own word, behind a word that adds it. */
function describedSwitch(description: unknown, task: string): boolean | undefined {
  const said = typeof description === "string" ? words(description.replace(/\.\w+/g, "")) : [];
  if (said.length === 0 || said.length > SHORT_WORDS) return undefined;
  const isSaid = said
    .slice(1)
    .filter((word) => word.length > 4)
    .some((word) =>
      new RegExp(
        `(?<!\\p{L})(?:${ADDED})\\s+(?:an?|the|its|ein\\p{L}*|une?|una?|uma?)?\\s*${word}(?!\\p{L})`,
        "iu",
      ).test(task),
    );
  return isSaid ? true : undefined;
}

const CODE =
  /(?<![\w.])(\d{1,3})\s*(?::|=|-|for|means)\s*["']?(\p{L}[\p{L} _-]{1,30}?)["']?(?=\s*[,;.)|]|\s+(?:and|or)\s|$)/giu;

/** "User type (0: Owner, 1: Admin, 2: User)": the number of the name that the task says. */
export function describedCode(
  { description, enum: choices }: JsonSchema,
  mapping: Mapping,
): number | undefined {
  const codes = new Map(
    [...String(description ?? "").matchAll(CODE)].map(([, code, name = ""]) => [
      name.toLowerCase(),
      Number(code),
    ]),
  );
  if (codes.size < 2) return undefined;
  const code = codes.get(String(enumValue([...codes.keys()], mapping)));
  return code === undefined || (Array.isArray(choices) && !choices.includes(code)) ? undefined : code;
}

/** Text inside a path or quotes is not a choice: "report.pdf" does not ask for a PDF. */
export function enumValue(
  choices: readonly unknown[],
  { task, values, hints: { inEnglish } }: Mapping,
): JsonValue | undefined {
  const names = choices.filter((choice) => typeof choice === "string");
  if (names.length === 0) return undefined;
  const quoted = values.find(
    ({ kind, text }) => kind === "quoted" && names.some((each) => each.toLowerCase() === text.toLowerCase()),
  );
  if (quoted) return names.find((each) => each.toLowerCase() === quoted.text.toLowerCase());
  const said = withoutValues(values.filter(isName), task);
  return choiceIn(said, names) ?? (inEnglish && choiceIn(inEnglish(said), names));
}

function choiceIn(text: string, names: readonly string[]): string | undefined {
  const said = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  const places = names.flatMap((choice) =>
    spokenForms(choice).map((form) => ({ choice, length: form.length, at: lastOf(said, form) })),
  );
  if (places.every(({ at }) => at < 0)) return names.find((choice) => isSaidAsVerb(choice, said));
  // The longest form wins over one inside it, then the last one: "from png to jpeg" asks for a JPEG.
  return places
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at + b.length - (a.at + a.length) || b.length - a.length)[0]?.choice;
}

/** "close issue 4" for `closed`, "approve it" for `APPROVE`: another form of one word that is long enough to be no other. */
const isSaidAsVerb = (choice: string, said: string): boolean =>
  /^[a-z]{5,}$/i.test(choice) &&
  !HELPERS.test(`${choice} `) &&
  words(said).some((word) => stem(word) === stem(choice.toLowerCase()));

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

const MENTIONED =
  /(?:\be\.g\.,?|\bsuch as|\bfor example,?|\blike|\boptions?(?: are)?:?|\b(?:can|may|must|could) be(?: one of| either)?:?|\beither|\bsupported \w+:?|\bpossible values(?: are)?:?|\bavailable \w+:?|\()\s*((?:["'`]?[\w-]+(?: [\w-]+)?["'`]?(?:\s+(?:for|to|means)\s+\w+)?(?:,\s*(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*)){1,30}["'`]?[\w-]+(?: [\w-]+)?["'`]?)/i;

/** "(e.g., pods, deployments, services)", "Either 'asc' or 'desc'": examples of a description. Others are possible. */
export function mentionedChoices(description: unknown): string[] {
  const list = typeof description === "string" ? MENTIONED.exec(description)?.[1] : undefined;
  return (list ?? "")
    .split(/,\s*(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*/)
    .map((word) =>
      word
        .replaceAll(/["'`]/g, "")
        .replace(/\s+(?:for|to|means)\s+\w+$/, "")
        .trim(),
    )
    .filter((word) => word.length > 1 && !/^(?:etc|and|or|the|a|an|not)$/i.test(word));
}

/** The choice as the task says it: "pod" where the description has "pods". */
export function mentionedChoice({ description }: JsonSchema, { task, values }: Mapping): string | undefined {
  const said = withoutValues(values.filter(isName), task);
  for (const choice of mentionedChoices(description)) {
    const found = new RegExp(
      `(?<![\\p{L}\\d])${escaped(choice.replace(/s$/, ""))}s?(?![\\p{L}\\d])`,
      "iu",
    ).exec(said);
    if (found) return found[0].toLowerCase() === choice.toLowerCase() ? choice : found[0];
  }
  return undefined;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

const isName = ({ kind }: FoundValue): boolean => kind === "path" || kind === "quoted" || kind === "url";

export function arrayFor(parameter: ParameterSchema, mapping: Mapping): JsonValue | undefined {
  const { name, schema } = parameter;
  const item = isRecord(schema.items) ? schema.items : {};
  if (Array.isArray(item.enum)) return chosenItems(item.enum, mapping);
  const written =
    addresses(name, item, mapping) ?? literalFor(name, item, mapping) ?? numbersFor(name, item, mapping);
  return written || isNumber(item) ? written : textsFor(parameter, item, mapping);
}

function textsFor(
  { name, schema, required }: ParameterSchema,
  item: JsonSchema,
  mapping: Mapping,
): JsonValue | undefined {
  if (item.type === "string" && isOfIds(name, schema)) return identifiersFor(required, mapping);
  const marked = item.type === "string" ? markedItems(name, mapping) : [];
  if (marked.length > 0) return marked;
  if (Array.isArray(item.anyOf ?? item.oneOf)) return undefined; // its items have shapes that words alone do not give
  return required || isListed(name, mapping) ? unmarkedItems(item, mapping) : undefined;
}

/** An optional list is named, and its items stand behind a colon or on lines of their own. */
const isListed = (name: string, { task }: Mapping): boolean => speaksOf(name, task) && /:\s|\n/.test(task);

const isOfIds = (name: string, { description, items }: JsonSchema): boolean =>
  /(?:^|_)ids$|[a-z]Ids$/.test(name) ||
  (isRecord(items) && items.format === "uuid") ||
  /\b[gu]?ids?\b/i.test(String(description ?? ""));

/** "put the photo b7c1... into the album 4f0f...": what only an identifier looks like, and no phrase. */
function identifiersFor(isRequired: boolean, { values, used }: Mapping): JsonValue[] | undefined {
  const kinds: readonly ValueKind[] = isRequired ? ["uuid", "identifier", "quoted"] : ["quoted"];
  const found = values.filter(
    (value) => kinds.includes(value.kind) && !used.has(value) && !/\s/.test(value.text),
  );
  for (const value of found) used.add(value);
  return found.length > 0 ? found.map(({ text }) => text) : undefined;
}

const isNumber = ({ type }: JsonSchema): boolean => type === "number" || type === "integer";

const numbersFor = (name: string, item: JsonSchema, mapping: Mapping): JsonValue[] | undefined =>
  isNumber(item)
    ? oneNumber(name, mapping)
    : /^(?:numbers?|values?)$/i.test(name)
      ? allNumbers(mapping)
      : undefined;

/** "list 4" for `lists`, "list_ids": one thing where several are possible. */
function oneNumber(name: string, { task, values, used }: Mapping): JsonValue[] | undefined {
  const noun = identifierWords(name.replace(/_?ids?$/i, ""))
    .trim()
    .replace(/s$/i, "");
  if (noun.length < MIN_SWITCH_CHARS) return undefined;
  const before = new RegExp(`\\b${noun}s?\\s+(?:(?:number|no\\.?|id)\\s+)?#?$`, "i");
  const found = values.find(
    (value) => value.kind === "number" && !used.has(value) && before.test(task.slice(0, value.at)),
  );
  if (!found || !Number.isInteger(Number(found.text))) return undefined;
  used.add(found);
  return [Number(found.text)];
}

/** A command's list of numbers, which it takes as texts. */
function allNumbers({ task, values, used }: Mapping): JsonValue[] | undefined {
  const numbers = values.filter((value) => value.kind === "number" && !used.has(value));
  for (const value of numbers) used.add(value);
  return numbers.length > 0 ? numbers.map(({ at, end }) => task.slice(at, end)) : undefined;
}

function unmarkedItems(item: JsonSchema, { task }: Mapping): JsonValue | undefined {
  const items = listItems(task);
  if (items.length === 0) return undefined;
  return item.type === "object" ? items.map((text) => itemOf(item, text)) : items;
}

function addresses(name: string, item: JsonSchema, { values, used }: Mapping): JsonValue[] | undefined {
  const urls = values.filter(({ kind }) => kind === "url");
  if (urls.length === 0 || !(item.format === "uri" || /url|link|page|address/i.test(name))) return undefined;
  for (const value of urls) used.add(value);
  return urls.map(({ text }) => text);
}

function chosenItems(choices: readonly unknown[], mapping: Mapping): JsonValue | undefined {
  const all = choicesSaid(choices, mapping);
  if (all.length > 0) return all;
  const chosen = enumValue(choices, mapping);
  return chosen === undefined ? undefined : [chosen];
}

/** Every choice that the task says, in the order of the schema. */
function choicesSaid(choices: readonly unknown[], { task, values }: Mapping): string[] {
  const said = ` ${withoutValues(values.filter(isName), task)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  return choices.filter(
    (choice): choice is string =>
      typeof choice === "string" && spokenForms(choice).some((form) => lastOf(said, form) >= 0),
  );
}

/** Several lists go to several parameters: the one behind the parameter's name, else in order. */
function literalFor(
  name: string,
  item: JsonSchema,
  { task, values, used }: Mapping,
): JsonValue[] | undefined {
  const lists = [...literalsIn(task), ...(isNumber(item) ? numberRuns(task) : [])].filter(
    ({ items, at, end }) =>
      items.every((each) => holdsItem(item, each)) &&
      ![...used].some((value) => value.at < end && value.end > at),
  );
  const own = identifierWords(name).toLowerCase().trim();
  const chosen =
    lists.find(({ at }) =>
      task
        .slice(Math.max(0, at - own.length - 24), at)
        .toLowerCase()
        .includes(own),
    ) ?? lists[0];
  if (!chosen) return undefined;
  used.add({ kind: "quoted", text: task.slice(chosen.at, chosen.end), at: chosen.at, end: chosen.end });
  for (const value of values) if (value.at < chosen.end && value.end > chosen.at) used.add(value);
  return [...chosen.items];
}

function holdsItem({ type }: JsonSchema, item: JsonValue): boolean {
  if (type === "number") return typeof item === "number";
  if (type === "integer") return Number.isInteger(item);
  if (type === "array") return Array.isArray(item);
  return type === undefined || typeof item === type;
}

/** In quotes, or behind the word that announces a list. */
function markedItems(name: string, { task, values, used }: Mapping): string[] {
  const quoted = values.filter((value) => value.kind === "quoted" && !used.has(value));
  for (const value of quoted) used.add(value);
  if (quoted.length > 0) return quoted.map(({ text }) => text);
  const items = listBehind(name, task);
  for (const text of items) {
    const at = task.lastIndexOf(text);
    if (at >= 0) used.add({ kind: "quoted", text, at, end: at + text.length });
  }
  return items;
}

const itemOf = (item: JsonSchema, text: string): JsonValue =>
  Object.fromEntries(
    neededOf(item).flatMap((field) => {
      const value = itemField(field, text);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );

/** The required fields; all of them where none is. */
function neededOf(item: JsonSchema): ParameterSchema[] {
  const fields = parametersOf(item);
  const needed = fields.filter(({ required }) => required);
  return needed.length > 0 ? needed : fields;
}

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
