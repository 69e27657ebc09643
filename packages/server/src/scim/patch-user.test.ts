/** PATCH of a user in the shapes of Entra, Okta and RFC 7644; scimmy answers the same where the specification says what to do. */
import SCIMMY from "scimmy";
import { expect, test } from "vitest";
import type { DirectoryUserInput } from "./directory-types.ts";
import { type PatchOperation, patchUser } from "./patch-user.ts";
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from "./scim-attributes.ts";
import { userDocument } from "./scim-user.ts";

const ann: DirectoryUserInput = {
  userName: "ann@example.com",
  externalId: "e1",
  address: "ann@example.com",
  active: true,
  resource: {
    name: { givenName: "Ann", familyName: "Lee" },
    emails: [{ type: "work", value: "ann@example.com", primary: true }],
  },
};

const ent = (name: string) => `${ENTERPRISE_SCHEMA}:${name}`;
const replace = (path: string, value: unknown): PatchOperation => ({ op: "replace", path, value });
const add = (path: string, value: unknown): PatchOperation => ({ op: "add", path, value });

/** The third column: whether another implementation follows the specification here, too. */
test.each<[string, PatchOperation[], object, boolean]>([
  ["Entra: inactive", [replace("active", false)], { active: false }, true],
  ["Entra, older: inactive", [replace("active", "False")], { active: false }, false],
  ["Okta: inactive", [{ op: "replace", value: { active: false } }], { active: false }, true],
  ["Okta: active", [{ op: "replace", value: { active: true } }], { active: true }, false],
  ["a name", [replace("name.familyName", "Kim")], { name: { givenName: "Ann", familyName: "Kim" } }, true],
  [
    "Entra: an address by its type",
    [replace('emails[type eq "work"].value', "ann@new.example")],
    { emails: [{ type: "work", value: "ann@new.example", primary: true }] },
    true,
  ],
  [
    "Entra: a value that is not there yet",
    [add('phoneNumbers[type eq "mobile"].value', "123")],
    { phoneNumbers: [{ type: "mobile", value: "123" }] },
    false,
  ],
  [
    "Entra: a department",
    [add(ent("department"), "Sales")],
    { [ENTERPRISE_SCHEMA]: { department: "Sales" } },
    true,
  ],
  [
    "Entra: a manager",
    [add(ent("manager"), "m1")],
    { [ENTERPRISE_SCHEMA]: { manager: { value: "m1" } } },
    false,
  ],
  [
    "Entra: dotted names without a path",
    [{ op: "replace", value: { displayName: "A. Lee", "name.givenName": "Anna" } }],
    { displayName: "A. Lee", name: { givenName: "Anna", familyName: "Lee" } },
    true,
  ],
  ["a title is removed", [add("title", "Dr"), { op: "remove", path: "title" }], { active: true }, false],
  [
    "one of two addresses",
    [
      add("emails", [{ type: "home", value: "a@home.example" }]),
      { op: "remove", path: 'emails[type eq "work"]' },
    ],
    { emails: [{ type: "home", value: "a@home.example" }] },
    true,
  ],
  [
    "what is not kept",
    [add("urn:example:2.0:User:shoe", "42"), replace("active", false)],
    { active: false },
    false,
  ],
  ["a password", [replace("password", "secret"), replace("active", false)], { active: false }, false],
])("%s", async (_what, operations, expected, isSpecified) => {
  const patched = patchUser(ann, operations);
  if ("refusal" in patched) throw new Error(patched.refusal.detail);
  expect(userDocument(patched.value)).toMatchObject(expected);
  expect(JSON.stringify(patched.value)).not.toContain("secret");
  if (isSpecified) expect(await byScimmy(operations)).toMatchObject(expected);
});

async function byScimmy(Operations: PatchOperation[]): Promise<object> {
  const { User } = SCIMMY.Schemas;
  if (!User.definition.attributes.includes(SCIMMY.Schemas.EnterpriseUser.definition as never))
    User.definition.extend(SCIMMY.Schemas.EnterpriseUser.definition, false);
  const schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"] = [
    "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  ];
  const message = new SCIMMY.Messages.PatchOp({ schemas, Operations: Operations as never });
  const user = new User({ schemas: [USER_SCHEMA], id: "1", ...userDocument(ann) } as never, "out");
  const patched = await message.apply(user as never, (each: unknown) => each as never);
  return JSON.parse(JSON.stringify(patched));
}

test.each<[string, PatchOperation[], string]>([
  ["a number as a name", [replace("userName", 7)], "invalidValue"],
  ["no name", [{ op: "remove", path: "userName" }], "invalidValue"],
  ["neither true nor false", [replace("active", "maybe")], "invalidValue"],
  ["an open filter", [replace('emails[type eq "work".value', "x")], "invalidPath"],
  ["a filter that is none", [replace("emails[work].value", "x")], "invalidFilter"],
  ["a filter on what is no list", [replace('name[givenName eq "Ann"].familyName', "x")], "invalidFilter"],
  ["remove without a path", [{ op: "remove" }], "noTarget"],
  ["a text instead of attributes", [{ op: "replace", value: "x" }], "invalidValue"],
])("%s is refused, and nothing changes", (_what, operations, scimType) => {
  const before = structuredClone(ann);
  expect(patchUser(ann, [replace("active", false), ...operations])).toMatchObject({ refusal: { scimType } });
  expect(ann).toEqual(before);
});

test("names of attributes that objects have anyway are not kept", () => {
  const patched = patchUser(ann, [replace("__proto__.active", true), add("constructor", { name: "x" })]);
  expect("value" in patched && patched.value).toEqual(ann);
});

test("active that is removed is not true", () => {
  expect(patchUser(ann, [{ op: "remove", path: "active" }])).toMatchObject({ value: { active: false } });
});
