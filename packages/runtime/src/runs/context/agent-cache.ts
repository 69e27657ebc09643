/** Composed agents, kept for a moment: all steps of a turn need the same one, and composing reads the database. */
import type { Result, RuntimeAgent } from "@capstan/core";
import type { Follows } from "@capstan/core/internal";
import type { RunsParts } from "../contract/run-types.ts";

const KEPT_MS = 500; // grants expire, and the notification of another process may be lost

interface Kept {
  readonly at: number;
  readonly agent: Promise<Result<RuntimeAgent>>;
}

export class AgentCache {
  readonly #compose: RunsParts["composeFor"];
  readonly #kept = new Map<string, Kept>();

  constructor(compose: RunsParts["composeFor"]) {
    this.#compose = compose;
  }

  get(agentId: string, userEmail: string, follows?: Follows | null): Promise<Result<RuntimeAgent>> {
    const key = keyOf(agentId, userEmail, follows);
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept && now - kept.at < KEPT_MS) return kept.agent;
    for (const [old, { at }] of this.#kept) if (now - at >= KEPT_MS) this.#kept.delete(old);
    const agent = this.#compose(agentId, userEmail, follows);
    this.#kept.set(key, { at: now, agent });
    agent.catch(() => this.#kept.delete(key));
    return agent;
  }

  /** After a change of agents or rights: nothing composed before counts. */
  clear(): void {
    this.#kept.clear();
  }

  /** The next `get` composes again. */
  forget(agentId: string, userEmail: string): void {
    const start = keyOf(agentId, userEmail);
    for (const key of this.#kept.keys()) if (key.startsWith(start)) this.#kept.delete(key);
  }
}

const keyOf = (agentId: string, userEmail: string, follows?: Follows | null): string =>
  `${agentId} ${userEmail} ${follows ? (follows.label ?? follows.revision) : ""}`;
