/**
 * Tells caches that agents, grants, rules or checks were written, so that a change applies to the next call.
 * Caches of this process are told before the write returns, those of other processes by a notification sent before it
 * returns; caches expire anyway, because a notification may be lost.
 */
export class PolicyChanges {
  readonly #listeners = new Set<() => void>();
  #tellOthers: (() => Promise<void>) | undefined;

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Notifies other processes; until it is set there are none. */
  connect(tellOthers: () => Promise<void>): void {
    this.#tellOthers = tellOthers;
  }

  /** After a write of this process, once it is committed. */
  async announce(): Promise<void> {
    this.apply();
    await this.#tellOthers?.();
  }

  /** After a write that another process announced. */
  apply(): void {
    for (const listener of this.#listeners) listener();
  }
}
