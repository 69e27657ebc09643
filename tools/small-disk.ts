/** A file system of a few megabytes, mounted for a test: the only real way to test a full or read-only disk. Needs root on Linux. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly folder: string;
  /** Makes it as large as this, or read-only. */
  remount(options: string): void;
  close(): void;
}

/** Undefined where this system or user may not mount; the caller skips by name. */
export function smallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "capstan-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  return {
    folder,
    remount: (options) => void execFileSync("mount", ["-o", `remount,${options}`, folder]),
    close() {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
