/**
 * /v1/organisations: the operator creates organisations and sets their limits; members are managed by their own
 * admins or the operator.
 */
import type { Organisation, OrganisationMember, OrganisationPatch } from "@capstan/client";
import { organisationWire } from "@capstan/client/wire";
import { fail, type Refused, type Result } from "@capstan/core";
import { type AuditLog, FIRST_ORGANISATION, type OrganisationRecord, pageInMemory } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { cookieText } from "../auth/login-cookie.ts";
import { publicOrigin } from "../auth/resources.ts";
import { type Caller, isAdmin } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, isWord, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { changesOf } from "../http/sent-back.ts";
import type { Settings } from "../settings/settings.ts";
import { enterable } from "./enterable.ts";
import { operatorsBudget, setOperatorsBudget } from "./operators-budget.ts";
import type { OpenOrganisation, OrganisationHost } from "./organisation-host.ts";

const COOKIE_SECONDS = 365 * 86_400;
const Member = Id.extend({ user: z.string().min(1).max(320) });
const NewMember = Id.extend({ user: z.email().max(320) });

const list = createRoute({
  operationId: "listOrganisations",
  ...needs("organisation", "see"),
  method: "get",
  path: "/v1/organisations",
  summary: "The organisations that the caller may enter; all of them for an admin of the first",
  responses: { 200: json(organisationWire.OrganisationList, "The first one alone, until there are two.") },
});
const create = createRoute({
  operationId: "createOrganisation",
  ...needs("organisation", "change"),
  method: "post",
  path: "/v1/organisations",
  summary: "Create an organisation, with a key for its first admin",
  request: { body: jsonBody(organisationWire.OrganisationCreate) },
  responses: { 201: json(organisationWire.NewOrganisation, "It is open.") },
});
const change = createRoute({
  operationId: "changeOrganisation",
  ...needs("organisation", "change"),
  method: "patch",
  path: "/v1/organisations/{id}",
  summary: "Change its name or limits, or disable it",
  request: { params: Id, body: jsonBody(organisationWire.OrganisationPatch) },
  responses: { 200: json(organisationWire.Organisation, "As it is now.") },
});
const remove = createRoute({
  operationId: "deleteOrganisation",
  ...needs("organisation", "change"),
  method: "delete",
  path: "/v1/organisations/{id}",
  summary: "Delete a disabled organisation with everything in it",
  request: { params: Id },
  responses: { 204: { description: "Nothing of it is left." } },
});
const choose = createRoute({
  operationId: "chooseOrganisation",
  method: "post",
  path: "/v1/me/organisation",
  summary: "Choose the organisation that this browser works in, by a cookie",
  "x-capstan-right": "none",
  request: { body: jsonBody(organisationWire.OrganisationChoice) },
  responses: { 204: { description: "Chosen." } },
});
const listMembers = createRoute({
  operationId: "listOrganisationMembers",
  ...needs("organisation", "change"),
  method: "get",
  path: "/v1/organisations/{id}/members",
  summary: "People who were made members; others are in it by the claims of their provider, or by a key",
  request: { params: Id, query: organisationWire.OrganisationMemberQuery },
  responses: { 200: json(organisationWire.OrganisationMemberList, "Newest first.") },
});
const putMember = createRoute({
  operationId: "putOrganisationMember",
  ...needs("organisation", "change"),
  method: "put",
  path: "/v1/organisations/{id}/members/{user}",
  summary: "Make a user a member with a role, effective within a second",
  request: { params: NewMember, body: jsonBody(organisationWire.OrganisationMemberPut) },
  responses: { 200: json(organisationWire.OrganisationMember, "The member.") },
});
const removeMember = createRoute({
  operationId: "removeOrganisationMember",
  ...needs("organisation", "change"),
  method: "delete",
  path: "/v1/organisations/{id}/members/{user}",
  summary: "Take the membership back, effective within a second",
  request: { params: Member },
  responses: { 204: { description: "Removed." } },
});

export interface OrganisationRouteParts {
  readonly host: OrganisationHost;
  /** The one that these routes answer for. */
  readonly organisation: string;
  readonly audit: AuditLog;
  readonly settings: Settings;
}

export function organisationRoutes(parts: OrganisationRouteParts) {
  const { host, organisation: current, audit } = parts;
  const routes = newRoutes("organisations");
  const dto = async (record: OrganisationRecord) => organisationDto(record, current, host.get(record.id));
  routes.openapi(create, async (c) => {
    if (current !== FIRST_ORGANISATION) return problem(c, ofOperator().failure);
    const { id, name, requests_per_minute, cost_usd_per_month, weight } = c.req.valid("json");
    const { email } = c.get("caller");
    const made = await host.create({ id, name, requestsPerMinute: requests_per_minute, weight, by: email });
    if (!made.ok) return problem(c, made.failure);
    await setOperatorsBudget(made.value.budgets, cost_usd_per_month);
    const perMinute = parts.settings.CAPSTAN_RATE_LIMIT_PER_MINUTE;
    const { key } = await made.value.keys.create({
      name: "first admin",
      owner: email,
      rights: ["admin"],
      perMinute,
    });
    await audit.add({ actor: email, action: "organisation.created", subject: id, details: { name } });
    const record = (await host.store.list()).find((each) => each.id === id);
    return record ? c.json({ ...(await dto(record)), key }, 201) : problem(c, gone(id).failure);
  });
  routes.openapi(change, async (c) => {
    if (current !== FIRST_ORGANISATION) return problem(c, ofOperator().failure);
    const { id } = c.req.valid("param");
    const before = (await host.store.list()).find((each) => each.id === id);
    if (!before) return problem(c, gone(id).failure);
    const changes = changesTo(before, await dto(before), c.req.valid("json"));
    if (!changes.ok) return problem(c, changes.failure);
    if (Object.keys(changes.value).length === 0) return c.json(await dto(before), 200);
    const record = await applyChanges(host, id, changes.value);
    if (!record) return problem(c, gone(id).failure);
    const details = changes.value;
    await audit.add({ actor: c.get("caller").email, action: "organisation.changed", subject: id, details });
    return c.json(await dto(record), 200);
  });
  routes.openapi(remove, async (c) => {
    if (current !== FIRST_ORGANISATION) return problem(c, ofOperator().failure);
    const { id } = c.req.valid("param");
    const record = (await host.store.list()).find((each) => each.id === id);
    if (!record) return problem(c, gone(id).failure);
    if (!record.isDisabled) return problem(c, fail("organisation_in_use", { id }).failure);
    await host.remove(id);
    await audit.add({ actor: c.get("caller").email, action: "organisation.deleted", subject: id });
    return c.body(null, 204);
  });
  routes.route("/", choiceRoutes(parts));
  routes.route("/", memberRoutes(parts));
  return routes;
}

/** What everyone may: see where they are, and choose. */
function choiceRoutes(parts: OrganisationRouteParts) {
  const { host, organisation: current } = parts;
  const routes = newRoutes("organisations");
  routes.openapi(list, async (c) => {
    const caller = c.get("caller");
    const isOperator = current === FIRST_ORGANISATION && isAdmin(caller);
    const mine = new Set((await enterable(parts, caller)).map(({ id }) => id));
    const records = (await host.store.list()).filter(
      ({ id }) => isOperator || id === current || mine.has(id),
    );
    const first = isOperator || current === FIRST_ORGANISATION || mine.has(FIRST_ORGANISATION);
    const items = [
      ...(first ? [firstDto(current)] : []),
      ...(await Promise.all(records.map((record) => organisationDto(record, current, host.get(record.id))))),
    ];
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(choose, async (c) => {
    const { organisation } = c.req.valid("json");
    const found = (await enterable(parts, c.get("caller"))).some(({ id }) => id === organisation);
    if (!found) return problem(c, gone(organisation).failure);
    const origin = publicOrigin(c, parts.settings);
    c.header("set-cookie", cookieText("organisation", organisation, origin, COOKIE_SECONDS));
    return c.body(null, 204);
  });
  return routes;
}

function memberRoutes({ host, organisation: current, audit }: OrganisationRouteParts) {
  const routes = newRoutes("organisations");
  /** The operator sees all; an organisation itself alone. The first one's are its roles. */
  const mayManage = (id: string) =>
    (current === FIRST_ORGANISATION || current === id) && host.get(id) !== undefined;
  const note = async (id: string, caller: Caller, action: string, details: Record<string, unknown>) => {
    const opened = host.get(id);
    await opened?.database.policyChanges.announce();
    const entry = { actor: caller.email, action, subject: id, details };
    await audit.add(entry);
    if (current === FIRST_ORGANISATION) await opened?.audit.add(entry);
  };
  routes.openapi(listMembers, async (c) => {
    const { id } = c.req.valid("param");
    const found = mayManage(id) ? await host.store.members(id) : undefined;
    const { q, ...rest } = c.req.valid("query");
    const rows = (found ?? [])
      .filter(({ userEmail }) => hasText(q, userEmail))
      .map((each) => ({ ...each, createdAt: each.addedAt }));
    const page = pageInMemory(rows, rest, {
      keyOf: ({ userEmail }) => userEmail,
      isKey: isWord,
    });
    if (!page.ok) return problem(c, page.failure);
    return found ? c.json(wirePage(page.value, memberDto), 200) : problem(c, gone(id).failure);
  });
  routes.openapi(putMember, async (c) => {
    const { id, user } = c.req.valid("param");
    if (!mayManage(id)) return problem(c, gone(id).failure);
    const { role } = c.req.valid("json");
    const older = (await host.store.members(id)).find(({ userEmail }) => userEmail === user);
    const kept = changesOf(
      {
        schema: organisationWire.OrganisationMemberPut,
        what: "member",
        current: older ? memberDto(older) : { user },
      },
      c.req.valid("json"),
    );
    if (!kept.ok) return problem(c, kept.failure);
    if (older?.role === role) return c.json(memberDto(older), 200);
    const caller = c.get("caller");
    await host.store.setMember(id, { userEmail: user, role, addedBy: caller.email });
    await note(id, caller, "organisation.member_set", { user, role });
    const member = (await host.store.members(id)).find(({ userEmail }) => userEmail === user);
    return member ? c.json(memberDto(member), 200) : problem(c, gone(user).failure);
  });
  routes.openapi(removeMember, async (c) => {
    const { id, user } = c.req.valid("param");
    const isGone = mayManage(id) && (await host.store.removeMember(id, user));
    if (!isGone) return problem(c, fail("not_found", { what: "member", id: user }).failure);
    await note(id, c.get("caller"), "organisation.member_removed", { user });
    return c.body(null, 204);
  });
  return routes;
}

/** Its budget is in its own store, which is closed while it is disabled: that is refused before anything changes. */
function changesTo(
  { id, isDisabled }: OrganisationRecord,
  current: Organisation,
  patch: OrganisationPatch,
): Result<OrganisationPatch> {
  const changes = changesOf(
    { schema: organisationWire.OrganisationPatch, what: "organisation", current },
    patch,
  );
  if (!changes.ok) return changes;
  const { cost_usd_per_month, disabled = isDisabled } = changes.value;
  return cost_usd_per_month !== undefined && disabled ? fail("organisation_disabled", { id }) : changes;
}

async function applyChanges(
  host: OrganisationHost,
  id: string,
  { name, requests_per_minute, cost_usd_per_month, weight, disabled }: OrganisationPatch,
): Promise<OrganisationRecord | undefined> {
  const record = await host.store.change(id, {
    ...(name !== undefined && { name }),
    ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
    ...(weight !== undefined && { weight }),
    ...(disabled !== undefined && { isDisabled: disabled }),
  });
  await host.announce();
  const opened = host.get(id);
  if (opened && cost_usd_per_month !== undefined)
    await setOperatorsBudget(opened.budgets, cost_usd_per_month);
  return record;
}

const gone = (id: string): Refused =>
  id === FIRST_ORGANISATION
    ? fail("organisation_is_first", { id })
    : fail("not_found", { what: "organisation", id });
const ofOperator = (): Refused => fail("organisation_of_operator", { what: "Organisations" });

type MemberRecord = Awaited<ReturnType<OrganisationHost["store"]["members"]>>[number];

const memberDto = ({ userEmail, role, addedBy, addedAt }: MemberRecord): OrganisationMember => ({
  user: userEmail,
  role,
  added_by: addedBy,
  added_at: addedAt.toISOString(),
});

const firstDto = (current: string): Organisation => ({
  id: FIRST_ORGANISATION,
  name: "Default",
  is_current: current === FIRST_ORGANISATION,
  disabled: false,
  requests_per_minute: null,
  weight: 1,
  cost_usd_per_month: null,
  created_by: null,
  created_at: null,
});

const organisationDto = async (
  record: OrganisationRecord,
  current: string,
  opened: OpenOrganisation | undefined,
): Promise<Organisation> => ({
  id: record.id,
  name: record.name,
  is_current: record.id === current,
  disabled: record.isDisabled,
  requests_per_minute: record.requestsPerMinute,
  weight: record.weight,
  cost_usd_per_month: opened ? await operatorsBudget(opened.budgets) : null,
  created_by: record.createdBy,
  created_at: record.createdAt.toISOString(),
});
