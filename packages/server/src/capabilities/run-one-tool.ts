/** A direct tool call: as an agent's tool when an agent is named, otherwise with an anonymous agent of one capability. */
import { createHash } from "node:crypto";
import type { ToolRun } from "@capstan/client/wire";
import {
  type CapabilityRegistry,
  type Failure,
  fail,
  type JsonValue,
  type Result,
  type RuntimeAgent,
} from "@capstan/core";
import { type Budget, chosenHosts, findCapability, holdsSealed } from "@capstan/core/internal";
import {
  type Composer,
  type Database,
  type Gate,
  type Runs,
  type SessionStore,
  singleCapability,
  storedBudgets,
  type UserStore,
} from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import { ownSession } from "../auth/ownership.ts";
import { type Caller, isAdmin } from "../http/caller.ts";

export interface OneCall extends ToolRun {
  readonly capabilityId: string;
  readonly tool: string;
  /** The trace that the request is part of. */
  readonly traceparent?: string | undefined;
  /** The caller's idempotency key, passed to the tool: a repeated request is the same call to the service behind it. */
  readonly key?: string | undefined;
}

export type OneAnswer = (
  | { readonly kind: "done"; readonly output: JsonValue; readonly durationMs: number }
  | { readonly kind: "refused"; readonly failure: Failure }
  | { readonly kind: "approval"; readonly approvalId: string }
) & {
  /** Absent when it did not reach the gate. */
  readonly callId?: string;
};

/** Names the call in an answer: for `capstan explain`. */
export const CALL_ID_HEADER = "x-capstan-call";

export interface OneToolParts {
  readonly sessions: SessionStore;
  readonly users: UserStore;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly database: Database;
  readonly composer: Composer;
  readonly registry: CapabilityRegistry;
}

export async function runOneTool(
  services: OneToolParts,
  caller: Caller,
  call: OneCall,
  signal: AbortSignal,
): Promise<OneAnswer> {
  const composed = await agentFor(services, caller, call);
  if (!composed.ok) return { kind: "refused", failure: composed.failure };
  if (call.session_id !== undefined) {
    const session = await ownSession(services.sessions, call.session_id, caller);
    if (!session.ok) return { kind: "refused", failure: session.failure };
  }
  const user = await services.users.get(caller.email);
  const callId = callIdOf(caller, call);
  const outcome = await services.gate.call({
    path: "rest",
    agent: composed.value,
    tool: call.tool,
    input: call.input ?? {},
    user,
    sessionId: call.session_id,
    callId,
    signal,
    traceparent: call.traceparent,
    budgets: await budgetsOf(services, call.session_id, composed.value),
  });
  if (outcome.kind === "done")
    return { kind: "done", output: outcome.output, durationMs: outcome.durationMs, callId };
  if (outcome.kind === "refused") return { kind: "refused", failure: outcome.failure, callId };
  if (outcome.kind === "client") {
    return {
      kind: "refused",
      callId,
      failure: fail("tool_denied", { tool: call.tool, why: "only the client of a run can run it" }).failure,
    };
  }
  const approval = await services.runs.approvals.ask({
    callId,
    agent: composed.value,
    tool: outcome.tool,
    input: outcome.input,
    why: outcome.why,
    ask: outcome.ask,
    userEmail: caller.email,
    sessionId: call.session_id,
  });
  return { kind: "approval", approvalId: approval.id, callId };
}

/** The same key from another user, or with another tool, is a different call. */
function callIdOf({ email }: Caller, { tool, key }: OneCall): string {
  if (key === undefined) return uuidv7();
  return createHash("sha256")
    .update(JSON.stringify([email, tool, key]))
    .digest("hex")
    .slice(0, 32);
}

/** A call in a session counts towards its active run: the run's limits apply here too. */
async function budgetsOf(
  { database }: OneToolParts,
  sessionId: string | undefined,
  { spec }: RuntimeAgent,
): Promise<Budget[]> {
  return sessionId === undefined ? [] : storedBudgets(database.pool, sessionId, spec.limits);
}

async function agentFor(
  { composer, registry }: OneToolParts,
  caller: Caller,
  call: OneCall,
): Promise<Result<RuntimeAgent>> {
  if (call.agent_id !== undefined) return composer.composeFor(call.agent_id, caller.email);
  if (holdsSealed(call.config))
    return fail("input_invalid", { where: "config: a sealed value is the server's own" });
  const single = singleCapability(call.capabilityId, call.config);
  const hosts = isAdmin(caller)
    ? []
    : chosenHosts(single.capabilities, (ref) => findCapability(registry, ref));
  if (hosts.length > 0)
    return fail("forbidden", {
      message: `This call would decide where requests are sent: ${hosts.join("; ")}.`,
      nextStep: "Leave that out, or use an agent that an admin saved with it.",
    });
  return composer.composeUnsaved(single, caller.email);
}
