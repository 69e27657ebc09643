/**
 * Replays, experiments and monitors run for hours after the request that started them. Before each step this checks that whoever
 * started the work could still start it: is active, may author, may use the agent, and may see the run it is about.
 */
import { fail, ok, type Result } from "@capstan/core";
import { includesRight, rightFor } from "@capstan/core/internal";
import type { AgentSharings } from "../agents/agent-sharing.ts";
import type { Database } from "../db/database.ts";
import { KeptBriefly } from "../db/kept-briefly.ts";
import type { UserStore } from "../users/user-store.ts";

export interface WorkStep {
  /** Who asked for the work. */
  readonly owner: string;
  readonly agentId: string;
  /** Whose run it is about; the owner's if absent. */
  readonly user?: string;
}

export interface WorkAskers {
  /** The failure that ends the step if its owner could not start it now. */
  stillMay(step: WorkStep): Promise<Result<true>>;
}

export interface WorkAskerParts {
  readonly users: Pick<UserStore, "get">;
  readonly sharing: Pick<AgentSharings, "mayUse">;
  readonly isAdmin: (email: string) => Promise<boolean>;
  /** A change of agents or rights applies to the next step. */
  readonly database: Pick<Database, "policyChanges">;
}

/** The steps of one replay ask the same question hundreds of times a second. */
export function workAskers(parts: WorkAskerParts): WorkAskers {
  const kept = new KeptBriefly<Result<true>>();
  parts.database.policyChanges.onChange(() => kept.clear());
  return {
    stillMay: (step) =>
      kept.get(JSON.stringify([step.owner, step.agentId, step.user]), () => stillMay(parts, step)),
  };
}

async function stillMay(
  { users, sharing, isAdmin }: WorkAskerParts,
  { owner, agentId, user = owner }: WorkStep,
): Promise<Result<true>> {
  const { isActive, role } = await users.get(owner);
  if (!isActive) return fail("user_inactive", { user: owner });
  const needed = rightFor("replay", "change");
  if (role !== undefined && needed !== undefined && !includesRight([role], needed))
    return fail("work_beyond_owner", { owner, why: `the role "${role}" does not allow it` });
  if (user !== owner && !(await isAdmin(owner)))
    return fail("work_beyond_owner", { owner, why: `it reads a run of ${user}` });
  return (await sharing.mayUse(agentId, owner))
    ? ok(true)
    : fail("work_beyond_owner", { owner, why: "they can no longer use the agent" });
}
