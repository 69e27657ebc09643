/** Asks a person about a task's step. The answer is a row that any process may write, so waiting means polling. */
import { type Failure, fail, type JsonValue } from "@capstan/core";
import type { Approval, Approvals, DirectCall } from "../runs/approvals/approvals.ts";
import type { PersonAnswer } from "./execute-steps.ts";

const LOOK_MS = 300;

export interface WaitOptions {
  readonly wait: boolean;
  readonly signal: AbortSignal;
  readonly onAsked: (approvalId: string) => Promise<void>;
}

export async function askAndWait(
  approvals: Pick<Approvals, "ask" | "get">,
  call: DirectCall,
  { wait, signal, onAsked }: WaitOptions,
): Promise<PersonAnswer> {
  const { id } = await approvals.ask(call);
  if (wait) await onAsked(id);
  while (wait && !signal.aborted) {
    const found = await approvals.get(id);
    const result = found.ok ? resultOf(found.value) : { failure: found.failure };
    if (result) return { approvalId: id, result };
    await pause(signal);
  }
  return { approvalId: id };
}

/** Absent while it is pending, and while the approved call is running. */
function resultOf({ status, tool, words, result }: Approval): PersonAnswer["result"] {
  if (status === "pending") return undefined;
  if (status !== "approved") {
    const why = words === null ? `its approval was ${status}` : `its approval was ${status}: ${words}`;
    return { failure: fail("tool_denied", { tool, why }).failure };
  }
  if (result === null) return undefined;
  const stored = result as { output?: JsonValue; failure?: unknown };
  return stored.failure === undefined
    ? { output: stored.output ?? null }
    : { failure: stored.failure as Failure };
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, LOOK_MS);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
