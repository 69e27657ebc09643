/** /v1/services: background services of packages, run as supervised child processes. */
import { ServiceChange, ServiceInfo, ServiceList } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Packages } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { isTheirs, seesAll } from "../auth/ownership.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const Name = z.object({ name: z.string().max(214) });

export interface ServiceRouteParts {
  readonly packages: Packages;
}

const services = createRoute({
  operationId: "listServices",
  ...needs("service", "see"),
  method: "get",
  path: "/v1/services",
  summary:
    "Background services and their health; those that work for a person are listed for that person and admins",
  responses: { 200: json(ServiceList, "Services.") },
});

const change = createRoute({
  operationId: "changeService",
  ...needs("service", "change"),
  method: "post",
  path: "/v1/services/{name}/{verb}",
  summary: "Start a service (by its package or folder) or stop it",
  request: {
    params: Name.extend({ verb: z.enum(["start", "stop"]) }),
    body: jsonBody(ServiceChange),
  },
  responses: { 200: json(ServiceInfo, "The service.") },
});

const logs = createRoute({
  operationId: "getServiceLogs",
  ...needs("service", "see"),
  method: "get",
  path: "/v1/services/{name}/logs",
  summary: "The last log lines of a service, for the person it works for and admins",
  request: { params: Name },
  responses: { 200: { description: "Lines.", content: { "text/plain": { schema: z.string() } } } },
});

export function serviceRoutes(parts: ServiceRouteParts) {
  const { packages } = parts;
  const routes = newRoutes("packages");
  routes.openapi(services, (c) => {
    const caller = c.get("caller");
    const items = packages.services
      .status()
      .filter(({ user }) => user === undefined || isTheirs(caller, user));
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(change, async (c) => {
    const { name, verb } = c.req.valid("param");
    const folder = c.req.valid("json").folder ?? (await folderOf(parts, name));
    if (verb === "start" && folder === undefined)
      return problem(c, fail("not_found", { what: "service", id: name }).failure);
    const changed =
      verb === "start" ? await packages.services.start(folder ?? "") : await packages.services.stop(name);
    return changed.ok ? c.json({ ...changed.value }, 200) : problem(c, changed.failure);
  });
  routes.openapi(logs, async (c) => {
    const { name } = c.req.valid("param");
    const caller = c.get("caller");
    const user = packages.services.status().find((service) => service.name === name)?.user;
    // A service writes what it works with: one person's mail, or the requests of everybody.
    if (!seesAll(caller) && user !== caller.email)
      return problem(c, fail("not_found", { what: "service", id: name }).failure);
    const lines = await packages.services.logs(name);
    return lines.ok ? c.text(lines.value, 200) : problem(c, lines.failure);
  });
  return routes;
}

/** A service by its own name, or by its package's. */
async function folderOf({ packages }: ServiceRouteParts, name: string): Promise<string | undefined> {
  const known = packages.services.status().find((service) => service.name === name)?.folder;
  if (known !== undefined) return known;
  const installed = await packages.list();
  return installed.find(({ record }) => record.name === name || record.description.capability === name)
    ?.record.service_folder;
}
