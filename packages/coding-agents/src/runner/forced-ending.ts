/** The ending of a run that we refuse or abort ourselves: with the failure's code and next step. */
import { type Failure, fail } from "@capstan/core";
import { CodingAgentError, RUN_ERROR_CODES, type RunErrorCode } from "@capstan/core/internal";
import type { ForcedEnding, RunLedger } from "./run-ledger.ts";

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

/** At its time limit; why, if its program was still trying again. */
export function timedOut(agent: string, timeoutMs: number, retried: RunLedger["retried"]): ForcedEnding {
  const base = { outcome: "limit", limit: "time" } as const;
  if (!retried) return { ...base, message: `The run timed out after ${timeoutMs} ms.` };
  const { message, nextStep } = fail(retried.code, { agent, message: retried.message }).failure;
  const told = `The run timed out after ${timeoutMs} ms, while it tried again. ${message}`;
  return { ...base, message: told, code: retried.code, nextStep };
}

const isFailure = (value: unknown): value is Failure =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof Error) &&
  "code" in value &&
  "nextStep" in value;
