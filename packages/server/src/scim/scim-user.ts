/**
 * A user as SCIM sends and shows one. Attributes that are not in the table decide nothing here and are left out, because a
 * refusal would also refuse the `active: false` beside them; passwords are never kept. What is in the table must have its type.
 */

import type { DirectoryUser, DirectoryUserInput } from "./directory-types.ts";
import {
  type Attribute,
  attributeIn,
  ENTERPRISE_ATTRIBUTES,
  ENTERPRISE_SCHEMA,
  USER_ATTRIBUTES,
  USER_SCHEMA,
} from "./scim-attributes.ts";
import { invalid, type Scim } from "./scim-refusal.ts";

export type Json = Record<string, unknown>;

const MOST_CHARS = 2000;
const MOST_ITEMS = 200;

export const isJson = (value: unknown): value is Json =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The value of an attribute with its type; undefined: unassigned. */
export function typed(attribute: Attribute, value: unknown): Scim<unknown> {
  if (value === null || value === undefined) return { value: undefined };
  if (!attribute.isList) return typedOne(attribute, value);
  const items = Array.isArray(value) ? value : [value];
  if (items.length > MOST_ITEMS)
    return invalid("tooMany", `${attribute.name} has more than ${MOST_ITEMS} values.`);
  const read: unknown[] = [];
  for (const item of items) {
    const one = typedOne(attribute, item);
    if ("refusal" in one) return one;
    read.push(one.value);
  }
  return { value: read };
}

function typedOne({ name, type, parts }: Attribute, value: unknown): Scim<unknown> {
  if (type === "boolean") return typedBoolean(name, value);
  if (type === "complex") {
    if (typeof value === "string") return { value: { value } }; // Entra sends a manager as its id alone
    return isJson(value) ? typedParts(parts, value) : invalid("invalidValue", `${name} must be an object.`);
  }
  if (typeof value === "string" && value.length <= MOST_CHARS) return { value };
  return invalid("invalidValue", `${name} must be a text of at most ${MOST_CHARS} characters.`);
}

/** Entra writes "True" and "False". */
function typedBoolean(name: string, value: unknown): Scim<boolean> {
  const text = String(value).toLowerCase();
  if (text === "true" || text === "false") return { value: text === "true" };
  return invalid("invalidValue", `${name} must be true or false.`);
}

export function typedParts(attributes: readonly Attribute[], value: Json): Scim<Json> {
  const read: Json = {};
  for (const [key, each] of Object.entries(value)) {
    const attribute = attributeIn(attributes, key);
    if (attribute === undefined || attribute.isReadOnly) continue;
    const one = typed(attribute, each);
    if ("refusal" in one) return one;
    if (one.value !== undefined) read[attribute.name] = one.value;
  }
  return { value: read };
}

/** `active` stays unchanged if missing: a replacement without it must not reactivate anybody. */
export function readUser(body: Json, isActiveNow = true): Scim<DirectoryUserInput> {
  const core = typedParts(USER_ATTRIBUTES, body);
  if ("refusal" in core) return core;
  const sent = Object.entries(body).find(
    ([key]) => key.toLowerCase() === ENTERPRISE_SCHEMA.toLowerCase(),
  )?.[1];
  const extension = isJson(sent) ? typedParts(ENTERPRISE_ATTRIBUTES, sent) : { value: {} };
  if ("refusal" in extension) return extension;
  const { userName, externalId, active = isActiveNow, ...rest } = core.value;
  if (typeof userName !== "string" || userName.trim() === "" || userName.length > 320)
    return invalid("invalidValue", "userName is required, with at most 320 characters.");
  const hasExtension = Object.keys(extension.value).length > 0;
  return {
    value: {
      userName,
      externalId: typeof externalId === "string" && externalId !== "" ? externalId : null,
      address: addressOf(userName, rest.emails),
      active: active === true,
      resource: { ...rest, ...(hasExtension && { [ENTERPRISE_SCHEMA]: extension.value }) },
    },
  };
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

function addressOf(userName: string, emails: unknown): string | null {
  const listed = Array.isArray(emails) ? (emails as Json[]) : [];
  const main =
    listed.find(({ primary }) => primary === true) ?? listed.find(({ type }) => type === "work") ?? listed[0];
  const address = typeof main?.value === "string" ? main.value : userName;
  return ADDRESS.test(address) ? address.toLowerCase() : null;
}

/** As a document that can be changed: what `readUser` takes. */
export const userDocument = ({ userName, externalId, active, resource }: DirectoryUserInput): Json => ({
  userName,
  ...(externalId !== null && { externalId }),
  active,
  ...structuredClone(resource),
});

export interface UserGroup {
  readonly groupId: string;
  readonly name: string;
}

export function showUser(user: DirectoryUser, groups: readonly UserGroup[], base: string): Json {
  const { id, createdAt, updatedAt } = user;
  const hasExtension = Object.hasOwn(user.resource, ENTERPRISE_SCHEMA);
  return {
    schemas: [USER_SCHEMA, ...(hasExtension ? [ENTERPRISE_SCHEMA] : [])],
    id,
    ...userDocument(user),
    groups: groups.map(({ groupId, name }) => ({
      value: groupId,
      display: name,
      $ref: `${base}/Groups/${groupId}`,
    })),
    meta: metaOf("User", `${base}/Users/${id}`, createdAt, updatedAt),
  };
}

export const metaOf = (resourceType: string, location: string, createdAt: Date, updatedAt: Date): Json => ({
  resourceType,
  created: createdAt.toISOString(),
  lastModified: updatedAt.toISOString(),
  location,
});
