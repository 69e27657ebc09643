/**
 * Identifies what an approval was asked for, as a hash: the agent's version, the capability's version and its config. An
 * approval counts only while the pin is the same; the arguments are in the approval itself.
 */
import { createHash } from "node:crypto";
import type { RuntimeAgent, RuntimeTool } from "@capstan/core";

export function approvalPin(agent: RuntimeAgent, tool: RuntimeTool): string {
  const { id, version } = agent.spec;
  const capability = agent.capabilities.find((each) => each.id === tool.capabilityId)?.version ?? "";
  const asked = [id, version, tool.capabilityId, capability, tool.name, tool.config ?? null];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}
