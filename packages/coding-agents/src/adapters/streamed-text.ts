/**
 * Text that comes twice: in pieces while it is made, and whole when it is done. Each character is passed on once.
 *
 * Where the whole does not continue the pieces (a lost line), nothing is added: a gap reads better than a repetition.
 */
export class StreamedText {
  readonly #passed = new Map<string, string>();

  /** A piece of the block `key`. */
  piece(key: string, text: string): string {
    this.#passed.set(key, (this.#passed.get(key) ?? "") + text);
    return text;
  }

  /** The whole block so far: what of it was not passed on yet. */
  whole(key: string, text: string): string {
    const passed = this.#passed.get(key) ?? "";
    if (!text.startsWith(passed)) return "";
    this.#passed.set(key, text);
    return text.slice(passed.length);
  }

  /** Another message begins; keys may be used anew. */
  clear(): void {
    this.#passed.clear();
  }
}
