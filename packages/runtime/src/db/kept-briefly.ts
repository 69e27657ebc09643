/** Values kept for half a second, because reading them takes several statements and the next steps need the same ones. */

const KEPT_MS = 500; // grants expire, and the notification of another process may be lost

interface Kept<Value> {
  readonly at: number;
  readonly value: Promise<Value>;
}

export class KeptBriefly<Value> {
  readonly #kept = new Map<string, Kept<Value>>();

  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept && now - kept.at < KEPT_MS) return kept.value;
    for (const [old, { at }] of this.#kept) if (now - at >= KEPT_MS) this.#kept.delete(old);
    const value = read();
    const made = { at: now, value };
    this.#kept.set(key, made);
    value.catch(() => {
      if (this.#kept.get(key) === made) this.#kept.delete(key);
    });
    return value;
  }

  clear(): void {
    this.#kept.clear();
  }

  /** The next `get` with such a key reads again. */
  forget(start: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(start)) this.#kept.delete(key);
  }
}
