/** Failures of the area "client": programs that talk to a server. */
import { row } from "./failure.ts";

export const clientFailures = {
  server_unreachable: row<{ url: string; why: string }>({
    status: 503,
    message: ({ url, why }) => `The server${url && ` at ${url}`} does not answer: ${why}`,
    nextStep: () => "Check that it is running (`npm start`) and that the address is correct, then try again.",
  }),
  agent_file_invalid: row<{ where: string }>({
    status: 422,
    message: ({ where }) => `The agent file is not valid: ${where}`,
    nextStep: () => "Correct the named fields; docs/agents.md lists them all.",
  }),
  approval_waits: row<{ tool: string; id: string }>({
    status: 409,
    message: ({ tool }) => `"${tool}" requires approval and is still unanswered.`,
    nextStep: ({ id }) => `Run \`capstan approvals approve ${id}\` (or deny); the run then continues.`,
  }),
  account_waits: row<{ why: string; url: string; id: string }>({
    status: 409,
    message: ({ why }) => why,
    nextStep: ({ url, id }) =>
      `Open ${url} and connect the account, or run \`capstan connections answer ${id}\`; the run then continues. \`capstan approvals deny ${id}\` continues without the account.`,
  }),
  answer_unreadable: row<{ status: number; why: string }>({
    status: 502,
    message: ({ status, why }) => `The response (${status}) is not from a Capstan server${why && `: ${why}`}`,
    nextStep: () =>
      "Check that the address belongs to a Capstan server and that no proxy changes its responses.",
  }),
};
