/** Failures of the area "client": what a program meets that talks to a server. */
import { row } from "./failure.ts";

export const clientFailures = {
  server_unreachable: row<{ url: string; why: string }>({
    status: 503,
    message: ({ url, why }) => `The server${url && ` at ${url}`} does not answer: ${why}`,
    nextStep: () => "Check that it runs (`npm start`) and that the address is right, then try again.",
  }),
  agent_file_invalid: row<{ where: string }>({
    status: 422,
    message: ({ where }) => `This does not describe an agent: ${where}`,
    nextStep: () => "Correct the named fields; docs/agents.md lists them all.",
  }),
  approval_waits: row<{ tool: string; id: string }>({
    status: 409,
    message: ({ tool }) => `"${tool}" waits for a person, and nobody here has answered.`,
    nextStep: ({ id }) => `Answer it with \`capstan approvals approve ${id}\` or deny; the run then goes on.`,
  }),
  answer_unreadable: row<{ status: number; why: string }>({
    status: 502,
    message: ({ status, why }) =>
      `The server's answer (${status}) is not one of Capstan's${why && `: ${why}`}`,
    nextStep: () =>
      "Check that the address is a Capstan server's, and that nothing between changes its answers.",
  }),
};
