/** A JSONL file, best effort: a full disk or a missing folder loses lines, but never affects a call. */
import { createWriteStream } from "node:fs";

export interface JsonlSink {
  write(entry: object): void;
  close(): Promise<void>;
}

const MOST_BUFFERED_BYTES = 1024 * 1024; // a slow disk drops lines instead of filling the memory

export function jsonlSink(path: string): JsonlSink {
  const stream = createWriteStream(path, { flags: "a" });
  let broken = false;
  stream.on("error", () => {
    broken = true;
  });
  return {
    write(entry) {
      if (!broken && stream.writableLength < MOST_BUFFERED_BYTES) stream.write(`${JSON.stringify(entry)}\n`);
    },
    close: () => (broken ? Promise.resolve() : new Promise((resolve) => stream.end(resolve))),
  };
}
