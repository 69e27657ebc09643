/**
 * Health-checks a background service before it is called. A service that is down opens the circuit breaker: for a while
 * calls are refused immediately, then one of them checks again.
 */
import { fail, ok, type Result } from "@capstan/core";

const HEALTHY_MS = 5_000; // how long a result is cached; checking before every call would double each one
const OPEN_MS = 10_000;
const ASK_MS = 3_000;

interface Known {
  readonly why: string | undefined;
  readonly untilMs: number;
}

export type AskHealth = (url: string, timeoutMs: number) => Promise<string | undefined>;

export class ServiceBreaker {
  readonly #ask: AskHealth;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<string | undefined>>();

  constructor(now: () => number, ask: AskHealth = askHealth) {
    this.#now = now;
    this.#ask = ask;
  }

  async check(service: string, healthUrl: string): Promise<Result<true>> {
    const known = this.#known.get(healthUrl);
    const why = known && known.untilMs > this.#now() ? known.why : await this.#askOnce(healthUrl);
    return why === undefined ? ok(true) : fail("service_down", { service, url: healthUrl, why });
  }

  /** Concurrent calls share one check. */
  #askOnce(url: string): Promise<string | undefined> {
    const running = this.#asking.get(url);
    if (running) return running;
    const asking = this.#ask(url, ASK_MS).then((why) => {
      this.#known.set(url, { why, untilMs: this.#now() + (why === undefined ? HEALTHY_MS : OPEN_MS) });
      this.#asking.delete(url);
      return why;
    });
    this.#asking.set(url, asking);
    return asking;
  }
}

/** Undefined when it is healthy, otherwise why not. Services are the operator's own, so the network guard does not apply. */
async function askHealth(url: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    await answer.body?.cancel();
    return answer.status === 200 ? undefined : `it answered ${answer.status}`;
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    return cause?.code ?? (error as Error).message;
  }
}
