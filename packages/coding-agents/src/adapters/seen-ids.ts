/** The most recent ids, so that a repeated line counts once. Bounded: repetitions are close together. */
const MOST = 1_000;

export class SeenIds {
  readonly #ids = new Set<string>();

  /** True the first time; an id that is missing is always new. */
  isNew(id: string | undefined): boolean {
    if (id === undefined) return true;
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MOST && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}
