/**
 * Splits a byte stream into lines, with limits on the length of a line and on the total.
 *
 * Only LF ends a line: JSON strings may contain other Unicode separators. A line that is too long is dropped whole.
 */
export interface LineLimits {
  readonly maxLineBytes: number;
  readonly maxTotalBytes: number;
}

export interface SplitChunk {
  readonly lines: readonly string[];
  /** Lines that were too long, now over. */
  readonly dropped: number;
  /** The stream exceeded its limit. */
  readonly overflow: boolean;
}

const LF = 0x0a;

export class LineSplitter {
  readonly #limits: LineLimits;
  #parts: Uint8Array[] = [];
  #pending = 0;
  #total = 0;
  #dropping = false;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  push(chunk: Uint8Array): SplitChunk {
    this.#total += chunk.length;
    const lines: string[] = [];
    let dropped = 0;
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#take();
      if (line === undefined) dropped += 1;
      else lines.push(line);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return { lines, dropped, overflow: this.#total > this.#limits.maxTotalBytes };
  }

  /** The last line, which may lack its end. */
  end(): string | undefined {
    return this.#pending === 0 ? undefined : this.#take();
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0 || this.#dropping) return;
    this.#pending += part.length;
    if (this.#pending > this.#limits.maxLineBytes) {
      this.#dropping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }

  #take(): string | undefined {
    const line = this.#dropping ? undefined : Buffer.concat(this.#parts).toString("utf8").replace(/\r$/, "");
    this.#parts = [];
    this.#pending = 0;
    this.#dropping = false;
    return line;
  }
}
