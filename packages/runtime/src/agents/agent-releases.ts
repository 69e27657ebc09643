/**
 * The current version of an agent. Stored with what the agent offered, because a capability may gain or lose tools while
 * nobody changes the agent; the change is counted the next time the version is read.
 */
import { type AgentSpec, ok, type Result } from "@capstan/core";
import { type AgentRelease, firstRelease, nextRelease, offerOf } from "@capstan/core/internal";
import type pg from "pg";
import type { Database } from "../db/database.ts";
import type { Composer } from "./composer.ts";

export interface AgentReleases {
  /** The agent's version, incremented by what changed since it was last read. */
  current(agent: AgentSpec): Promise<Result<string>>;
}

/** Two processes that see the same change both count it once: the second finds the first one's row. */
const WRITE = `insert into agent_releases (agent_id, version, offer) values ($1, $2, $3)
  on conflict (agent_id) do update set version = excluded.version, offer = excluded.offer, updated_at = now()
  where agent_releases.version = $4`;
const READ = "select version, offer from agent_releases where agent_id = $1";

/** The version as last read. For callers that must not compose the agent, because it may list the agent that asks. */
export async function storedRelease(pool: Pick<pg.Pool, "query">, agent: AgentSpec): Promise<string> {
  const { rows } = await pool.query<AgentRelease>(READ, [agent.id]);
  return rows[0]?.version ?? firstRelease(agent);
}

export function agentReleases({
  database: { pool },
  composer,
}: {
  readonly database: Pick<Database, "pool">;
  readonly composer: Pick<Composer, "composeOwn">;
}): AgentReleases {
  return {
    async current(agent) {
      const composed = await composer.composeOwn(agent);
      if (!composed.ok) return composed;
      const offer = offerOf(composed.value);
      for (;;) {
        const { rows } = await pool.query<AgentRelease>(READ, [agent.id]);
        const [before] = rows;
        const next = nextRelease(before, offer);
        if (next === before) return ok(next.version);
        const row = [agent.id, next.version, JSON.stringify(next.offer), before?.version ?? ""];
        const { rowCount } = await pool.query(WRITE, row);
        if (rowCount === 1) return ok(next.version);
      }
    },
  };
}
