/**
 * Whether a tool may run while a recorded run is replayed: only if it cannot change anything outside the
 * conversation.
 */
import { flowOf } from "../data-flow/data-flow.ts";
import { type AnyTool, riskOf } from "../tool.ts";

/** A program of others may say that it only reads and write all the same; its author may test it so, on purpose. */
export const mayRunInReplay = (tool: AnyTool): boolean => !tool.runsElsewhere && claimsToRead(tool);

/** What nobody declared counts as a write: see `riskOf`. */
export function claimsToRead(tool: AnyTool): boolean {
  if (tool.changesRights || tool.subagent || tool.handsOverTo || tool.runsCode) return false;
  return tool.pure === true || (riskOf(tool) === "read" && flowOf(tool).writes.length === 0);
}
