/** The resident memory of a process. On Linux read from a file; elsewhere from `ps`, therefore less often. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const PAGE_BYTES = 4096; // statm counts pages; on systems with larger pages the effective limit is higher
const onLinux = process.platform === "linux";

/** Between two checks: at full speed a program allocates about 50 MB in this time. */
export const WATCH_EVERY_MS = onLinux ? 20 : 250;

export async function residentBytes(pid: number): Promise<number | undefined> {
  try {
    if (onLinux) return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
    const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
    return Number(stdout.trim()) * 1024;
  } catch {
    return undefined; // it has ended
  }
}
