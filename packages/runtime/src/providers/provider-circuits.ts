/** One circuit per provider and process: a provider that keeps failing is skipped for a while, then tried again. */
import { admit, type Breaker, CLOSED_BREAKER, settle } from "../network/circuit-breaker.ts";

const RULES = { failuresToOpen: 3, restMs: 30_000 };

export class ProviderCircuits {
  readonly #breakers = new Map<string, Breaker>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** False while the circuit is open; then one call is let through as a trial. */
  admits(provider: string): boolean {
    const { pass, next } = admit(this.#of(provider), this.#now(), RULES);
    this.#breakers.set(provider, next);
    return pass;
  }

  settle(provider: string, succeeded: boolean): void {
    this.#breakers.set(provider, settle(this.#of(provider), succeeded, this.#now(), RULES));
  }

  #of(provider: string): Breaker {
    return this.#breakers.get(provider) ?? CLOSED_BREAKER;
  }
}
