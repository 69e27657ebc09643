/** Failures of routing and executing tasks. */
import { row } from "./failure.ts";

export const routeFailures = {
  task_input_missing: row<{ missing: readonly string[] }>({
    status: 422,
    message: ({ missing }) => `The task does not specify ${missing.join(", ")}.`,
    nextStep: ({ missing }) => `Add ${missing.join(", ")} to the task and send it again.`,
  }),
  task_unconfirmed: row<{ why: readonly string[] }>({
    status: 409,
    message: ({ why }) => `Nothing was executed; confirmation is required. ${why.join(" ")}`,
    nextStep: () =>
      "If the plan is right, send the same request with `confirm` set to `proposal.confirm`; on the command line, answer yes or use --yes. Otherwise, describe the task more precisely.",
  }),
  approval_needed: row<{ tool: string; id: string }>({
    status: 409,
    message: ({ tool, id }) => `"${tool}" is waiting for approval (${id}).`,
    nextStep: ({ id }) =>
      `Answer it with POST /v1/approvals/${id} or \`capstan approvals\`; the call runs once it is approved. With \`wait: true\` the request waits for the answer.`,
  }),
  capability_resting: row<{ id: string; tool: string }>({
    status: 503,
    message: ({ id, tool }) => `"${tool}" of "${id}" failed repeatedly and is paused for 30 seconds.`,
    nextStep: () => "Try again later; GET /api/execution-telemetry shows what failed.",
  }),
  route_refused: row<{ id: string; route: string }>({
    status: 403,
    message: ({ id, route }) => `"${id}" is not allowed to call ${route}.`,
    nextStep: () => "Add the route or host to routing.allow in its declaration.",
  }),
  route_unknown: row<{ method: string; path: string }>({
    status: 404,
    message: ({ method, path }) => `No capability serves ${method} ${path}.`,
    nextStep: () => "GET /v1/capabilities lists the available routes.",
  }),
};
