/**
 * An answer that a check holds until a person has read it: stored in the question, sent and stored as a message once
 * approved.
 */
import { fail, type Result, type RuntimeAgent } from "@capstan/core";
import { type AssistantPart, expiryOf, type TextCheck } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import type { Answer } from "../claim/claimed-segment.ts";
import type { RunContext } from "../context/run-context.ts";
import type { StepAnswer } from "../model/ask-model.ts";
import { emitParts } from "../model/emit-parts.ts";
import { withText } from "../model/stream-checked.ts";
import { type SegmentEnd, suspendRun } from "./run-endings.ts";
import { noWaits } from "./waits.ts";

/** The call id of a question about a text; never the id of a tool call. */
const TEXT_CALL = "text:";

const saidIn = (parts: readonly AssistantPart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

export async function holdAnswer(
  context: RunContext,
  agent: RuntimeAgent,
  answer: StepAnswer,
  check: Pick<TextCheck, "name" | "words">,
): Promise<SegmentEnd> {
  const { claim, engine } = context;
  const id = uuidv7();
  const expiry = agent.spec.approvalExpiry;
  const expiresAt = expiryOf(expiry, engine.now())?.toISOString();
  const reason = check.words ?? `The check "${check.name}" asks before this is sent.`;
  const text = saidIn(answer.parts);
  const waits = noWaits(expiry);
  waits.approvals.push({
    id,
    kind: "text",
    agent_id: context.agentId,
    user_email: claim.userEmail,
    capability_id: "text",
    tool: "send_text",
    call_id: `${TEXT_CALL}${answer.messageId}`,
    arguments: { text, check: check.name, answer },
    pin: "",
    assignee: engine.parts.rightsApprover ?? claim.userEmail,
    reason,
    allowable: false,
    expiry,
    expires_at: expiresAt ?? null,
  });
  waits.interrupts.push({
    id,
    reason: "text",
    message: reason,
    responseSchema: ANSWER_SCHEMA,
    ...(expiresAt !== undefined && { expiresAt }),
    metadata: { check: check.name },
  });
  return suspendRun(context, waits);
}

const ANSWER_SCHEMA = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    editedArgs: { type: "object", properties: { text: { type: "string" } } },
    reason: { type: "string" },
  },
  required: ["approved"],
};

const HELD = "select arguments, edited_arguments as edited from approvals where run_id = $1 and call_id = $2";

interface HeldRow {
  readonly arguments: { readonly answer: StepAnswer };
  readonly edited: { readonly text?: string } | null;
}

/** The held answer that a person decided on: sent to every client if approved, a failure if denied. */
export async function releasedAnswer(context: RunContext): Promise<Result<StepAnswer> | undefined> {
  const { claim, engine, messages, log } = context;
  const decided = claim.answers.find(
    (answer) => isAbout(answer) && !messages.some(({ id }) => id === idOf(answer)),
  );
  if (!decided) return undefined;
  const { status, by, words } = decided;
  if (status !== "approved") return fail("text_denied", { by, words, isExpired: status === "expired" });
  const { rows } = await engine.parts.database.pool.query<HeldRow>(HELD, [claim.runId, decided.callId]);
  const [row] = rows;
  if (!row) return undefined;
  const { answer } = row.arguments;
  const { text } = row.edited ?? {};
  const parts = text === undefined ? answer.parts : withText(answer.parts, text);
  emitParts(answer.messageId, parts, (event) => log.emit(event));
  return { ok: true, value: { ...answer, parts } };
}

const isAbout = ({ callId }: Answer): boolean => callId.startsWith(TEXT_CALL);
const idOf = ({ callId }: Answer): string => callId.slice(TEXT_CALL.length);
