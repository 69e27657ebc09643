/** The HTTP application: guards first, then the routes, then one shape for everything that goes wrong. */

import { randomUUID } from "node:crypto";
import { type Failure, fail } from "@capstan/core";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { a2aRoutes } from "../a2a/a2a-routes.ts";
import { agUiRoutes } from "../ag-ui/ag-ui-routes.ts";
import { agentRoutes } from "../agents/agent-routes.ts";
import { aiSdkRoutes } from "../ai-sdk/ai-sdk-routes.ts";
import { authenticate } from "../auth/authenticate.ts";
import { guardOrigin } from "../auth/guard-origin.ts";
import { type LocalCallers, openLocalCallers } from "../auth/local-caller.ts";
import { guardAgents, guardSessions } from "../auth/ownership.ts";
import { capabilityRoutes } from "../capabilities/capability-routes.ts";
import { codingAgentRoutes } from "../coding-agents/coding-agent-routes.ts";
import { limitBody } from "../http/body-limits.ts";
import { type AppEnv, newRoutes } from "../http/define-route.ts";
import { guardDisk } from "../http/disk-guard.ts";
import { faultOf } from "../http/fault-of.ts";
import { refuseDeepJson } from "../http/json-depth.ts";
import { notServed } from "../http/not-served.ts";
import { problem } from "../http/problem.ts";
import { limitStreams } from "../http/stream-limit.ts";
import { mcpRoutes } from "../mcp/mcp-routes.ts";
import { modelRoutes } from "../models/model-routes.ts";
import { healthRoutes } from "../observability/health-routes.ts";
import { metricRoutes } from "../observability/metric-routes.ts";
import { statusRoutes } from "../observability/status-routes.ts";
import { openAiRoutes } from "../openai/openai-routes.ts";
import { docsRoutes } from "../openapi/docs-routes.ts";
import { packageRoutes } from "../packages/package-routes.ts";
import { serviceRoutes } from "../packages/service-routes.ts";
import { approvalRoutes } from "../runs/approval-routes.ts";
import { messageRoutes } from "../runs/message-routes.ts";
import { runRoutes } from "../runs/run-routes.ts";
import { sessionEventRoutes } from "../sessions/session-event-routes.ts";
import { sessionFileRoutes } from "../sessions/session-file-routes.ts";
import { sessionRoutes } from "../sessions/session-routes.ts";
import { sessionSearchRoutes } from "../sessions/session-search-routes.ts";
import { studioRoutes } from "../studio/studio.ts";
import { taskRoutes } from "../tasks/task-routes.ts";
import { triggerRoutes } from "../triggers/trigger-routes.ts";
import { grantRoutes } from "../users/grant-routes.ts";
import { keyRoutes } from "../users/key-routes.ts";
import { secretRoutes } from "../users/secret-routes.ts";
import { tokenRoutes } from "../users/token-routes.ts";
import { userRoutes } from "../users/user-routes.ts";
import type { Services } from "./services.ts";

/** Every part of the API. To add one: its `*-routes.ts` in the feature's folder, and a line here. */
const ROUTES = [
  healthRoutes,
  statusRoutes,
  metricRoutes,
  capabilityRoutes,
  agentRoutes,
  sessionSearchRoutes,
  sessionRoutes,
  sessionFileRoutes,
  userRoutes,
  grantRoutes,
  keyRoutes,
  modelRoutes,
  secretRoutes,
  messageRoutes,
  sessionEventRoutes,
  runRoutes,
  approvalRoutes,
  agUiRoutes,
  tokenRoutes,
  mcpRoutes,
  a2aRoutes,
  openAiRoutes,
  aiSdkRoutes,
  codingAgentRoutes,
  taskRoutes,
  packageRoutes,
  serviceRoutes,
  triggerRoutes,
];

export function createApp(
  services: Services,
  localCallers: LocalCallers = openLocalCallers(),
  ownerToken?: string,
): OpenAPIHono<AppEnv> {
  const app = newRoutes();
  app.use(guardOrigin(services.settings));
  app.use(authenticate({ ...services, localCallers, ownerToken }));
  app.use(limitStreams(services.settings.CAPSTAN_STREAMS_PER_KEY));
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
  app.notFound(notServed(app));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, unreadable(c, error));
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

/** What hono throws of a body it cannot read. */
function unreadable(c: Context, { status, message }: HTTPException): Failure {
  const given = c.req.header("content-type") ?? "nothing in particular";
  return status === 415
    ? fail("media_type_unsupported", { given }).failure
    : fail("body_invalid", { where: message }).failure;
}
