/** /scim/v2/Users: a directory adds, changes, deactivates and removes people. */
import { type DirectoryChangeParts, userChanged, userRemoved } from "./directory-changes.ts";
import type { DirectoryUser, DirectoryUserInput, DirectoryUsers } from "./directory-types.ts";
import { type Listable, listResources, projected } from "./list-resources.ts";
import { patchUser } from "./patch-user.ts";
import { type Scim, scimRefused } from "./scim-refusal.ts";
import {
  bodyOf,
  missing,
  noContent,
  operationsOf,
  type ResourceHandlers,
  type ScimRequest,
  type ScimRequestParts,
  scimAnswer,
  taken,
} from "./scim-requests.ts";
import { type Json, readUser, showUser } from "./scim-user.ts";

export type UserResourceParts = ScimRequestParts & DirectoryChangeParts;

export function userResources(parts: UserResourceParts): ResourceHandlers {
  const { users } = parts.directory;
  const update = (request: ScimRequest, change: (user: DirectoryUser) => Scim<DirectoryUserInput>) =>
    updateUser(parts, request, change);
  return {
    async list(request) {
      const listed = await listResources(listable(users, request.base), request.query);
      return "refusal" in listed ? scimRefused(listed.refusal) : scimAnswer(listed.value);
    },
    async create(request) {
      const body = await bodyOf(request.c);
      const read = "refusal" in body ? body : readUser(body.value);
      if ("refusal" in read) return scimRefused(read.refusal);
      const made = await users.create(read.value);
      if (made === "taken") return taken("userName");
      await userChanged(parts, request.by, made, "added");
      return answerUser(users, request, made, 201);
    },
    async get(request) {
      const user = await users.get(request.id);
      return user ? answerUser(users, request, user) : missing("user", request.id);
    },
    async replace(request) {
      const body = await bodyOf(request.c);
      if ("refusal" in body) return scimRefused(body.refusal);
      return update(request, ({ active }) => readUser(body.value, active));
    },
    async patch(request) {
      const operations = await operationsOf(request.c);
      if ("refusal" in operations) return scimRefused(operations.refusal);
      return update(request, (user) => patchUser(user, operations.value));
    },
    async remove(request) {
      const gone = await users.remove(request.id);
      if (gone === undefined) return missing("user", request.id);
      await userRemoved(parts, request.by, gone);
      return noContent();
    },
  };
}

async function updateUser(
  parts: UserResourceParts,
  request: ScimRequest,
  change: (user: DirectoryUser) => Scim<DirectoryUserInput>,
): Promise<Response> {
  const changed = await parts.directory.users.update(request.id, change);
  if (changed === "gone") return missing("user", request.id);
  if (changed === "taken") return taken("userName");
  if ("refusal" in changed) return scimRefused(changed.refusal);
  await userChanged(parts, request.by, changed, "changed");
  return answerUser(parts.directory.users, request, changed);
}

async function answerUser(
  users: DirectoryUsers,
  { base, query }: ScimRequest,
  user: DirectoryUser,
  status = 200,
): Promise<Response> {
  const [shown = {}] = await showAll(users, base, [user]);
  const headers = status === 201 ? { location: `${base}/Users/${user.id}` } : {};
  return scimAnswer(projected(shown, query), status, headers);
}

const listable = (users: DirectoryUsers, base: string): Listable<DirectoryUser> => ({
  page: ({ id, username, externalid }, range) =>
    users.page(
      {
        ...(id !== undefined && { id }),
        ...(username !== undefined && { userName: username }),
        ...(externalid !== undefined && { externalId: externalid }),
      },
      range,
    ),
  count: () => users.count(),
  show: (rows) => showAll(users, base, rows),
});

async function showAll(users: DirectoryUsers, base: string, rows: readonly DirectoryUser[]): Promise<Json[]> {
  const groups = await users.groupsOf(rows.map(({ id }) => id));
  const byUser = Map.groupBy(groups, ({ userId }) => userId);
  return rows.map((user) => showUser(user, byUser.get(user.id) ?? [], base));
}
