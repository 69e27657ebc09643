/** One tool called by itself: as an agent's tool when an agent is named, else as the only capability of a nameless agent. */
import {
  agentSpec,
  EVERY_SCOPE,
  type Failure,
  type JsonValue,
  type Result,
  type RuntimeAgent,
} from "@capstan/core";
import { uuidv7 } from "uuidv7";
import type { Caller } from "./auth/caller.ts";
import type { Services } from "./services.ts";

export interface OneCall {
  readonly capabilityId: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly session_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly config?: Record<string, unknown> | undefined;
}

export type OneAnswer =
  | { readonly kind: "done"; readonly output: JsonValue; readonly durationMs: number }
  | { readonly kind: "refused"; readonly failure: Failure }
  | { readonly kind: "approval"; readonly approvalId: string };

export async function runOneTool(
  services: Services,
  caller: Caller,
  call: OneCall,
  signal: AbortSignal,
): Promise<OneAnswer> {
  const composed = await agentFor(services, caller, call);
  if (!composed.ok) return { kind: "refused", failure: composed.failure };
  if (call.session_id !== undefined) {
    const session = await services.sessions.get(call.session_id);
    if (!session.ok) return { kind: "refused", failure: session.failure };
  }
  const user = await services.users.get(caller.email);
  const outcome = await services.gate.call({
    path: "rest",
    agent: composed.value,
    tool: call.tool,
    input: call.input,
    user,
    sessionId: call.session_id,
    callId: uuidv7(),
    signal,
  });
  if (outcome.kind === "done")
    return { kind: "done", output: outcome.output, durationMs: outcome.durationMs };
  if (outcome.kind === "refused") return { kind: "refused", failure: outcome.failure };
  throw new Error("approvals of single calls are not wired yet");
}

function agentFor({ composer }: Services, caller: Caller, call: OneCall): Promise<Result<RuntimeAgent>> {
  if (call.agent_id !== undefined) return composer.composeFor(call.agent_id, caller.email);
  const ref = { id: call.capabilityId, ...(call.config && { config: call.config }) };
  return composer.preview(
    agentSpec({ name: "single call", capabilities: [ref], grantedScopes: [EVERY_SCOPE] }),
    caller.email,
  );
}
