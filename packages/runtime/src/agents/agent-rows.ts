/** How an agent's rows are written: the live agent, and one row per revision. */
import type { CapabilityRef } from "@capstan/core";
import type { CapabilityPin } from "@capstan/core/internal";
import { eq, sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { uuidv7 } from "uuidv7";
import { agentCapabilities, agentRevisions, agents } from "../db/schema/agent-tables.ts";
import type { ConfigSeal } from "../users/config-seal.ts";
import { type AgentInput, settingsOf } from "./agent-record.ts";

export type Orm = Pick<NodePgDatabase, "select" | "insert" | "update" | "delete" | "execute">;

/** Who changed an agent and why, and what it was composed of. */
export interface AgentChange {
  readonly by: string;
  readonly why?: string | undefined;
  readonly pins?: readonly CapabilityPin[] | undefined;
  readonly tokens?: { readonly prompt: number; readonly tools: number; readonly total: number } | undefined;
}

export const agentColumns = (input: AgentInput) => ({
  name: input.name,
  description: input.description,
  systemPrompt: input.systemPrompt,
  model: input.model ?? null,
  harness: input.harness,
  settings: settingsOf(input),
  grantedScopes: [...input.grantedScopes],
});

/** Replaces the live agent; false when there is none. */
export async function writeLive(
  orm: Orm,
  id: string,
  { number, input, seal }: { number: number; input: AgentInput; seal: ConfigSeal["seal"] },
): Promise<boolean> {
  const rows = await orm
    .update(agents)
    .set({ ...agentColumns(input), version: number, updatedAt: sql`now()` })
    .where(eq(agents.id, id))
    .returning({ id: agents.id });
  if (rows.length === 0) return false;
  await orm.delete(agentCapabilities).where(eq(agentCapabilities.agentId, id));
  await putCapabilities(orm, id, input, seal);
  return true;
}

export async function putCapabilities(
  orm: Orm,
  agentId: string,
  { capabilities }: AgentInput,
  seal: ConfigSeal["seal"],
): Promise<void> {
  if (capabilities.length === 0) return;
  await orm.insert(agentCapabilities).values(
    capabilities.map(({ id, config, prefix, version }, position) => ({
      id: uuidv7(),
      agentId,
      capabilityId: id,
      position,
      config: seal(id, config) ?? null,
      prefix: prefix ?? null,
      version: version ?? null,
    })),
  );
}

/**
 * Stores the live agent as a revision if there is none with its number: an earlier version of Capstan saved it. Locks the
 * agent, so that two changes at once get two numbers.
 */
export async function keepLive(orm: Orm, agentId: string): Promise<void> {
  await orm.execute(sql`select id from agents where id = ${agentId} for update`);
  await orm.execute(sql`
    insert into agent_revisions (agent_id, number, by, at, name, description, system_prompt, model, harness, settings,
      granted_scopes, capabilities)
    select a.id, a.version, a.owner, a.updated_at, a.name, a.description, a.system_prompt, a.model, a.harness, a.settings,
      a.granted_scopes, coalesce((select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', c.capability_id,
        'prefix', c.prefix, 'version', c.version)) || case when c.config is null then '{}'::jsonb
        else jsonb_build_object('config', c.config) end order by c.position)
        from agent_capabilities c where c.agent_id = a.id), '[]'::jsonb)
    from agents a where a.id = ${agentId} on conflict do nothing`);
}

/** Whether `keepLive` has nothing to do. Readers check this first, because `keepLive` locks the agent. */
export async function hasRevision(orm: Orm, agentId: string, number: number): Promise<boolean> {
  const { rows } = await orm.execute(
    sql`select 1 from agent_revisions where agent_id = ${agentId} and number = ${number}`,
  );
  return rows.length > 0;
}

/** Adds the next revision and returns its number. The agent's row is locked by `keepLive`, or new. */
export async function addRevision(
  orm: Orm,
  agentId: string,
  input: AgentInput,
  { by, why = "", pins, tokens }: AgentChange,
  seal: ConfigSeal["seal"],
): Promise<number> {
  const [row] = await orm
    .insert(agentRevisions)
    .values({
      agentId,
      number: sql`(select coalesce(max(${agentRevisions.number}), 0) + 1 from ${agentRevisions}
        where ${agentRevisions.agentId} = ${agentId})`,
      by,
      why,
      ...agentColumns(input),
      capabilities: input.capabilities.map((ref) => sealed(ref, seal)),
      pins: pins ?? null,
      tokens: tokens ?? null,
    })
    .returning({ number: agentRevisions.number });
  if (!row) throw new Error("the revision just written is not there");
  return row.number;
}

const sealed = (ref: CapabilityRef, seal: ConfigSeal["seal"]): CapabilityRef =>
  ref.config === undefined ? ref : { ...ref, config: seal(ref.id, ref.config) };
