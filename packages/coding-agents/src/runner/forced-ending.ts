/** The ending of a run that we refuse or abort ourselves: with the failure's code and next step. */
import type { Failure } from "@capstan/core";
import { CodingAgentError, RUN_ERROR_CODES, type RunErrorCode } from "@capstan/core/internal";
import type { ForcedEnding } from "./run-ledger.ts";

const isRunErrorCode = (code: string): code is RunErrorCode =>
  (RUN_ERROR_CODES as readonly string[]).includes(code);

/** Of a failure, or of anything that was thrown. */
export function forcedBy(cause: unknown): ForcedEnding {
  const failure = cause instanceof CodingAgentError ? cause.failure : cause;
  if (isFailure(failure)) {
    const { code, message, nextStep } = failure;
    return {
      outcome: "failed",
      message,
      nextStep,
      code: isRunErrorCode(code) ? code : "coding_agent_failed",
    };
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return { outcome: "failed", message, code: "coding_agent_failed" };
}

const isFailure = (value: unknown): value is Failure =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof Error) &&
  "code" in value &&
  "nextStep" in value;
