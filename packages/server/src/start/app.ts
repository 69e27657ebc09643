/** The HTTP application: guards first, then the routes of every feature, then one error format. */
import { randomUUID } from "node:crypto";
import { type Failure, fail } from "@capstan/core";
import type { AgentSharings, AgentStore, AuditLog, Database, SessionStore } from "@capstan/runtime";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { type AuthParts, authenticate } from "../auth/authenticate.ts";
import { guardOrigin } from "../auth/guard-origin.ts";
import { guardAgents, guardSessions } from "../auth/ownership.ts";
import { limitBody } from "../http/body-limits.ts";
import { refuseUnclearHeaders } from "../http/clear-headers.ts";
import { refuseUnclearQuery } from "../http/clear-query.ts";
import { type AppEnv, newRoutes } from "../http/define-route.ts";
import { guardDisk } from "../http/disk-guard.ts";
import { faultOf } from "../http/fault-of.ts";
import type { Feature } from "../http/feature.ts";
import { refuseUnclearJson } from "../http/json-depth.ts";
import { notServed } from "../http/not-served.ts";
import { problem } from "../http/problem.ts";
import { limitStreams } from "../http/stream-limit.ts";
import { docsRoutes } from "../openapi/docs-routes.ts";
import { refuseMachineThings } from "../organisations/machine-things.ts";
import type { Log } from "../settings/log.ts";
import { studioRoutes } from "../studio/studio.ts";

export interface AppParts extends Omit<AuthParts, "now"> {
  readonly log: Log;
  readonly database: Pick<Database, "kind" | "organisation" | "policyChanges">;
  readonly sessions: SessionStore;
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly audit: AuditLog;
  /** Of every feature, in order. */
  readonly routes: Feature["routes"];
}

export function createApp(parts: AppParts): OpenAPIHono<AppEnv> {
  const { settings, log } = parts;
  const app = newRoutes();
  app.use(refuseNul);
  app.use(refuseUnclearHeaders);
  app.use(refuseUnclearQuery);
  app.use(guardOrigin(settings));
  app.use(authenticate({ ...parts, policyChanges: parts.database.policyChanges }));
  app.use(limitStreams(settings.CAPSTAN_STREAMS_PER_KEY));
  app.use(limitBody);
  app.use(refuseUnclearJson);
  if (parts.database.kind === "pglite")
    app.use(
      guardDisk({
        folder: settings.CAPSTAN_DATA_DIR,
        reserveBytes: settings.CAPSTAN_DISK_RESERVE_BYTES,
      }),
    );
  app.use("/v1/sessions/:id/*", guardSessions(parts));
  app.use("/v1/agents/:id/*", guardAgents(parts));
  if (parts.database.organisation) refuseMachineThings(app, parts.routes);
  for (const routes of parts.routes) app.route("/", routes);
  app.route("/", docsRoutes(app));
  app.route("/", studioRoutes());
  app.notFound(notServed(app));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, unreadable(c, error));
    const fault = faultOf(error);
    if (fault) {
      if (fault.status >= 500) log.error({ what: fault.code, path: c.req.path, error });
      return problem(c, fault, fault.status === 503 ? { "retry-after": "1" } : {});
    }
    const reference = randomUUID();
    log.error({ reference, path: c.req.path, error });
    return problem(c, fail("internal", { reference }).failure);
  });
  return app;
}

/** No id contains it, and no database stores it. */
const refuseNul: MiddlewareHandler = async (c, next) =>
  c.req.path.includes("%00") || c.req.path.includes("\u0000")
    ? problem(c, fail("not_found", { what: "route", id: `${c.req.method} ${c.req.path}` }).failure)
    : next();

/** hono's error for an unreadable body. */
function unreadable(c: Context, { status, message }: HTTPException): Failure {
  const given = c.req.header("content-type") ?? "nothing in particular";
  return status === 415
    ? fail("media_type_unsupported", { given }).failure
    : fail("body_invalid", { where: message }).failure;
}
