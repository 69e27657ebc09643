/** How many files this process may have open, where the system says so: Linux has a file for it. */
import { readFileSync } from "node:fs";

export function openFilesLimit(limits = readLimits()): number | undefined {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return limit === undefined ? undefined : Number(limit);
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "latin1");
  } catch {
    return "";
  }
}
