/** The one table of failures, and `fail`, which reads it. To add a failure, add a row in its area's file. */
import type { Refused } from "../result.ts";
import { backupFailures } from "./backup-failures.ts";
import { builtinFailures } from "./builtin-failures.ts";
import { clientFailures } from "./client-failures.ts";
import { codingAgentFailures } from "./coding-agent-failures.ts";
import { commonFailures } from "./common-failures.ts";
import { composeFailures } from "./compose-failures.ts";
import { connectionFailures } from "./connection-failures.ts";
import type { FailureRow } from "./failure.ts";
import { filesFailures } from "./files-failures.ts";
import { folderFailures } from "./folder-failures.ts";
import { gateFailures } from "./gate-failures.ts";
import { harnessFailures } from "./harness-failures.ts";
import { httpFailures } from "./http-failures.ts";
import { installFailures } from "./install-failures.ts";
import { loginFailures } from "./login-failures.ts";
import { networkFailures } from "./network-failures.ts";
import { protocolFailures } from "./protocol-failures.ts";
import { routeFailures } from "./route-failures.ts";
import { runFailures } from "./run-failures.ts";
import { sourceFailures } from "./source-failures.ts";

export const FAILURES = {
  ...commonFailures,
  ...httpFailures,
  ...composeFailures,
  ...gateFailures,
  ...networkFailures,
  ...filesFailures,
  ...runFailures,
  ...routeFailures,
  ...installFailures,
  ...codingAgentFailures,
  ...harnessFailures,
  ...folderFailures,
  ...sourceFailures,
  ...clientFailures,
  ...builtinFailures,
  ...backupFailures,
  ...loginFailures,
  ...connectionFailures,
  ...protocolFailures,
};

export type FailureCode = keyof typeof FAILURES;
export type FailureFacts<Code extends FailureCode> =
  (typeof FAILURES)[Code] extends FailureRow<infer Facts> ? Facts : never;

/** A failure by its code: `fail("file_not_found", { path })`. */
export function fail<Code extends FailureCode>(code: Code, facts: FailureFacts<Code>): Refused {
  const { status, message, nextStep, details } = FAILURES[code] as FailureRow<FailureFacts<Code>>;
  const more = details?.(facts);
  return {
    ok: false,
    failure: {
      code,
      status,
      message: message(facts),
      nextStep: nextStep(facts),
      ...(more !== undefined && { details: more }),
    },
  };
}
