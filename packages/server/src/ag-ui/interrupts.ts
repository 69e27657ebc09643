/** A client's answers to the approvals that a run waits for. */
import { type JsonValue, ok, type Refused, type Result } from "@capstan/core";
import type { Decision, PendingQuestions, Runs } from "@capstan/runtime";
import { z } from "zod";
import type { Asked } from "./run-input.ts";

interface Answerer {
  readonly by: string;
  /** Whether they may also approve changes of rights. */
  readonly isAdmin: boolean;
}

/** Entries for interrupts that were already answered are not executed twice. */
export async function answerInterrupts(
  runs: Runs,
  entries: Asked["answers"],
  { by, isAdmin, pending: { approvals } }: Answerer & { readonly pending: PendingQuestions },
): Promise<{ readonly refused?: Refused; readonly warnings: readonly string[] }> {
  const pending = new Set(approvals.map(({ id }) => id));
  const warnings = entries
    .filter(({ interruptId }) => !pending.has(interruptId))
    .map(({ interruptId }) => `nothing is waiting for "${interruptId}" any more`);
  for (const entry of entries.filter(({ interruptId }) => pending.has(interruptId))) {
    const answered = await runs.approvals.answer(entry.interruptId, decisionOf(entry, { by, isAdmin }));
    if (!answered.ok && answered.failure.code !== "approval_decided") return { refused: answered, warnings };
  }
  return { warnings };
}

const Approval = z.strictObject({
  approved: z.boolean(),
  editedArgs: z.record(z.string(), z.unknown()).optional(),
  reason: z.string().max(4000).optional(),
});

/** What would be refused, before anything of the request is stored: the client sends it all again, corrected. */
export async function checkInterrupts(
  runs: Runs,
  entries: Asked["answers"],
  { pending: { approvals }, ...by }: Answerer & { readonly pending: PendingQuestions },
): Promise<Result<true>> {
  const pending = new Set(approvals.map(({ id }) => id));
  for (const entry of entries.filter(({ interruptId }) => pending.has(interruptId))) {
    const checked = await runs.approvals.check(entry.interruptId, decisionOf(entry, by));
    if (!checked.ok) return checked;
  }
  return ok(true);
}

/** Only `approved: true` approves. Anything else denies, and an invalid payload is reported to the model. */
function decisionOf(entry: Asked["answers"][number], { by, isAdmin }: Answerer): Decision {
  const payload = Approval.safeParse(entry.payload);
  const resolved = entry.status === "resolved" && payload.success;
  const approve = resolved && payload.data.approved;
  return {
    approve,
    by,
    isAdmin,
    words: payload.success ? payload.data.reason : reasonIn(entry.payload),
    editedArguments: resolved ? (payload.data?.editedArgs as JsonValue | undefined) : undefined,
  };
}

const reasonIn = (payload: unknown): string | undefined => {
  const parsed = z.looseObject({ reason: z.string().max(4000) }).safeParse(payload);
  return parsed.success ? parsed.data.reason : undefined;
};
