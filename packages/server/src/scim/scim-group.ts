/**
 * A group as SCIM sends and shows one, and PATCH of it as a list of changes: a group may have many members, so
 * changing one must not read them all. Entra removes members by value or by filter, Okta by filter; both are
 * understood. A member that is itself a group is refused: nobody would get rights by it.
 */

import type { DirectoryGroup, DirectoryGroupChange, MemberChange } from "./directory-types.ts";
import type { PatchOperation } from "./patch-user.ts";
import { GROUP_SCHEMA, pathParts } from "./scim-attributes.ts";
import { type Filter, parseFilter } from "./scim-filter.ts";
import { invalid, type Scim } from "./scim-refusal.ts";
import { isJson, type Json, metaOf } from "./scim-user.ts";

const MOST_CHARS = 500;
const MOST_MEMBERS = 20_000;

export interface ReadGroup {
  readonly displayName: string;
  readonly externalId: string | null;
  readonly members: readonly string[];
}

export function readGroup(body: Json): Scim<ReadGroup> {
  const displayName = nameFrom(entryOf(body, "displayName"));
  if ("refusal" in displayName) return displayName;
  const externalId = idFrom(entryOf(body, "externalId"));
  if ("refusal" in externalId) return externalId;
  const members = membersFrom(entryOf(body, "members") ?? []);
  if ("refusal" in members) return members;
  return { value: { displayName: displayName.value, externalId: externalId.value, members: members.value } };
}

export function patchGroup(operations: readonly PatchOperation[]): Scim<DirectoryGroupChange> {
  const group: Record<string, string | null> = {};
  const members: MemberChange[] = [];
  for (const operation of operations) {
    const done = changeOf(operation);
    if ("refusal" in done) return done;
    Object.assign(group, done.value.group);
    members.push(...(done.value.members ?? []));
  }
  return { value: { group, members } };
}

function changeOf({ op, path, value }: PatchOperation): Scim<DirectoryGroupChange> {
  if (path !== undefined && path !== "") return changeAt(op, path, value);
  if (op === "remove") return invalid("noTarget", "remove needs a path.");
  if (!isJson(value)) return invalid("invalidValue", `${op} without a path needs an object of attributes.`);
  const changes = Object.entries(value).map(([name, each]) => changeAt(op, name, each));
  const refused = changes.find((each) => "refusal" in each);
  if (refused) return refused;
  const all = changes.flatMap((each) => ("value" in each ? [each.value] : []));
  return {
    value: {
      group: Object.assign({}, ...all.map(({ group }) => group)),
      members: all.flatMap(({ members = [] }) => members),
    },
  };
}

const IN_FILTER = /^members\[(.*)\]$/is;

function changeAt(op: PatchOperation["op"], path: string, value: unknown): Scim<DirectoryGroupChange> {
  const [name = "", ...rest] = pathParts(path);
  const inside = IN_FILTER.exec([name, ...rest].join("."))?.[1];
  if (inside !== undefined) return removeByFilter(op, inside);
  const change = CHANGES[name.toLowerCase()];
  if (change && rest.length === 0) return change(op, value);
  if (IGNORED.test(name)) return { value: {} };
  return invalid("invalidPath", `A group has no "${path.slice(0, 200)}" that can be changed.`);
}

/** Okta repeats the id when it renames a group; extensions decide nothing. */
const IGNORED = /^(id|schemas|meta|urn:.*|https?:.*)$/i;

const CHANGES: Readonly<
  Record<string, (op: PatchOperation["op"], value: unknown) => Scim<DirectoryGroupChange>>
> = {
  members: membersChange,
  displayname(op, value) {
    const read = op === "remove" ? invalid("mutability", "displayName is required.") : nameFrom(value);
    return "refusal" in read ? read : { value: { group: { displayName: read.value } } };
  },
  externalid(op, value) {
    const read = idFrom(op === "remove" ? null : value);
    return "refusal" in read ? read : { value: { group: { externalId: read.value } } };
  },
};

function membersChange(op: PatchOperation["op"], value: unknown): Scim<DirectoryGroupChange> {
  if (op === "remove" && (value === undefined || value === null)) return { value: { members: ["clear"] } };
  const read = membersFrom(value);
  if ("refusal" in read) return read;
  if (op === "remove") return { value: { members: [{ remove: read.value }] } };
  return { value: { members: [...(op === "replace" ? ["clear" as const] : []), { add: read.value }] } };
}

/** `members[value eq "…"]`, or several joined by `or`. */
function removeByFilter(op: PatchOperation["op"], text: string): Scim<DirectoryGroupChange> {
  if (op !== "remove") return invalid("mutability", "A member is added or removed as a whole.");
  const filter = parseFilter(text);
  const ids = filter && idsIn(filter);
  return ids
    ? { value: { members: [{ remove: ids }] } }
    : invalid("invalidFilter", `members[${text.slice(0, 200)}] is not understood.`);
}

function idsIn(filter: Filter): string[] | undefined {
  if (filter.kind === "or") {
    const [left, right] = [idsIn(filter.left), idsIn(filter.right)];
    return left && right && [...left, ...right];
  }
  const isId =
    filter.kind === "compare" && filter.operator === "eq" && filter.path.join(".").toLowerCase() === "value";
  return isId && typeof filter.value === "string" ? [filter.value] : undefined;
}

function membersFrom(value: unknown): Scim<string[]> {
  const items = Array.isArray(value) ? value : [value];
  if (items.length > MOST_MEMBERS) return invalid("tooMany", `More than ${MOST_MEMBERS} members at once.`);
  const ids: string[] = [];
  for (const item of items) {
    const { value: id, type } = isJson(item) ? item : { value: item, type: undefined };
    if (typeof id !== "string" || id === "")
      return invalid("invalidValue", "Each member needs a value: the id of a user.");
    if (typeof type === "string" && type.toLowerCase() === "group")
      return invalid(
        "invalidValue",
        "Groups in groups are not supported: push the users of the inner group.",
      );
    ids.push(id);
  }
  return { value: ids };
}

function nameFrom(value: unknown): Scim<string> {
  return typeof value === "string" && value.trim() !== "" && value.length <= MOST_CHARS
    ? { value }
    : invalid("invalidValue", `displayName is required, with at most ${MOST_CHARS} characters.`);
}

function idFrom(value: unknown): Scim<string | null> {
  if (value === null || value === undefined || value === "") return { value: null };
  return typeof value === "string" && value.length <= MOST_CHARS
    ? { value }
    : invalid("invalidValue", `externalId must be a text of at most ${MOST_CHARS} characters.`);
}

const entryOf = (value: Json, name: string): unknown =>
  Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

export interface GroupMember {
  readonly userId: string;
  readonly userName: string;
}

/** Without `members` where they were not asked for. */
export function showGroup(
  group: DirectoryGroup,
  members: readonly GroupMember[] | undefined,
  base: string,
): Json {
  const { id, displayName, externalId, createdAt, updatedAt } = group;
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members && {
      members: members.map(({ userId, userName }) => ({
        value: userId,
        display: userName,
        type: "User",
        $ref: `${base}/Users/${userId}`,
      })),
    }),
    meta: metaOf("Group", `${base}/Groups/${id}`, createdAt, updatedAt),
  };
}
