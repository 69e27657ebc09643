/** Which attributes of users and groups are kept (RFC 7643): for reading what is sent, for paths, and for /Schemas. */

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const ENTERPRISE_SCHEMA = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "reference" | "complex";
  readonly isList: boolean;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly isReadOnly: boolean;
  /** Compared letter by letter. */
  readonly isExact: boolean;
  readonly parts: readonly Attribute[];
}

const attribute = (name: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  isList: false,
  isRequired: false,
  isUnique: false,
  isReadOnly: false,
  isExact: false,
  parts: [],
  ...more,
});

const texts = (...names: string[]): Attribute[] => names.map((name) => attribute(name));
const complex = (name: string, parts: readonly Attribute[]): Attribute =>
  attribute(name, { type: "complex", parts });
const list = (name: string, ...more: Attribute[]): Attribute =>
  attribute(name, {
    type: "complex",
    isList: true,
    parts: [...texts("value", "display", "type"), attribute("primary", { type: "boolean" }), ...more],
  });

const REFERENCE = attribute("$ref", { type: "reference", isReadOnly: true });

export const USER_ATTRIBUTES: readonly Attribute[] = [
  attribute("userName", { isRequired: true, isUnique: true }),
  attribute("externalId", { isExact: true }),
  complex("name", [
    ...texts("formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"),
  ]),
  ...texts("displayName", "nickName", "title", "userType", "preferredLanguage", "locale", "timezone"),
  attribute("profileUrl", { type: "reference" }),
  attribute("active", { type: "boolean" }),
  list("emails"),
  list("phoneNumbers"),
  list("addresses", ...texts("formatted", "streetAddress", "locality", "region", "postalCode", "country")),
  list("entitlements"),
  list("roles"),
  attribute("groups", {
    type: "complex",
    isList: true,
    isReadOnly: true,
    parts: [...texts("value", "display"), REFERENCE],
  }),
];

export const ENTERPRISE_ATTRIBUTES: readonly Attribute[] = [
  ...texts("employeeNumber", "costCenter", "organization", "division", "department"),
  complex("manager", [...texts("value", "displayName"), REFERENCE]),
];

export const GROUP_ATTRIBUTES: readonly Attribute[] = [
  attribute("displayName", { isRequired: true, isUnique: true }),
  attribute("externalId", { isExact: true }),
  attribute("members", {
    type: "complex",
    isList: true,
    parts: [...texts("value", "display", "type"), REFERENCE],
  }),
];

/** Names are the same in every case. */
export const attributeIn = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((each) => each.name.toLowerCase() === name.toLowerCase());

/** `urn:…:User:userName` is `userName`; of the enterprise extension it is a path of two parts. */
export function pathParts(path: string): string[] {
  const lower = path.toLowerCase();
  for (const schema of [USER_SCHEMA, GROUP_SCHEMA])
    if (lower.startsWith(`${schema.toLowerCase()}:`)) return path.slice(schema.length + 1).split(".");
  const extension = ENTERPRISE_SCHEMA.toLowerCase();
  if (lower === extension) return [ENTERPRISE_SCHEMA];
  if (lower.startsWith(`${extension}:`) || lower.startsWith(`${extension}.`))
    return [ENTERPRISE_SCHEMA, ...path.slice(extension.length + 1).split(".")];
  return path.split(".");
}
