import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvent } from "@capstan/core/internal";
import { expect, onTestFinished, test } from "vitest";
import { SideFileReader } from "./side-file.ts";

test("a session is found among the folders of other projects, and its earlier lines are told apart", async () => {
  const root = mkdtempSync(join(tmpdir(), "capstan-side-file-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const project of ["one", "two", "three"]) mkdirSync(join(root, project));
  const session = join(root, "two", "s1.jsonl");
  writeFileSync(session, "before\n");
  const past: string[] = [];
  const told: AdapterEvent[] = [];
  const reader = new SideFileReader(
    {
      pattern: `${root}/*/s1.jsonl`,
      isOurs: () => true,
      onPast: (line) => void past.push(line),
      onLine: (message) => [{ type: "warning", message }],
    },
    (events) => told.push(...events),
  );
  await reader.begin();
  appendFileSync(session, "now\n");
  await reader.end();
  expect(past).toEqual(["before"]);
  expect(told).toEqual([{ type: "warning", message: "now" }]);
});
