/**
 * Programs that wait for an answer while their run has no segment: an approval, a client's result. The run's state is in
 * its rows; a program that is lost here costs only a resume.
 */
import type { LiveHarness } from "./live-harness.ts";

const WAIT_MS = 10 * 60 * 1000; // an idle program holds some 300 MB; after a longer wait it is resumed

interface Idle {
  readonly live: LiveHarness;
  readonly timer: NodeJS.Timeout;
}

export class IdleHarnesses {
  readonly waitMs: number;
  readonly #idle = new Map<string, Idle>();

  constructor(waitMs: number = WAIT_MS) {
    this.waitMs = waitMs;
  }

  add(runId: string, live: LiveHarness): void {
    // A program that cannot be resumed is kept for the answer; its approvals expire instead.
    const timer = setTimeout(() => live.facts.canResume && this.drop(runId), this.waitMs);
    timer.unref();
    this.#idle.set(runId, { live, timer });
    live.whenUseless(() => {
      if (this.#idle.get(runId)?.live === live) this.drop(runId);
    });
  }

  /** For the segment that continues with it. */
  take(runId: string): LiveHarness | undefined {
    const idle = this.#idle.get(runId);
    clearTimeout(idle?.timer);
    this.#idle.delete(runId);
    return idle?.live;
  }

  /** Ends the program; the next segment resumes it. */
  drop(runId: string): void {
    this.take(runId)?.discard();
  }

  close(): void {
    for (const runId of [...this.#idle.keys()]) this.drop(runId);
  }
}
