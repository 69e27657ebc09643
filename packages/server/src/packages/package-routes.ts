/** /v1/packages: review, install, uninstall. */

import {
  ForceQuery,
  InstalledPackage,
  PackageInstall,
  PackageList,
  PackageQuery,
  PackageReview,
  PackageSource,
  PackageWrap,
  UninstalledPackage,
  WrapProposal,
  YamlPackageQuery,
} from "@capstan/client/wire";
import {
  type AgentStore,
  type AuditLog,
  type Packages,
  pageInMemory,
  type UserStore,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { asWire, json, jsonBody, jsonOrYamlBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, isWord, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { packageAsYaml } from "../http/yaml-body.ts";

const Name = z.object({ name: z.string().max(214) });

const list = createRoute({
  operationId: "listPackages",
  ...needs("package", "see"),
  method: "get",
  path: "/v1/packages",
  summary: "Installed packages, newest first, and those waiting in the drop folder",
  request: { query: PackageQuery },
  responses: {
    200: json(PackageList, "Packages."),
  },
});
const review = createRoute({
  operationId: "reviewPackage",
  ...needs("package", "change", packageAsYaml()), // it reads paths on the server's machine, and may run what it finds there
  method: "post",
  path: "/v1/packages/review",
  summary:
    "Review a package: what it adds, the rights it requires, its size, origin and hash; nothing is installed",
  request: { body: jsonOrYamlBody(PackageSource), query: YamlPackageQuery },
  responses: { 200: json(PackageReview, "The review.") },
});
const wrap = createRoute({
  operationId: "wrapCommand",
  ...needs("package", "change"), // it runs a program, isolated
  method: "post",
  path: "/v1/packages/wrap",
  summary: "Propose a package for a program or npm package, from its --help; nothing is installed",
  request: { body: jsonBody(PackageWrap) },
  responses: { 200: json(WrapProposal, "The proposal.") },
});
const install = createRoute({
  operationId: "installPackage",
  ...needs("package", "change", packageAsYaml()),
  method: "post",
  path: "/v1/packages",
  summary: "Install or update a package after its review; refused when agents would break, unless forced",
  request: { body: jsonOrYamlBody(PackageInstall), query: YamlPackageQuery.extend(ForceQuery.shape) },
  responses: { 201: json(InstalledPackage, "The package.") },
});
const uninstall = createRoute({
  operationId: "uninstallPackage",
  ...needs("package", "change"),
  method: "delete",
  path: "/v1/packages/{name}",
  summary: "Uninstall a package; refused while agents need it, unless forced",
  request: { params: Name, query: ForceQuery },
  responses: {
    200: json(UninstalledPackage, "What remains."),
  },
});

export interface PackageRouteParts {
  readonly agents: AgentStore;
  readonly audit: AuditLog;
  readonly packages: Packages;
  readonly users: UserStore;
}

export function packageRoutes(parts: PackageRouteParts) {
  const { users, audit, packages } = parts;
  const routes = newRoutes("packages");
  routes.openapi(list, async (c) => {
    const { kind, q, ...page } = c.req.valid("query");
    const [installed, waiting] = await Promise.all([packages.list(), packages.waiting()]);
    const found = installed
      .filter(({ record }) => kind === undefined || record.kind === kind)
      .filter(({ record }) => hasText(q, record.name, record.description.summary))
      .map((each) => ({ ...each, createdAt: new Date(each.record.installed_at) }));
    const paged = pageInMemory(found, page, { keyOf: ({ record }) => record.name, isKey: isWord });
    if (!paged.ok) return problem(c, paged.failure);
    const body = wirePage(paged.value, ({ record, problem: fault }) => ({
      ...record,
      ...(fault && { problem: fault }),
    }));
    return c.json(asWire<z.input<typeof PackageList>>({ ...body, waiting }), 200);
  });
  routes.openapi(review, async (c) => {
    const body = c.req.valid("json");
    const { email: user } = c.get("caller");
    const runToDescribe = body.run_to_describe ?? false;
    const reviewed = await packages.review(sourceOf(body), { user, runToDescribe });
    return reviewed.ok ? c.json(asWire<PackageReview>(reviewed.value), 200) : problem(c, reviewed.failure);
  });
  routes.openapi(wrap, async (c) => {
    const proposed = await packages.wrap(c.req.valid("json"));
    return proposed.ok ? c.json(asWire<WrapProposal>(proposed.value), 200) : problem(c, proposed.failure);
  });
  routes.openapi(install, async (c) => {
    const body = c.req.valid("json");
    const { email } = c.get("caller");
    const force = c.req.valid("query").force === "true";
    const accept = body.sha256 ?? (body.yes ? (true as const) : undefined);
    const options = {
      user: email,
      accept,
      acceptDependencies: body.dependencies_sha256,
      runToDescribe: body.run_to_describe,
      allowScripts: body.allow_scripts,
      force,
      signal: c.req.raw.signal,
      link: body.link,
    };
    const installed = await packages.install(sourceOf(body), options);
    if (!installed.ok) return problem(c, installed.failure);
    const { record, review: reviewed, broken } = installed.value;
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
        ...(broken.length > 0 && { broken: broken.map(({ id }) => id) }),
      },
    });
    return c.json(asWire<InstalledPackage>({ ...record, review: reviewed, broken }), 201);
  });
  addUninstall(routes, parts);
  return routes;
}

const sourceOf = ({ source, kind, bytes }: PackageSource) => ({
  source,
  kind,
  ...(bytes && { bytes: Buffer.from(bytes, "base64") }),
});

function addUninstall(
  routes: ReturnType<typeof newRoutes>,
  { agents, audit, packages }: PackageRouteParts,
): void {
  routes.openapi(uninstall, async (c) => {
    const { name } = c.req.valid("param");
    const force = c.req.valid("query").force === "true";
    const gone = await packages.uninstall(name, { force });
    if (!gone.ok) return problem(c, gone.failure);
    const { record, kept, broken } = gone.value;
    await audit.add({
      actor: c.get("caller").email,
      action: "package.uninstalled",
      subject: name,
      ...(broken.length > 0 && { details: { broken: broken.map(({ id }) => id) } }),
    });
    const capability = record.description.capability;
    const used_by = capability === undefined ? [] : await agents.using(capability);
    return c.json(asWire<z.input<typeof UninstalledPackage>>({ name, kept, used_by, broken }), 200);
  });
}
