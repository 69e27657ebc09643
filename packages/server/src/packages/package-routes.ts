/** /v1/packages: review, install, uninstall. */

import type { AgentStore, AuditLog, Packages, UserStore } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const AnyObject = z.record(z.string(), z.unknown());
const Name = z.object({ name: z.string().max(214) });
const Kind = z.enum(["wheel", "npm", "mcp", "skill", "openapi"]);
const Source = z.object({
  source: z
    .string()
    .min(1)
    .max(4000)
    .openapi({ description: "A path on the server's machine, an npm name, a command line or an address." }),
  kind: Kind.optional(),
  bytes: z.base64().optional().openapi({ description: "The archive itself, when the client has it." }),
  run_to_describe: z
    .boolean()
    .optional()
    .openapi({ description: "Yes to running it once, isolated, so that it can say what it adds." }),
});
const Install = Source.extend({
  yes: z.boolean().default(false),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .openapi({ description: "The hash that was reviewed." }),
  dependencies_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .openapi({ description: "The hash of the list of dependencies that was reviewed, when there are any." }),
  allow_scripts: z.boolean().optional(),
  grant: z.array(z.string().min(1).max(200)).max(100).optional(),
});

const list = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/packages",
  tags: ["packages"],
  summary: "Installed packages, and those that wait in the drop folder",
  responses: {
    200: json(
      z.object({ items: z.array(AnyObject), total: z.int(), waiting: z.array(AnyObject) }),
      "Packages.",
    ),
  },
});
const review = createRoute({
  ...needs("admin"), // it reads paths of the server's machine, and may run what it finds there
  method: "post",
  path: "/v1/packages/review",
  tags: ["packages"],
  summary: "What a package adds, which rights it wants, its size, origin and hash; nothing is installed",
  request: { body: jsonBody(Source) },
  responses: { 200: json(AnyObject, "The review.") },
});
const install = createRoute({
  ...needs("admin"),
  method: "post",
  path: "/v1/packages",
  tags: ["packages"],
  summary: "Install or update a package after its review",
  request: { body: jsonBody(Install) },
  responses: { 201: json(AnyObject, "The package.") },
});
const uninstall = createRoute({
  ...needs("admin"),
  method: "delete",
  path: "/v1/packages/{name}",
  tags: ["packages"],
  summary: "Uninstall a package; agents that used it say so",
  request: { params: Name },
  responses: {
    200: json(
      z.object({ name: z.string(), kept: z.array(z.string()), used_by: z.array(AnyObject) }),
      "What is left.",
    ),
  },
});

export interface PackageRouteParts {
  readonly agents: AgentStore;
  readonly audit: AuditLog;
  readonly packages: Packages;
  readonly users: UserStore;
}

export function packageRoutes(parts: PackageRouteParts) {
  const { agents, users, audit } = parts;
  const { packages } = parts;
  const routes = newRoutes();
  const sourceOf = ({ source, kind, bytes }: z.output<typeof Source>) => ({
    source,
    kind,
    ...(bytes && { bytes: Buffer.from(bytes, "base64") }),
  });
  routes.openapi(list, async (c) => {
    const [installed, waiting] = await Promise.all([packages.list(), packages.waiting()]);
    const items = installed.map(({ record, problem: fault }) => ({
      ...record,
      ...(fault && { problem: fault }),
    }));
    return c.json({ items: plain(items), total: items.length, waiting: plain(waiting) }, 200);
  });
  routes.openapi(review, async (c) => {
    const body = c.req.valid("json");
    const reviewed = await packages.review(sourceOf(body), { runToDescribe: body.run_to_describe ?? false });
    return reviewed.ok
      ? c.json({ ...reviewed.value } as Record<string, unknown>, 200)
      : problem(c, reviewed.failure);
  });
  routes.openapi(install, async (c) => {
    const body = c.req.valid("json");
    const { email } = c.get("caller");
    const accept = body.sha256 ?? (body.yes ? (true as const) : undefined);
    const options = {
      user: email,
      accept,
      acceptDependencies: body.dependencies_sha256,
      runToDescribe: body.run_to_describe,
      allowScripts: body.allow_scripts,
    };
    const installed = await packages.install(sourceOf(body), options);
    if (!installed.ok) return problem(c, installed.failure);
    const { record, review: reviewed } = installed.value;
    for (const scope of body.grant ?? [])
      await users.grant({
        subject: `user:${email}`,
        scope,
        grantedBy: email,
        reason: `installing ${record.name}`,
      });
    await audit.add({
      actor: email,
      action: "package.installed",
      subject: record.name,
      details: {
        version: record.version,
        sha256: record.sha256,
        scopes: [...record.description.scopes],
        granted: body.grant ?? [],
      },
    });
    return c.json({ ...record, review: reviewed } as unknown as Record<string, unknown>, 201);
  });
  routes.openapi(uninstall, async (c) => {
    const { name } = c.req.valid("param");
    const gone = await packages.uninstall(name);
    if (!gone.ok) return problem(c, gone.failure);
    const { record, kept } = gone.value;
    await audit.add({ actor: c.get("caller").email, action: "package.uninstalled", subject: name });
    const capability = record.description.capability;
    return c.json(
      { name, kept, used_by: capability === undefined ? [] : await agents.using(capability) },
      200,
    );
  });
  return routes;
}

const plain = (items: readonly object[]): Record<string, unknown>[] =>
  items as unknown as Record<string, unknown>[];
