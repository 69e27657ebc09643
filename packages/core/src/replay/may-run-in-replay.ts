/**
 * Whether a tool may run while a recorded run is replayed: only if it cannot change anything outside the
 * conversation.
 */
import { flowOf } from "../data-flow/data-flow.ts";
import { type AnyTool, riskOf } from "../tool.ts";

/** What nobody declared counts as a write: see `riskOf`. */
export function mayRunInReplay(tool: AnyTool): boolean {
  if (tool.changesRights || tool.subagent || tool.handsOverTo || tool.runsCode) return false;
  return tool.pure === true || (riskOf(tool) === "read" && flowOf(tool).writes.length === 0);
}
