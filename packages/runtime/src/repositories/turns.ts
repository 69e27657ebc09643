/** Runs one step at a time per key, in the order requested. */
export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>();

  take<T>(key: string, step: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(step, step);
    const tail = turn.then(
      () => {},
      () => {},
    );
    this.#tails.set(key, tail);
    void tail.then(() => this.#tails.get(key) === tail && this.#tails.delete(key));
    return turn;
  }

  /** Resolves after all steps requested so far. */
  async drain(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
