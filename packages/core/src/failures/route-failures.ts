/** Failures of routing and executing tasks. */
import { row } from "./failure.ts";

export const routeFailures = {
  task_input_missing: row<{ missing: readonly string[] }>({
    status: 422,
    message: ({ missing }) => `The task does not say ${missing.join(", ")}.`,
    nextStep: ({ missing }) => `Say ${missing.join(", ")} in the task and send it again.`,
  }),
  capability_resting: row<{ id: string }>({
    status: 503,
    message: ({ id }) => `"${id}" failed repeatedly and rests for half a minute.`,
    nextStep: () => "Try again later; GET /api/execution-telemetry shows what failed.",
  }),
  route_refused: row<{ id: string; route: string }>({
    status: 403,
    message: ({ id, route }) => `"${id}" may not call ${route}.`,
    nextStep: () => "Its declaration must list the route or host under routing.allow.",
  }),
  route_unknown: row<{ method: string; path: string }>({
    status: 404,
    message: ({ method, path }) => `No capability serves ${method} ${path}.`,
    nextStep: () => "GET /v1/capabilities shows the routes there are.",
  }),
};
