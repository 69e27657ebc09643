/** Failures of the area "harness": agents whose sessions are run by a coding agent. */
import { row } from "./failure.ts";

export const harnessFailures = {
  harness_lost: row<{ harness: string; why: string }>({
    status: 502,
    message: ({ harness, why }) => `The run of '${harness}' was lost: ${why}`,
    nextStep: () => "Send the message again: a new run continues from the stored conversation.",
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
      `'${harness}' cannot run as a different user from the server: other users cannot read ${path}.`,
    nextStep: ({ harness }) =>
      `Put the data folder and the program where every user of the machine can read them, or run the server as an ordinary user. For agents without allow_native_tools the operator can also set CAPSTAN_HARNESS_AS_SERVER=${harness}.`,
    details: ({ harness, path }) => ({ harness, path }),
  }),
  harness_login_apart: row<{ harness: string; variables: readonly string[] }>({
    status: 422,
    message: ({ harness }) =>
      `'${harness}' is logged in for the server's user only, but runs as the session's user.`,
    nextStep: ({ harness, variables }) =>
      `Set ${variables.join(" or ") || "its key"} in the server's environment. For agents without allow_native_tools the operator can also set CAPSTAN_HARNESS_AS_SERVER=${harness}: it then runs as the server, with that login.`,
    details: ({ harness }) => ({ harness }),
  }),
  harness_unseparated: row<{ harness: string; user: string }>({
    status: 403,
    message: ({ harness, user }) =>
      `'${harness}' would use its own tools with the server's rights, but not everyone who acts as ${user} is an admin.`,
    nextStep: () =>
      "Run the server as root, so that the program runs as another user, or set allow_native_tools to false; the operator can also set CAPSTAN_ALLOW_UNSEPARATED_PACKAGES=true.",
    details: ({ harness, user }) => ({ harness, user }),
  }),
  organisation_harness_refused: row<{ harness: string; why: string }>({
    status: 403,
    message: ({ harness, why }) => `'${harness}' only runs in the server's first organisation: ${why}.`,
    nextStep: () =>
      "Set allow_native_tools of the agent to false, and have the operator run the server as root; or use the harness `native`.",
    details: ({ harness }) => ({ harness }),
  }),
  continue_unasked: row<{ harness: string }>({
    status: 422,
    message: ({ harness }) =>
      `'${harness}' does not ask before it uses its own tools, which this agent allows; the current harness does.`,
    nextStep: () =>
      "Continue in a program that asks for approval, or set allow_native_tools of the agent to false.",
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
