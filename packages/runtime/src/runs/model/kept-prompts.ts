/**
 * System prompts and tools as sent, stored once each, so that a trace shows what a model really got even if
 * the agent has changed since, and a replay uses the same versions of capabilities. A composed agent is hashed once; a
 * stored hash is not stored again.
 */
import { createHash } from "node:crypto";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { RuntimeAgent } from "@capstan/core";
import type pg from "pg";

type SentTools = NonNullable<LanguageModelV4CallOptions["tools"]>;

const MOST_KNOWN = 10_000;
const KEEP =
  "insert into prompts(id, system, tools, versions) values ($1, $2, $3, $4) on conflict do nothing";

const ids = new WeakMap<RuntimeAgent, Map<string, string>>();
const stored = new WeakMap<object, Set<string>>();

/** The prompt's id in a trace. */
export async function keepPrompt(
  pool: Pick<pg.Pool, "query">,
  agent: RuntimeAgent,
  tools: SentTools = [],
): Promise<string> {
  const offered = tools.map(({ name }) => name).join(" "); // deferred tools change between calls
  const ofAgent = ids.get(agent) ?? new Map<string, string>();
  ids.set(agent, ofAgent);
  const known = ofAgent.get(offered);
  const id = known ?? hashOf(agent.systemPrompt, JSON.stringify(tools), versionsIn(agent));
  ofAgent.set(offered, id);
  const there = stored.get(pool) ?? new Set<string>();
  stored.set(pool, there);
  if (there.has(id)) return id;
  if (there.size >= MOST_KNOWN) there.clear();
  // A missing prompt in a trace is better than a failed run.
  await pool.query(KEEP, [id, agent.systemPrompt, JSON.stringify(tools), versionsIn(agent)]).then(
    () => there.add(id),
    () => {},
  );
  return id;
}

const versionsIn = ({ capabilities }: RuntimeAgent): string =>
  JSON.stringify(Object.fromEntries(capabilities.map(({ id, version }) => [id, version])));

const hashOf = (...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("base64url").slice(0, 22);
