/** Agents as model names: an agent's name if it is unique, otherwise its id. */
import { fail, ok, type Result } from "@capstan/core";
import { nearest } from "@capstan/core/internal";
import { type AgentRecord, type AgentStore, readCursor, type SharedTo } from "@capstan/runtime";

const PAGE = 200;

export interface NamedAgent {
  readonly model: string;
  readonly agent: AgentRecord;
}

export async function agentsAsModels(agents: AgentStore, sharedTo?: SharedTo): Promise<NamedAgent[]> {
  const all: AgentRecord[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const after = readCursor(cursor);
    const page = await agents.list({ limit: PAGE, after: after.ok ? after.value : undefined, sharedTo });
    all.push(...page.items);
    cursor = page.nextCursor;
    more = cursor !== undefined;
  }
  const times = new Map<string, number>();
  for (const { name } of all) times.set(nameKey(name), (times.get(nameKey(name)) ?? 0) + 1);
  return all.map((agent) => ({
    model: times.get(nameKey(agent.name)) === 1 ? agent.name : agent.id,
    agent,
  }));
}

/** By id first; by name only if it is unique. A client that logged in finds its own agent alone. */
export async function agentForModel(
  agents: AgentStore,
  model: string,
  { allowedId, sharedTo }: { readonly allowedId?: string | undefined; readonly sharedTo?: SharedTo } = {},
): Promise<Result<AgentRecord>> {
  const isOpen = ({ id }: AgentRecord): boolean => allowedId === undefined || id === allowedId;
  const named = (await agentsAsModels(agents, sharedTo)).filter(({ agent }) => isOpen(agent));
  const byId = named.find(({ agent }) => agent.id === model);
  if (byId) return ok(byId.agent);
  const same = named.filter(({ agent }) => nameKey(agent.name) === nameKey(model));
  const [only] = same;
  if (only && same.length === 1) return ok(only.agent);
  const near =
    same.length > 1
      ? same.map(({ agent }) => agent.id)
      : nearest(
          model,
          named.map((each) => each.model),
        );
  return fail("agent_model_unknown", { model, near, several: same.length > 1 });
}

const nameKey = (name: string): string => name.trim().toLowerCase();
