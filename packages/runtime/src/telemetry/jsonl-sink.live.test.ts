import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonlSink } from "./jsonl-sink.ts";

test("appends one line per entry", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-sink-"));
  const path = join(folder, "log.jsonl");
  for (const entry of [{ a: 1 }, { a: "two\nlines" }]) {
    const sink = jsonlSink(path);
    sink.write(entry);
    await sink.close();
  }
  expect(readFileSync(path, "utf8")).toBe('{"a":1}\n{"a":"two\\nlines"}\n');
  rmSync(folder, { recursive: true });
});

test("a file that cannot be written only loses its lines", async () => {
  const sink = jsonlSink("/nowhere/at/all/log.jsonl");
  for (let i = 0; i < 100; i++) {
    sink.write({ i });
    await new Promise(setImmediate);
  }
  await sink.close();
});

test("a slow disk drops lines instead of filling the memory", () => {
  const sink = jsonlSink("/dev/full");
  const entry = { text: "x".repeat(100_000) };
  for (let i = 0; i < 1000; i++) sink.write(entry);
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(200_000_000);
});
