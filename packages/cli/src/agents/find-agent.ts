/** Finds an agent by id or name. */
import type { Agent, Api } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";

export async function findAgent(api: Api, wanted: string): Promise<Result<Agent>> {
  const all = await api.agents.all();
  return all.ok ? agentNamed(all.value, wanted) : all;
}

/** By id, then by name, then by name ignoring case. */
export function agentNamed(agents: readonly Agent[], wanted: string): Result<Agent> {
  const lower = wanted.toLowerCase();
  const ways: ((agent: Agent) => boolean)[] = [
    ({ id }) => id === wanted,
    ({ name }) => name === wanted,
    ({ name }) => name.toLowerCase() === lower,
  ];
  const found = ways.map((way) => agents.filter(way)).find(({ length }) => length > 0) ?? [];
  const [agent] = found;
  if (!agent) return fail("not_found", { what: "agent", id: wanted });
  if (found.length === 1) return ok(agent);
  return fail("conflict", {
    message: `${found.length} agents are named "${wanted}".`,
    nextStep: `Use one of the ids: ${found.map(({ id }) => id).join(", ")}.`,
  });
}
