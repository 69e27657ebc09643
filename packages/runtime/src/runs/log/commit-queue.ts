/**
 * Group commit: writes of all runs of this process go to the database together, at most two statements at a
 * time, while the rest is collected. One bad item must not fail the others, so a failed group is retried one by one.
 */
import type pg from "pg";
import { COMMIT, COMMIT_PLAIN } from "./commit-statement.ts";

const STATEMENTS_IN_FLIGHT = 2;
const LARGEST_GROUP = 200;

/** Another process, or a cancel, has claimed the run: stop and write nothing more. */
export class Fenced extends Error {
  constructor(runId: string) {
    super(`run ${runId} was taken over`);
    this.name = "Fenced";
  }
}

/** What one run stores at once. */
export interface CommitItem {
  readonly runId: string;
  readonly sessionId: string;
  /** One item of the statement. */
  readonly json: string;
  /** It has neither approvals nor a summary nor a webhook. */
  readonly isPlain: boolean;
}

interface Waiting extends CommitItem {
  readonly resolve: (next: boolean) => void;
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

  /**
   * Resolves once it is stored: true when the run ended and another message is queued.
   * Rejects with `Fenced` when another process has claimed the run.
   */
  write(item: CommitItem): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...item, resolve, reject });
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
    const isPlain = group.every((item) => item.isPlain);
    const query = {
      name: isPlain ? "commit_plain" : "commit",
      text: isPlain ? COMMIT_PLAIN : COMMIT,
      values,
    };
    const { rows } = await this.#pool.query<{ run_id: string; next: boolean }>(query);
    const ours = new Map(rows.map(({ run_id, next }) => [run_id, next]));
    this.#committed(group.filter(({ runId }) => ours.has(runId)).map(({ sessionId }) => sessionId));
    for (const item of group) {
      const next = ours.get(item.runId);
      if (next === undefined) item.reject(new Fenced(item.runId));
      else item.resolve(next);
    }
  }
}
