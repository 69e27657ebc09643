/**
 * Which revision of its agent a session or token uses. Only someone who may change the agent can choose: an older
 * revision may have been withdrawn for a reason, and a draft was never made live.
 */
import type { FollowsWire } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { Follows } from "@capstan/core/internal";
import type { AgentSharings, AgentStore, RevisionStore } from "@capstan/runtime";
import type { Caller } from "../http/caller.ts";
import { mayChange } from "./ownership.ts";

export interface FollowsParts {
  readonly agents: AgentStore;
  readonly revisions: RevisionStore;
  readonly sharing: AgentSharings;
}

export async function checkedFollows(
  { agents, revisions, sharing }: FollowsParts,
  caller: Caller,
  agentId: string | undefined,
  wanted: FollowsWire | undefined,
): Promise<Result<Follows | undefined>> {
  if (wanted === undefined) return ok(undefined);
  if (agentId === undefined) return fail("input_invalid", { where: "follows: it needs an agent_id" });
  const agent = await agents.get(agentId);
  if (!agent.ok) return agent;
  if (!(await mayChange(sharing, agentId, caller)))
    return fail("forbidden", {
      message: "Only people who may change an agent can choose which revision is used.",
      nextStep: "Leave `follows` out to use the live revision, or ask its owner.",
    });
  if ("label" in wanted) return ok({ agentId, label: wanted.label });
  const found = await revisions.get(agentId, wanted.revision);
  return found.ok ? ok({ agentId, revision: wanted.revision }) : found;
}

export function followsDto(follows: Follows | null): FollowsWire | null {
  if (follows?.revision !== undefined) return { revision: follows.revision };
  return follows?.label === undefined ? null : { label: follows.label };
}
