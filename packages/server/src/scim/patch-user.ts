/**
 * PATCH of a user (RFC 7644, section 3.5.2), also as Entra and Okta write it: operations in any case, `"False"`, dotted names
 * in a value without a path, and a filter that matches nothing yet, which creates the value that it describes.
 */

import type { DirectoryUserInput } from "./directory-types.ts";
import {
  type Attribute,
  attributeIn,
  ENTERPRISE_ATTRIBUTES,
  ENTERPRISE_SCHEMA,
  pathParts,
  USER_ATTRIBUTES,
} from "./scim-attributes.ts";
import { type Filter, matches, parseFilter, requiredTexts } from "./scim-filter.ts";
import { invalid, type Scim } from "./scim-refusal.ts";
import { isJson, type Json, readUser, typed, userDocument } from "./scim-user.ts";

export interface PatchOperation {
  readonly op: "add" | "remove" | "replace";
  readonly path?: string | undefined;
  readonly value?: unknown;
}

export function patchUser(
  user: DirectoryUserInput,
  operations: readonly PatchOperation[],
): Scim<DirectoryUserInput> {
  const document = userDocument(user);
  for (const operation of operations) {
    const done = apply(document, operation);
    if ("refusal" in done) return done;
  }
  return readUser(document, false); // `active` was removed: then it is not true
}

const DONE: Scim<true> = { value: true };

function apply(document: Json, { op, path, value }: PatchOperation): Scim<true> {
  if (path !== undefined && path !== "") return applyAt(document, op, path, value);
  if (op === "remove") return invalid("noTarget", "remove needs a path.");
  if (!isJson(value)) return invalid("invalidValue", `${op} without a path needs an object of attributes.`);
  for (const [name, each] of Object.entries(value).flatMap(flattened)) {
    const done = applyAt(document, op, name, each);
    if ("refusal" in done) return done;
  }
  return DONE;
}

/** The extension's attributes one by one. */
const flattened = ([name, value]: [string, unknown]): [string, unknown][] =>
  name.toLowerCase() === ENTERPRISE_SCHEMA.toLowerCase() && isJson(value)
    ? Object.entries(value).map(([key, each]) => [`${ENTERPRISE_SCHEMA}:${key}`, each])
    : [[name, value]];

/** `attribute`, `attribute.part`, `attribute[filter]`, `attribute[filter].part`. */
const PATH = /^([^[\]]+?)(?:\[(.*)\](?:\.([\w$-]+))?)?$/s;

interface Target {
  readonly holder: Json;
  readonly attribute: Attribute;
  readonly filter: Filter | undefined;
  readonly part: Attribute | undefined;
}

function applyAt(document: Json, op: PatchOperation["op"], path: string, value: unknown): Scim<true> {
  const target = targetOf(document, path);
  if ("refusal" in target) return target;
  if (target.value === undefined) return DONE; // not kept
  const { attribute, filter, part } = target.value;
  if (filter !== undefined) return applyToMatches(target.value, filter, op, value);
  if (part === undefined) return assign(target.value.holder, attribute, op, value);
  if (attribute.isList) return applyToMatches(target.value, undefined, op, value);
  const inner = isJson(target.value.holder[attribute.name])
    ? (target.value.holder[attribute.name] as Json)
    : {};
  target.value.holder[attribute.name] = inner;
  return assign(inner, part, op, value);
}

/** Undefined: an attribute that is not kept, or that only we write. */
function targetOf(document: Json, path: string): Scim<Target | undefined> {
  const [, before = "", inside, partAfter] = PATH.exec(path) ?? [];
  if (before === "") return invalid("invalidPath", `"${path.slice(0, 200)}" is not a path.`);
  const parts = pathParts(before);
  const isExtension = parts[0] === ENTERPRISE_SCHEMA;
  const named = keptAttribute(isExtension, isExtension ? parts.slice(1) : parts, partAfter);
  if (named === undefined) return { value: undefined };
  const filter = inside === undefined ? undefined : parseFilter(inside);
  if (inside !== undefined && (filter === undefined || !named.attribute.isList))
    return invalid("invalidFilter", `The filter in "${path.slice(0, 200)}" is not understood.`);
  return { value: { holder: isExtension ? extensionIn(document) : document, filter, ...named } };
}

function keptAttribute(
  isExtension: boolean,
  [name = "", partBefore]: readonly string[],
  partAfter: string | undefined,
): Pick<Target, "attribute" | "part"> | undefined {
  const attribute = attributeIn(isExtension ? ENTERPRISE_ATTRIBUTES : USER_ATTRIBUTES, name);
  if (attribute === undefined || attribute.isReadOnly) return undefined;
  const partName = partBefore ?? partAfter;
  if (partName === undefined) return { attribute, part: undefined };
  const part = attributeIn(attribute.parts, partName);
  return part && { attribute, part };
}

function extensionIn(document: Json): Json {
  const known = document[ENTERPRISE_SCHEMA];
  if (isJson(known)) return known;
  const made: Json = {};
  document[ENTERPRISE_SCHEMA] = made;
  return made;
}

function assign(holder: Json, attribute: Attribute, op: PatchOperation["op"], value: unknown): Scim<true> {
  const { name, isList, type } = attribute;
  if (op === "remove" && (value === undefined || !isList)) {
    delete holder[name];
    return DONE;
  }
  const read = typed(attribute, value);
  if ("refusal" in read) return read;
  const before = holder[name];
  if (op === "remove") holder[name] = withoutValues(itemsOf(before), itemsOf(read.value));
  else if (op === "add" && isList) holder[name] = added(itemsOf(before), itemsOf(read.value));
  else if (type === "complex" && !isList && isJson(before) && isJson(read.value))
    holder[name] = { ...before, ...read.value };
  else holder[name] = read.value;
  return DONE;
}

/** All values that the filter matches; without a filter, all. */
function applyToMatches(
  target: Target,
  filter: Filter | undefined,
  op: PatchOperation["op"],
  value: unknown,
): Scim<true> {
  const { holder, attribute, part } = target;
  const items = itemsOf(holder[attribute.name]);
  const hits = items.filter((item) => filter === undefined || matches(filter, item));
  if (op === "remove") {
    holder[attribute.name] = removedFrom(items, hits, part);
    return DONE;
  }
  const read = part === undefined ? typed({ ...attribute, isList: false }, value) : typed(part, value);
  if ("refusal" in read) return read;
  const set = part === undefined ? (read.value as Json) : { [part.name]: read.value };
  const all = hits.length > 0 ? items : [...items, newItem(filter, attribute)];
  const changed = new Set(hits.length > 0 ? hits : all.slice(-1));
  holder[attribute.name] = all.map((item) => changedItem(item, set, changed.has(item)));
  return DONE;
}

const removedFrom = (items: readonly Json[], hits: readonly Json[], part: Attribute | undefined): Json[] =>
  part === undefined
    ? items.filter((item) => !hits.includes(item))
    : items.map((item) => (hits.includes(item) ? { ...item, [part.name]: undefined } : item));

/** Only one value is primary: setting one clears the others. */
const changedItem = (item: Json, set: Json, isChanged: boolean): Json => {
  if (isChanged) return { ...item, ...set };
  return set.primary === true ? { ...item, primary: undefined } : item;
};

/** `[type eq "work"]` makes `{type: "work"}`. */
function newItem(filter: Filter | undefined, attribute: Attribute): Json {
  const described = Object.entries(filter ? requiredTexts(filter) : {}).flatMap(([name, text]) => {
    const part = attributeIn(attribute.parts, name);
    const read = part && typed(part, text);
    return part && read && "value" in read ? [[part.name, read.value] as const] : [];
  });
  return Object.fromEntries(described);
}

const itemsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

const keyOf = ({ value, type }: Json): string => JSON.stringify([value, type]);

function added(before: readonly Json[], more: readonly Json[]): Json[] {
  const keys = new Set(more.map(keyOf));
  const kept = before.filter((item) => !keys.has(keyOf(item)));
  const hasPrimary = more.some(({ primary }) => primary === true);
  return [
    ...kept.map(({ primary, ...item }) =>
      hasPrimary ? item : { ...item, ...(primary !== undefined && { primary }) },
    ),
    ...more,
  ];
}

const withoutValues = (before: readonly Json[], gone: readonly Json[]): Json[] =>
  before.filter((item) => !gone.some(({ value }) => value === item.value));
