/**
 * Text that arrives twice: as deltas and as a whole. Each character is emitted once.
 *
 * If the whole does not continue the deltas, nothing is added, because most programs only tidy it. Where one is known to leave
 * pieces out, its reader checks for gaps.
 */
export class StreamedText {
  readonly #passed = new Map<string, string>();

  /** A piece of the block `key`. */
  piece(key: string, text: string): string {
    this.#passed.set(key, (this.#passed.get(key) ?? "") + text);
    return text;
  }

  /** The whole block so far: returns what was not emitted yet. */
  whole(key: string, text: string): string {
    const passed = this.passed(key);
    if (!text.startsWith(passed)) return "";
    this.#passed.set(key, text);
    return text.slice(passed.length);
  }

  /** What was emitted of this block. */
  passed(key: string): string {
    return this.#passed.get(key) ?? "";
  }

  /** Pieces of this block are missing: the whole is longer and does not continue the deltas. */
  hasGaps(key: string, text: string): boolean {
    const passed = this.passed(key);
    return text.length > passed.length && !text.startsWith(passed);
  }

  /** Another message begins; keys may be reused. */
  clear(): void {
    this.#passed.clear();
  }
}
