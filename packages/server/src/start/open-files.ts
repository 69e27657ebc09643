/**
 * The limit on open files, checked before anything is opened: with too few, each part fails in its own way, and none of
 * them names the cause. Below about 24 Node itself does not start.
 */
import { readFileSync } from "node:fs";
import { fail, ok, type Result } from "@capstan/core";

/** The embedded store keeps about 40 open; then the first connections. */
const NEEDED = 64;

export function checkOpenFiles(limits = readLimits()): Result<void> {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (limit === undefined || Number(limit) >= NEEDED) return ok(undefined);
  return fail("open_files_few", { limit: Number(limit), needed: NEEDED });
}

/** Linux has them in a file. Elsewhere nothing is known, and the store reports what it runs out of. */
function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "latin1");
  } catch {
    return "";
  }
}
