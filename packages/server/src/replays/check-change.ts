/** Who may try a change on an agent. A trial has no side effects, but it reads with the agent's config and secrets. */
import type { ReplayWith } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  type AgentSharings,
  agentsOfRuns,
  type Composer,
  type Database,
  type Models,
  RECORDED_MODEL,
} from "@capstan/runtime";
import { mayChange, seesAll, usableAgents } from "../auth/ownership.ts";
import { type Caller, isAdmin } from "../http/caller.ts";

export interface ChangeParts {
  readonly models: Pick<Models, "check">;
  readonly sharing: AgentSharings;
  readonly composer: Pick<Composer, "knows">;
}

/** A config decides where requests and their secrets go, so not everyone may try one live. */
export async function checkChange(
  { models, sharing, composer }: ChangeParts,
  caller: Caller,
  asked: {
    readonly with: Pick<ReplayWith, "capabilities" | "model" | "rules">;
    readonly live_reads: boolean;
  },
): Promise<Result<true>> {
  const { capabilities, model, rules = [] } = asked.with;
  if (capabilities && asked.live_reads && !isAdmin(caller))
    return fail("forbidden", {
      message: "Only an admin can combine changed capabilities with live reads.",
      nextStep: "Leave out live_reads to use recorded results, or ask an admin.",
    });
  for (const each of capabilities ?? []) {
    const id = typeof each === "string" ? each : each.id;
    if (!(await composer.knows(id, caller.email))) return fail("capability_unknown", { id, nearest: [] });
  }
  const named = rules.map((rule) => rule.agent_id);
  const known = await usableAgents(sharing, named, caller);
  if (!known.ok) return known;
  return model === undefined || model === RECORDED_MODEL ? ok(true) : models.check(model);
}

/** A user who lost the right to use the agent cannot replay their earlier runs with it. */
export async function checkAgents(
  { database, sharing }: { readonly database: Pick<Database, "pool">; readonly sharing: AgentSharings },
  caller: Caller,
  runIds: readonly string[],
  revision: number | undefined,
): Promise<Result<true>> {
  if (seesAll(caller)) return ok(true);
  for (const agentId of await agentsOfRuns(database.pool, runIds)) {
    const usable = await usableAgents(sharing, [agentId], caller);
    if (!usable.ok) return usable;
    const chosen = revision === undefined ? ok(true) : await checkRevision(sharing, caller, agentId);
    if (!chosen.ok) return chosen;
  }
  return ok(true);
}

/** An older revision may have been withdrawn for a reason, and a draft was never made live. */
export const checkRevision = async (
  sharing: AgentSharings,
  caller: Caller,
  agentId: string,
): Promise<Result<true>> =>
  (await mayChange(sharing, agentId, caller))
    ? ok(true)
    : fail("forbidden", {
        message: "Only people who may change an agent can choose which revision is replayed.",
        nextStep: "Leave `revision` out, or ask the agent's owner.",
      });
