/** A short-lived cache of composed agents: composing reads the database, and the next steps need the same agent. */
import type { Result, RuntimeAgent } from "@capstan/core";

const KEPT_MS = 500; // grants expire, and the notification of another process may be lost

interface Kept {
  readonly at: number;
  readonly agent: Promise<Result<RuntimeAgent>>;
}

export class KeptAgents {
  readonly #kept = new Map<string, Kept>();

  get(key: string, compose: () => Promise<Result<RuntimeAgent>>): Promise<Result<RuntimeAgent>> {
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept && now - kept.at < KEPT_MS) return kept.agent;
    for (const [old, { at }] of this.#kept) if (now - at >= KEPT_MS) this.#kept.delete(old);
    const agent = compose();
    const made = { at: now, agent };
    this.#kept.set(key, made);
    agent.catch(() => {
      if (this.#kept.get(key) === made) this.#kept.delete(key);
    });
    return agent;
  }

  clear(): void {
    this.#kept.clear();
  }

  /** The next `get` with such a key composes again. */
  forget(start: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(start)) this.#kept.delete(key);
  }
}
