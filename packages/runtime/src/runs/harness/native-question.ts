/** A program asks whether it may use one of its own tools: answered by the operator's policy, or by a person through the inbox. */
import {
  type AnyTool,
  type Failure,
  fail,
  type JsonValue,
  type RuntimeAgent,
  type RuntimeTool,
} from "@capstan/core";
import type { CodingAgentEvent, ToolCallPart, ToolOutput } from "@capstan/core/internal";
import { labelStore } from "../../labels/session-labels.ts";
import { foreignSchema } from "../../sources/json-schema.ts";
import type { Answer } from "../claim/claimed-segment.ts";
import type { RunContext } from "../context/run-context.ts";
import type { HarnessProcess } from "../contract/harness-driver.ts";
import { askPerson, denial, refusal } from "../steps/call-tools.ts";
import type { Waits } from "../steps/waits.ts";
import { sameInput } from "./same-input.ts";

export interface NativeQuestion {
  readonly id: string;
  readonly process: HarnessProcess;
  readonly reason?: string | undefined;
}

/** `person`: the question is now in `waits`. An approval that came after the program had ended counts when it repeats the call. */
export function nativeVerdict(
  context: RunContext,
  agent: RuntimeAgent,
  part: ToolCallPart,
  waits: Waits,
  { reason }: NativeQuestion,
): "approve" | "deny" | "person" {
  const { spec } = agent;
  const policy = spec.toolPolicies[part.toolName];
  if (policy === "auto" || wasApproved(context, part)) return "approve";
  if (policy === "deny") return "deny";
  const tool = nativeTool(spec.harness, part.toolName);
  const why = reason ?? `${spec.harness} asks to use its own tool "${part.toolName}"`;
  askPerson(context, agent, part, { tool, input: part.input, why, allowable: false }, waits);
  return "person";
}

export async function answerNative(
  { id, process }: NativeQuestion,
  answer: Answer | "approve" | "deny",
): Promise<void> {
  if (answer === "deny") return process.deny(id, "The operator does not allow this tool.");
  if (answer === "approve") return process.approve(id);
  if (answer.status === "approved") return process.approve(id, answer.edited ?? undefined);
  return process.deny(id, denial({ toolName: "this call" }, answer).message);
}

/** A program's own tools read files and pages that no gate sees: their results count as untrusted. */
export async function labelNative({ engine, claim, harness = "" }: RunContext, tool: string): Promise<void> {
  const origin = { tool, capabilityId: `harness.${harness}`, runId: claim.runId };
  await labelStore(engine.parts.database.pool).add(claim.sessionId, ["untrusted"], origin);
}

/** The result of a call of a program's own tool when the program ended before the answer. */
export function lateAnswer(part: ToolCallPart, answer: Answer | undefined): Failure {
  if (answer && answer.status !== "approved") return denial(part, answer);
  const message = answer
    ? `"${part.toolName}" was approved after the program had ended.`
    : `The program ended before "${part.toolName}" did.`;
  return fail("tool_failed", { message, nextStep: "Make the call again if it is still needed." }).failure;
}

/** Whether a person already approved the same call, while the program was gone. */
export function wasApproved(
  { claim, messages }: { claim: Pick<RunContext["claim"], "answers">; messages: RunContext["messages"] },
  part: ToolCallPart,
): boolean {
  const approved = new Set(
    claim.answers.filter(({ status }) => status === "approved").map(({ callId }) => callId),
  );
  return messages.some(
    (message) =>
      message.role === "assistant" &&
      message.content.some(
        (before) =>
          before.type === "tool-call" &&
          approved.has(before.toolCallId) &&
          before.toolName === part.toolName &&
          sameInput(before.input, part.input),
      ),
  );
}

/** The call as the inbox shows it; the program runs it. */
function nativeTool(harness: string, name: string): RuntimeTool {
  const input = foreignSchema({ type: "object" });
  if (!input.ok) throw new Error(input.failure.message);
  const tool: AnyTool = {
    name,
    description: `A tool of ${harness}.`,
    input: input.value,
    policy: "approve",
    scopes: [],
    timeoutMs: 1000,
    idempotent: false,
    requiresContext: false,
    run: async () => fail("tool_failed", { message: "The program runs it." }),
  };
  return {
    name,
    capabilityId: `harness.${harness}`,
    tool,
    policy: "approve",
    scopes: [],
    connections: [],
    config: {},
  };
}

/** A program's own call as stored: with the arguments a person edited, if it ran with them. */
export function nativeResult(
  { claim }: { claim: Pick<RunContext["claim"], "answers"> },
  { toolCallId, toolName }: ToolCallPart,
  { output = "", denied, interrupted, isError }: Extract<CodingAgentEvent, { type: "tool-ended" }>,
): { readonly output: ToolOutput; readonly edited?: JsonValue } {
  const answer = claim.answers.find(({ callId, status }) => callId === toolCallId && status === "approved");
  const changed = denied || !answer || answer.edited === null ? {} : { edited: answer.edited };
  if (!denied && !interrupted && !isError) return { output: { type: "text", value: output }, ...changed };
  const why = interrupted ? "it was interrupted" : output || "it was refused";
  const { failure } = denied
    ? fail("tool_denied", { tool: toolName, why })
    : fail("tool_failed", { message: why });
  return { output: refusal(failure).output, ...changed };
}
