/**
 * Group commit: what all runs of this process want stored goes to the database together, at most two statements at a
 * time; the rest gathers meanwhile. One bad item must not fail the others, so a failed group is tried one by one.
 */
import type pg from "pg";
import { COMMIT } from "./commit-statement.ts";

const STATEMENTS_IN_FLIGHT = 2;
const LARGEST_GROUP = 200;

/** Another process, or a cancel, has taken the run: whoever holds this must stop and write nothing more. */
export class Fenced extends Error {
  constructor(runId: string) {
    super(`run ${runId} was taken over`);
    this.name = "Fenced";
  }
}

interface Waiting {
  readonly runId: string;
  readonly sessionId: string;
  readonly json: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class CommitQueue {
  readonly #pool: pg.Pool;
  readonly #committed: (sessionIds: readonly string[]) => void;
  #waiting: Waiting[] = [];
  #inFlight = 0;

  constructor(pool: pg.Pool, committed: (sessionIds: readonly string[]) => void = () => {}) {
    this.#pool = pool;
    this.#committed = committed;
  }

  /** Resolves once `json`, one item of the statement, is on disk; rejects with `Fenced` when the run is not ours. */
  write(runId: string, sessionId: string, json: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ runId, sessionId, json, resolve, reject });
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#inFlight >= STATEMENTS_IN_FLIGHT || this.#waiting.length === 0) return;
    const group = this.#waiting.splice(0, LARGEST_GROUP);
    this.#inFlight++;
    this.#commit(group).finally(() => {
      this.#inFlight--;
      this.#pump();
    });
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#execute(group);
    } catch (error) {
      const [only, ...others] = group;
      if (others.length === 0) return only?.reject(error);
      for (const item of group) await this.#execute([item]).catch(item.reject);
    }
  }

  async #execute(group: readonly Waiting[]): Promise<void> {
    const values = [`[${group.map(({ json }) => json).join()}]`];
    const { rows } = await this.#pool.query<{ run_id: string }>({ name: "commit", text: COMMIT, values });
    const ours = new Set(rows.map(({ run_id }) => run_id));
    this.#committed(group.filter(({ runId }) => ours.has(runId)).map(({ sessionId }) => sessionId));
    for (const item of group) {
      if (ours.has(item.runId)) item.resolve();
      else item.reject(new Fenced(item.runId));
    }
  }
}
