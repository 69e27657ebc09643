/** /v1/capabilities/{id}/versions: every version that an agent can pin, and which agents do. */
import { CapabilityDetail, CapabilityRemoved, CapabilityVersions, ForceQuery } from "@capstan/client/wire";
import { type Capability, fail } from "@capstan/core";
import { semverOf } from "@capstan/core/internal";
import { createRoute, z } from "@hono/zod-openapi";
import { sharedToCaller } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { type CapabilityRouteParts, capabilityDetail, hiddenDelegates } from "./capability-routes.ts";
import { removeVersion } from "./change-capability.ts";

const Versioned = Id.extend({ version: z.string().max(100) });

const listRoute = createRoute({
  operationId: "listCapabilityVersions",
  ...needs("capability", "see"),
  method: "get",
  path: "/v1/capabilities/{id}/versions",
  summary: "The versions of a capability, the registered one first, and which agents use each",
  request: { params: Id },
  responses: { 200: json(CapabilityVersions, "Its versions.") },
});
const getRoute = createRoute({
  operationId: "getCapabilityVersion",
  ...needs("capability", "see"),
  method: "get",
  path: "/v1/capabilities/{id}/versions/{version}",
  summary: "One version of a capability with its tools and schemas",
  request: { params: Versioned },
  responses: { 200: json(CapabilityDetail, "The capability in this version.") },
});
const removeRoute = createRoute({
  operationId: "removeCapabilityVersion",
  ...needs("capability", "change"),
  method: "delete",
  path: "/v1/capabilities/{id}/versions/{version}",
  summary: "Delete a version that is not the registered one; refused while agents stay on it, unless forced",
  request: { params: Versioned, query: ForceQuery },
  responses: {
    200: json(CapabilityRemoved, "It is gone, by force: these agents used it."),
    204: { description: "It is gone." },
  },
});

export function versionRoutes(services: CapabilityRouteParts) {
  const routes = newRoutes("capabilities");
  const versionsFor = async (id: string, caller: Caller): Promise<readonly Capability[]> =>
    (await hiddenDelegates(services, caller)).has(id) ? [] : services.registry.versionsOf(id);
  routes.openapi(listRoute, async (c) => {
    const { id } = c.req.valid("param");
    const versions = await versionsFor(id, c.get("caller"));
    const [registered] = versions;
    if (!registered) return problem(c, fail("not_found", { what: "capability", id }).failure);
    const [facts, usedBy] = await Promise.all([
      savedVersions(services, id),
      usersOf(services, id, c.get("caller")),
    ]);
    const items = versions.map(({ version }) => {
      const saved = facts.find((each) => each.version === version);
      return {
        version,
        registered: version === registered.version,
        ...(saved && { sha256: saved.sha256, by: saved.by, at: saved.at.toISOString() }),
        used_by: usedBy(version),
      };
    });
    return c.json({ items }, 200);
  });
  routes.openapi(getRoute, async (c) => {
    const { id, version } = c.req.valid("param");
    const versions = await versionsFor(id, c.get("caller"));
    const found = versions.find((each) => each.version === version);
    if (!found) return problem(c, fail("not_found", { what: `version of "${id}"`, id: version }).failure);
    const usedBy = await usersOf(services, id, c.get("caller"));
    return c.json({ ...capabilityDetail(found), used_by: usedBy(version) }, 200);
  });
  routes.openapi(removeRoute, async (c) => {
    const { id, version } = c.req.valid("param");
    const force = c.req.valid("query").force === "true";
    const gone = await removeVersion(services, id, version, { force });
    if (!gone.ok) return problem(c, gone.failure);
    await services.audit.add({
      actor: c.get("caller").email,
      action: "capability.version_removed",
      subject: id,
      details: { version },
    });
    return gone.value.length > 0 ? c.json({ id, broken: [...gone.value] }, 200) : c.body(null, 204);
  });
  return routes;
}

/** Who saved or installed each version, and when. */
async function savedVersions({ documents, packages }: CapabilityRouteParts, id: string) {
  const installed = (await packages.versions(id)).map(({ version, sha256, installed_by, installed_at }) => ({
    version: semverOf(version),
    sha256,
    by: installed_by,
    at: new Date(installed_at),
  }));
  return [...installed, ...(await documents.versions(id))];
}

/** The agents that get a version: they list the capability and their pin resolves to it. */
async function usersOf({ agents, registry, sharing }: CapabilityRouteParts, id: string, caller: Caller) {
  const listed = await agents.using(id, { sharedTo: await sharedToCaller(sharing, caller) });
  const using = await Promise.all(
    listed.map(async (agent) => {
      const found = await agents.get(agent.id);
      const ref = found.ok ? found.value.capabilities.find((each) => each.id === id) : undefined;
      const resolved = ref && registry.resolve(ref);
      return { agent, version: resolved?.ok ? resolved.value.version : undefined };
    }),
  );
  return (version: string) => using.filter((each) => each.version === version).map(({ agent }) => agent);
}
