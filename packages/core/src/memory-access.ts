/**
 * What a tool may do with facts that outlive a session. The owners are fixed when it is created; a tool cannot name
 * others.
 */
import type { Result } from "./result.ts";

/** `user`: the facts of one user, for all their agents. `agent`: of one agent, for all its users. `organisation`: everybody's. */
export const MEMORY_SCOPES = ["user", "agent", "organisation"] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export interface MemoryFact {
  readonly id: string;
  readonly scope: MemoryScope;
  readonly text: string;
  /** Labels of the conversation it came from: `untrusted`, `private`. */
  readonly labels: readonly string[];
  readonly at: string;
}

export interface MemoryAccess {
  /** The same text of the same owner is one fact. */
  remember(fact: { readonly text: string; readonly scope: MemoryScope }): Promise<Result<MemoryFact>>;
  /** By words and by meaning, best first. Their labels become labels of the session. */
  recall(query: string, limit: number): Promise<readonly MemoryFact[]>;
  forget(id: string): Promise<Result<true>>;
}
