/** The folders of stores under test. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { REMOVED } from "./real-parts.ts";

/** Named after its test, so that a folder left behind says whose it is. */
export function newDataFolder(): string {
  const test = basename(expect.getState().testPath ?? "unknown", ".test.ts")
    .replaceAll("-", "_")
    .slice(0, 20); // a socket's path in it must stay short
  return mkdtempSync(join(tmpdir(), `capstan-data-${test}-`));
}

export function copyTemplate(template: string): string {
  const folder = newDataFolder();
  cpSync(template, folder, { recursive: true });
  return folder;
}

/** Removes a folder and notes it: if it is there again at the end, a process outlived its test and wrote to it. */
export function removeData(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  writeFileSync(join(dirname(folder), REMOVED + basename(folder)), "");
}
