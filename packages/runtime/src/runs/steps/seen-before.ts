/** Labels of what a conversation had read when the model made the calls of one message. */
import type { RuntimeAgent, RuntimeTool } from "@capstan/core";
import { flowOf, labelsOf, type ToolCallPart } from "@capstan/core/internal";
import type { GateRequest } from "../../gate/gate.ts";
import { labelStore } from "../../labels/session-labels.ts";
import type { RunContext } from "../context/run-context.ts";

/** The model made these calls before it read any of their results, so none is decided by another's label. */
export async function seenBefore(
  { engine, claim }: RunContext,
  agent: RuntimeAgent,
  calls: readonly ToolCallPart[],
): Promise<GateRequest["seen"]> {
  const called = new Set(calls.map(({ toolName }) => toolName));
  const brings = ({ name, tool, config }: RuntimeTool) =>
    called.has(name) && (tool.subagent !== undefined || labelsOf(flowOf(tool, config)).length > 0);
  if (calls.length < 2 || !agent.tools.some(brings)) return undefined;
  const labels = await labelStore(engine.parts.database.pool).read(claim.sessionId);
  return async () => labels;
}
