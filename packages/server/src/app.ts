/** The HTTP application: guards first, then the routes, then one shape for everything that goes wrong. */
import { randomUUID } from "node:crypto";
import { fail } from "@capstan/core";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { authenticate } from "./auth/authenticate.ts";
import { guardOrigin } from "./auth/guard-origin.ts";
import { guardAgents, guardSessions } from "./auth/ownership.ts";
import { limitBody } from "./body-limits.ts";
import { type AppEnv, newRoutes } from "./define-route.ts";
import { guardDisk } from "./disk-guard.ts";
import { faultOf } from "./fault-of.ts";
import { refuseDeepJson } from "./json-depth.ts";
import { docsRoutes } from "./openapi/docs-routes.ts";
import { problem } from "./problem.ts";
import { a2aRoutes } from "./routes/a2a.ts";
import { agUiRoutes } from "./routes/ag-ui.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { capabilityRoutes } from "./routes/capabilities.ts";
import { codingAgentRoutes } from "./routes/coding-agents.ts";
import { grantRoutes } from "./routes/grants.ts";
import { healthRoutes } from "./routes/health.ts";
import { keyRoutes } from "./routes/keys.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { messageRoutes } from "./routes/messages.ts";
import { metricRoutes } from "./routes/metrics.ts";
import { packageRoutes } from "./routes/packages.ts";
import { runRoutes } from "./routes/runs.ts";
import { serviceRoutes } from "./routes/services.ts";
import { sessionEventRoutes } from "./routes/session-events.ts";
import { sessionFileRoutes } from "./routes/session-files.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { statusRoutes } from "./routes/status.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { triggerRoutes } from "./routes/triggers.ts";
import { userRoutes } from "./routes/users.ts";
import type { Services } from "./services.ts";
import { studioRoutes } from "./studio.ts";

/** Every part of the API. To add one: its file in routes/, and a line here. */
const ROUTES = [
  healthRoutes,
  statusRoutes,
  metricRoutes,
  capabilityRoutes,
  agentRoutes,
  sessionRoutes,
  sessionFileRoutes,
  userRoutes,
  grantRoutes,
  keyRoutes,
  messageRoutes,
  sessionEventRoutes,
  runRoutes,
  approvalRoutes,
  agUiRoutes,
  tokenRoutes,
  mcpRoutes,
  a2aRoutes,
  codingAgentRoutes,
  taskRoutes,
  packageRoutes,
  serviceRoutes,
  triggerRoutes,
];

export function createApp(services: Services): OpenAPIHono<AppEnv> {
  const app = newRoutes();
  app.use(guardOrigin(services.settings));
  app.use(authenticate(services));
  app.use(limitBody);
  app.use(refuseDeepJson);
  if (services.database.kind === "pglite")
    app.use(
      guardDisk({
        folder: services.settings.CAPSTAN_DATA_DIR,
        reserveBytes: services.settings.CAPSTAN_DISK_RESERVE_BYTES,
      }),
    );
  app.use("/v1/sessions/:id/*", guardSessions(services));
  app.use("/v1/agents/:id", guardAgents(services));
  for (const routes of ROUTES) app.route("/", routes(services));
  app.route("/", docsRoutes(app));
  app.route("/", studioRoutes());
  app.notFound((c) => {
    const id = `${c.req.method} ${c.req.path}`;
    const nextStep = "GET /openapi.json and the page at /docs list every route.";
    return problem(c, fail("not_found", { what: "route", id, nextStep }).failure);
  });
  app.onError((error, c) => {
    if (error instanceof HTTPException)
      return problem(c, fail("body_invalid", { where: error.message }).failure);
    const fault = faultOf(error);
    if (fault) {
      if (fault.status >= 500) services.log.error({ what: fault.code, path: c.req.path, error });
      return problem(c, fault, fault.status === 503 ? { "retry-after": "1" } : {});
    }
    const reference = randomUUID();
    services.log.error({ reference, path: c.req.path, error });
    return problem(c, fail("internal", { reference }).failure);
  });
  return app;
}
