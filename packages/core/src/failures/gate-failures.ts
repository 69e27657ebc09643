/** Refusals of the gate, in the order of its checks. Each reaches the model as a tool result. */
import { row } from "./failure.ts";

/** A reason in a person's words may lack its full stop, and the next step follows. */
const sentence = (why: string): string => (/[.!?]\s*$/.test(why) ? why : `${why}.`);

export const gateFailures = {
  tool_unknown: row<{ tool: string; nearest: readonly string[]; known: readonly string[] }>({
    status: 404,
    message: ({ tool }) => `There is no tool "${tool}".`,
    nextStep: ({ nearest, known }) => {
      if (nearest.length > 0) return `Did you mean ${nearest.map((name) => `"${name}"`).join(" or ")}?`;
      return known.length > 0 ? `Use one of these: ${known.join(", ")}.` : "No tools are available here.";
    },
  }),
  tool_hidden: row<{ tool: string; reason: string }>({
    status: 403,
    message: ({ tool, reason }) => `"${tool}" is not available to this agent: ${reason}`,
    nextStep: () => "The agent's preview lists its tools and says why others are hidden.",
  }),
  scope_missing: row<{ tool: string; missing: readonly string[] }>({
    status: 403,
    message: ({ tool, missing }) => `"${tool}" requires ${missing.join(", ")}, which is not granted.`,
    nextStep: ({ missing }) =>
      `Grant ${missing.join(", ")} to the agent and the user, or ask with request_access.`,
  }),
  session_required: row<{ tool: string }>({
    status: 422,
    message: ({ tool }) => `"${tool}" requires a session, and none was given.`,
    nextStep: () =>
      "Create one with POST /v1/sessions and send its id as session_id; on the command line, with --session.",
  }),
  tool_input_invalid: row<{ tool: string; where: string }>({
    status: 422,
    message: ({ tool, where }) => `The arguments of "${tool}" are not valid: ${where}`,
    nextStep: () => "Correct the named arguments to match the tool's schema and call it again.",
  }),
  budget_exhausted: row<{ budget: string; limit: number; used: number }>({
    status: 429,
    message: ({ budget, limit, used }) => `The run's limit on ${budget} is ${limit}; ${used} used.`,
    nextStep: () => "Answer with what you have, or raise the agent's limits.",
  }),
  budget_used_up: row<{ budget: string; spent: string; limit: string; until: string }>({
    status: 429,
    message: ({ budget, spent, limit }) => `The budget "${budget}" is used up: ${spent} of ${limit}.`,
    nextStep: ({ until }) =>
      `It resets at ${until}. Whoever set it can raise it: \`capstan budgets\`, or \`capstan organisations change\` for the limit of an organisation.`,
  }),
  budget_denied: row<{ by: string | null; words: string | null }>({
    status: 429,
    message: ({ by, words }) =>
      `${by ?? "An admin"} did not allow spending above the budget${words ? `: ${words}` : "."}`,
    nextStep: () => "Continue when the budget resets, or ask for a higher limit.",
  }),
  budget_unpriced: row<{ budget: string; model: string }>({
    status: 422,
    message: ({ budget, model }) =>
      `The budget "${budget}" counts US dollars, and the price of ${model || "this model"} is not known.`,
    nextStep: () => "Choose a model with a listed price (GET /v1/models), or make the budget count tokens.",
  }),
  replay_effect: row<{ tool: string }>({
    status: 403,
    message: ({ tool }) => `"${tool}" does not run in a replay: it may have side effects.`,
    nextStep: () => "Declare a stand-in for it, or replay a run that recorded this call.",
  }),
  approval_required: row<{ tool: string; id: string }>({
    status: 202,
    message: ({ tool, id }) => `"${tool}" requires approval: ${id} is waiting for an answer.`,
    nextStep: ({ id }) =>
      `Answer it in the inbox or with POST /v1/approvals/${id}; the call then runs once. Make the same call again to get its result.`,
  }),
  rule_denied: row<{ tool: string; rule: string; id: string; why: string }>({
    status: 403,
    message: ({ tool, rule, why }) => `"${tool}" is denied by the rule "${rule}": ${sentence(why)}`,
    nextStep: ({ id }) =>
      `Continue without this call, or change its arguments. The rule's id, for whoever may change it, is ${id}.`,
  }),
  tool_denied: row<{ tool: string; why: string }>({
    status: 403,
    message: ({ tool, why }) => `"${tool}" is denied: ${sentence(why)}`,
    nextStep: () => "Continue without it, or change the agent's policy.",
  }),
  tool_timeout: row<{ tool: string; timeoutMs: number }>({
    status: 504,
    message: ({ tool, timeoutMs }) => `"${tool}" timed out after ${timeoutMs} ms and was stopped.`,
    nextStep: () => "Ask for less at once, or try again later.",
  }),
  tool_output_invalid: row<{ tool: string; where: string }>({
    status: 502,
    message: ({ tool, where }) => `"${tool}" returned output that does not match its schema: ${where}`,
    nextStep: () => "Report this to the capability's author.",
  }),
  tool_failed: row<{ message: string; nextStep?: string }>({
    status: 502,
    message: ({ message }) => message,
    nextStep: ({ nextStep }) => nextStep ?? "Change the arguments, or continue without this tool.",
  }),
  tool_crashed: row<{ tool: string; message: string }>({
    status: 502,
    message: ({ tool, message }) => `"${tool}" crashed: ${message}`,
    nextStep: () => "Try again; if it keeps failing, report it to the capability's author.",
  }),
  cancelled: row<{ what: string }>({
    status: 499,
    message: ({ what }) => `${what} was cancelled.`,
    nextStep: () => "Start it again if you still need it.",
  }),
};
