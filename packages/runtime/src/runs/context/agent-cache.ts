/** The composed agents of turns: all steps of one need the same agent. */
import type { Result, RuntimeAgent } from "@capstan/core";
import type { Follows } from "@capstan/core/internal";
import { KeptBriefly } from "../../db/kept-briefly.ts";
import type { RunsParts } from "../contract/run-types.ts";

export class AgentCache {
  readonly #compose: RunsParts["composeFor"];
  readonly #kept = new KeptBriefly<Result<RuntimeAgent>>();

  constructor(compose: RunsParts["composeFor"]) {
    this.#compose = compose;
  }

  get(agentId: string, userEmail: string, follows?: Follows | null): Promise<Result<RuntimeAgent>> {
    return this.#kept.get(keyOf(agentId, userEmail, follows), () =>
      this.#compose(agentId, userEmail, follows),
    );
  }

  /** After a change of agents or rights: drops everything composed before. */
  clear(): void {
    this.#kept.clear();
  }

  /** The next `get` composes again. */
  forget(agentId: string, userEmail: string): void {
    this.#kept.forget(keyOf(agentId, userEmail));
  }
}

const keyOf = (agentId: string, userEmail: string, follows?: Follows | null): string =>
  `${agentId} ${userEmail} ${follows ? (follows.label ?? follows.revision) : ""}`;
