/** Features observed in runs, per agent and model: stored once each, so that a declaration can be checked. */
import type { Database } from "../../db/database.ts";
import type { RunObservation } from "../contract/run-types.ts";

export interface Observations {
  add(observation: RunObservation): void;
  of(agentId: string): Promise<Record<string, unknown>[]>;
}

export function openObservations(
  { pool }: Pick<Database, "pool">,
  onError: (error: unknown) => void,
): Observations {
  const seen = new Set<string>();
  return {
    add(observation) {
      const { agentId, model, ...facts } = observation;
      const shown = Object.entries(facts).flatMap(([name, value]) =>
        value === true ? [name] : Array.isArray(value) ? value.map((item) => `${name}:${item}`) : [],
      );
      const fresh = shown.filter((name) => !seen.has(`${agentId} ${model} ${name}`));
      if (fresh.length === 0) return;
      for (const name of fresh) seen.add(`${agentId} ${model} ${name}`);
      pool.query(INSERT, [agentId, model, fresh]).catch(onError);
    },
    async of(agentId) {
      const { rows } = await pool.query<{ model: string; feature: string; seen_at: Date }>(
        "select model, feature, seen_at from observations where agent_id = $1 order by model, feature",
        [agentId],
      );
      return rows.map(({ model, feature, seen_at }) => ({ model, feature, seenAt: seen_at.toISOString() }));
    },
  };
}

const INSERT = `insert into observations (agent_id, model, feature) select $1, $2, unnest($3::text[]) on conflict do nothing`;
