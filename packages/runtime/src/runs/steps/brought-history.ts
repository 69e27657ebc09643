/**
 * A client may bring the earlier messages of a conversation that is not stored here: a changed one, or one that it did not let
 * be stored. What was read in it is unknown, so it counts as all that the agent's tools can read.
 */
import type { RuntimeAgent } from "@capstan/core";
import { type DataLabel, flowOf, labelsOf } from "@capstan/core/internal";
import { labelStore } from "../../labels/session-labels.ts";
import type { RunContext } from "../context/run-context.ts";

export async function labelBroughtHistory(
  { engine, claim }: RunContext,
  { tools }: RuntimeAgent,
): Promise<void> {
  if (!claim.input.broughtHistory) return;
  const labels = new Set<DataLabel>(
    tools.flatMap(({ tool, config }) => (tool.subagent ? ["untrusted"] : labelsOf(flowOf(tool, config)))),
  );
  const origin = { tool: "earlier messages of the client", runId: claim.runId };
  await labelStore(engine.parts.database.pool).add(claim.sessionId, [...labels], origin);
}
