/** Failures of the area "harness": agents whose sessions are run by a coding agent. */
import { row } from "./failure.ts";

export const harnessFailures = {
  harness_lost: row<{ harness: string; why: string }>({
    status: 502,
    message: ({ harness, why }) => `The run of '${harness}' was lost: ${why}`,
    nextStep: () => "Send the message again: the conversation is kept, and a new run starts from it.",
    details: ({ harness }) => ({ harness }),
  }),
  /** `reason` is one of the coding agents' error codes, `advice` its next step. */
  harness_failed: row<{
    harness: string;
    message: string;
    status: number | undefined;
    reason?: string | undefined;
    advice?: string | undefined;
  }>({
    status: 502,
    message: ({ harness, message }) => `'${harness}' could not finish: ${message}`,
    nextStep: ({ harness, advice }) =>
      advice ?? `Send the message again, or check what '${harness}' needs with \`capstan doctor\`.`,
    details: ({ harness, status, reason }) => ({
      harness,
      ...(status !== undefined && { status }),
      ...(reason !== undefined && { reason }),
    }),
  }),
  harness_not_separated: row<{ harness: string; path: string }>({
    status: 422,
    message: ({ harness, path }) =>
      `'${harness}' would keep its own tools, and cannot run as another user than the server: ${path} is not readable for others.`,
    nextStep: () =>
      "Put the data folder and the program where every user of the machine can reach them, run the server as an ordinary user, or set allow_native_tools to false.",
    details: ({ harness, path }) => ({ harness, path }),
  }),
  continue_unasked: row<{ harness: string }>({
    status: 422,
    message: ({ harness }) =>
      `'${harness}' asks nobody before it uses its own tools, which this agent allows; here they are asked about.`,
    nextStep: () => "Continue in a program that asks, or set allow_native_tools of the agent to false.",
    details: ({ harness }) => ({ harness }),
  }),
  harness_native_tools: row<{ harness: string }>({
    status: 422,
    message: ({ harness }) =>
      `'${harness}' cannot disable its own tools, and this agent does not allow them.`,
    nextStep: () =>
      "Set allow_native_tools to true (its own calls are then marked as ungated), or choose another harness.",
    details: ({ harness }) => ({ harness }),
  }),
};
