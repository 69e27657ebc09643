/** Failures of the area "harness": an agent whose sessions a coding agent's program runs. */
import { row } from "./failure.ts";

export const harnessFailures = {
  harness_lost: row<{ harness: string; why: string }>({
    status: 502,
    message: ({ harness, why }) => `The run of '${harness}' was lost: ${why}`,
    nextStep: () => "Send the message again: the conversation is kept, and a new run starts from it.",
    details: ({ harness }) => ({ harness }),
  }),
  harness_failed: row<{ harness: string; message: string; status: number | undefined }>({
    status: 502,
    message: ({ harness, message }) => `'${harness}' could not finish: ${message}`,
    nextStep: ({ harness, status }) =>
      status === 401 || status === 403
        ? `Log '${harness}' in on the server's machine, or set its key; \`capstan doctor\` shows what it finds.`
        : `Send the message again, or look with \`capstan doctor\` at what '${harness}' needs.`,
    details: ({ harness, status }) => ({ harness, ...(status !== undefined && { status }) }),
  }),
  harness_native_tools: row<{ harness: string }>({
    status: 422,
    message: ({ harness }) =>
      `The own tools of '${harness}' cannot be switched off, and this agent does not allow them.`,
    nextStep: () =>
      "Set allow_native_tools to true (its own calls are then marked as ungated), or choose another harness.",
    details: ({ harness }) => ({ harness }),
  }),
};
