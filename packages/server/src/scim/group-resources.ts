/** /scim/v2/Groups: a directory's groups and their members; roles and shares refer to them by the claim `groups`. */
import type { Directory } from "@capstan/runtime";
import { announceDirectory, type DirectoryChangeParts } from "./directory-changes.ts";
import type { DirectoryGroup, DirectoryGroupChange, DirectoryGroups } from "./directory-types.ts";
import { type Listable, listResources, namesIn, projected, type Query } from "./list-resources.ts";
import { patchGroup, readGroup, showGroup } from "./scim-group.ts";
import { scimRefused } from "./scim-refusal.ts";
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
import type { Json } from "./scim-user.ts";

export interface GroupResourceParts
  extends ScimRequestParts,
    Pick<DirectoryChangeParts, "database" | "audit"> {
  readonly directory: Directory;
}

export function groupResources(parts: GroupResourceParts): ResourceHandlers {
  const { groups } = parts.directory;
  return {
    async list(request) {
      const listed = await listResources(listable(groups, request), request.query);
      return "refusal" in listed ? scimRefused(listed.refusal) : scimAnswer(listed.value);
    },
    async create(request) {
      const body = await bodyOf(request.c);
      const read = "refusal" in body ? body : readGroup(body.value);
      if ("refusal" in read) return scimRefused(read.refusal);
      const { members, ...input } = read.value;
      const made = await groups.create(input, members);
      if (typeof made === "string") return groupRefused(made, "");
      await note(parts, request, made, "added", { members: [{ add: members }] });
      return answerGroup(groups, request, made, 201);
    },
    async get(request) {
      const group = await groups.get(request.id);
      return group ? answerGroup(groups, request, group) : missing("group", request.id);
    },
    async replace(request) {
      const body = await bodyOf(request.c);
      const read = "refusal" in body ? body : readGroup(body.value);
      if ("refusal" in read) return scimRefused(read.refusal);
      const { members, ...group } = read.value;
      const changed = await changeGroup(parts, request, { group, members: ["clear", { add: members }] });
      return "refused" in changed ? changed.refused : answerGroup(groups, request, changed.group);
    },
    async patch(request) {
      const operations = await operationsOf(request.c);
      const change = "refusal" in operations ? operations : patchGroup(operations.value);
      if ("refusal" in change) return scimRefused(change.refusal);
      const changed = await changeGroup(parts, request, change.value);
      return "refused" in changed ? changed.refused : noContent(); // its members may be many
    },
    async remove(request) {
      const gone = await groups.remove(request.id);
      if (gone === undefined) return missing("group", request.id);
      await note(parts, request, gone, "removed");
      return noContent();
    },
  };
}

async function changeGroup(
  parts: GroupResourceParts,
  request: ScimRequest,
  change: DirectoryGroupChange,
): Promise<{ readonly group: DirectoryGroup } | { readonly refused: Response }> {
  const changed = await parts.directory.groups.change(request.id, change);
  if (typeof changed === "string") return { refused: groupRefused(changed, request.id) };
  await note(parts, request, changed, "changed", change);
  return { group: changed };
}

const note = (
  parts: GroupResourceParts,
  { by }: ScimRequest,
  { id, displayName }: DirectoryGroup,
  action: "added" | "changed" | "removed",
  change?: DirectoryGroupChange,
): Promise<void> =>
  announceDirectory(parts, by, {
    action: `directory.group_${action}`,
    subject: id,
    details: { name: displayName, ...memberCounts(change) },
  });

async function answerGroup(
  groups: DirectoryGroups,
  request: ScimRequest,
  group: DirectoryGroup,
  status = 200,
): Promise<Response> {
  const [shown = {}] = await showAll(groups, request, [group]);
  const headers = status === 201 ? { location: `${request.base}/Groups/${group.id}` } : {};
  return scimAnswer(projected(shown, request.query), status, headers);
}

function groupRefused(why: "taken" | "gone" | "no member", id: string): Response {
  if (why === "taken") return taken("displayName");
  if (why === "gone") return missing("group", id);
  const detail = "A member is not a user of this directory; nothing was changed.";
  return scimRefused({ status: 400, scimType: "invalidValue", detail });
}

function memberCounts({ members = [] }: DirectoryGroupChange = {}): Record<string, unknown> {
  const added = members.flatMap((each) => (each !== "clear" && "add" in each ? each.add : []));
  const removed = members.flatMap((each) => (each !== "clear" && "remove" in each ? each.remove : []));
  return {
    ...(members.includes("clear") && { members_replaced: true }),
    ...(added.length > 0 && { members_added: added.length }),
    ...(removed.length > 0 && { members_removed: removed.length }),
  };
}

const listable = (groups: DirectoryGroups, request: ScimRequest): Listable<DirectoryGroup> => ({
  page: ({ id, displayname, externalid }, range) =>
    groups.page(
      {
        ...(id !== undefined && { id }),
        ...(displayname !== undefined && { displayName: displayname }),
        ...(externalid !== undefined && { externalId: externalid }),
      },
      range,
    ),
  count: () => groups.count(),
  show: (rows) => showAll(groups, request, rows),
});

async function showAll(
  groups: DirectoryGroups,
  { base, query }: Pick<ScimRequest, "base" | "query">,
  rows: readonly DirectoryGroup[],
): Promise<Json[]> {
  if (!needsMembers(query)) return rows.map((group) => showGroup(group, undefined, base));
  const members = await groups.membersOf(rows.map(({ id }) => id));
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  return rows.map((group) => showGroup(group, byGroup.get(group.id) ?? [], base));
}

/** Not read where they are not shown, unless the filter asks for them. */
function needsMembers(query: Query): boolean {
  if (/members/i.test(query("filter") ?? "")) return true;
  const wanted = namesIn(query("attributes"));
  return wanted ? wanted.has("members") : namesIn(query("excludedAttributes"))?.has("members") !== true;
}
