/**
 * A call that needs the user's account: a durable question with a link; the run resumes once the account is
 * connected.
 */
import { type Failure, fail } from "@capstan/core";
import { type ConnectionLack, expiryOf, type ToolCallPart } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import type { RunContext } from "../context/run-context.ts";
import type { Waits } from "./waits.ts";

/** The call id of a question about an account; a question about the call itself has the call's. */
const CONNECT_CALL = "connect:";

/** Adds the question, when the refusal is about an account. */
export function waitsForConnection(
  context: RunContext,
  { code, message, details }: Failure,
  { toolCallId }: ToolCallPart,
  capabilityId: string | undefined,
  waits: Waits,
): boolean {
  if (code !== "connection_needed") return false;
  const { claim, engine } = context;
  const { provider, name, scopes, tool, why, url } = details as ConnectionLack;
  const id = uuidv7();
  const { expiry } = waits;
  const expiresAt = expiryOf(expiry, engine.now())?.toISOString();
  const link = new URL(url);
  link.search = new URLSearchParams({ approval: id }).toString();
  const asked = {
    provider,
    name,
    scopes,
    agent_id: context.agentId,
    tool,
    why,
    call_id: `${claim.runId}:${toolCallId}`,
    url: link.href,
  };
  waits.approvals.push({
    id,
    kind: "connect",
    agent_id: context.agentId,
    user_email: claim.userEmail,
    capability_id: capabilityId ?? "connection",
    tool,
    call_id: `${CONNECT_CALL}${toolCallId}`,
    arguments: asked,
    pin: "",
    assignee: claim.userEmail,
    reason: message,
    allowable: false,
    expiry,
    expires_at: expiresAt ?? null,
  });
  waits.interrupts.push({
    id,
    reason: "connect",
    message: `${message} Connect it: ${link.href}`,
    toolCallId,
    responseSchema: DENIAL_SCHEMA,
    ...(expiresAt !== undefined && { expiresAt }),
    metadata: { tool, capabilityId, url: link.href, provider, scopes, arguments: asked },
  });
  return true;
}

/** Approved by connecting; an answer can only deny. */
const DENIAL_SCHEMA = {
  type: "object",
  properties: { approved: { const: false }, reason: { type: "string" } },
  required: ["approved"],
};

/** The refusal of a call whose account the person did not connect. */
export function connectionDenied(
  { claim }: RunContext,
  { toolCallId, toolName }: ToolCallPart,
): Failure | undefined {
  const denied = claim.answers.find(
    ({ callId, status }) =>
      callId === `${CONNECT_CALL}${toolCallId}` && (status === "denied" || status === "expired"),
  );
  if (!denied) return undefined;
  const { status, by, words } = denied;
  const who = `${by ?? "a person"} did not connect the account${words ? `: ${words}` : ""}`;
  const why = status === "expired" ? "the account was not connected in time" : who;
  return fail("tool_denied", { tool: toolName, why }).failure;
}
