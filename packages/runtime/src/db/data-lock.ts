/**
 * One process per data folder: PGlite has no lock of its own, and two processes on one folder corrupt it.
 * The lock is a file with the owner's process id; the lock of a dead process is taken over.
 */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";

export interface DataLock {
  release(): void;
}

export function lockDataFolder(folder: string): Result<DataLock> {
  const path = join(folder, "capstan.pid");
  for (let attempt = 0; attempt < 3; attempt++) {
    const handle = openExclusive(path);
    if (handle !== undefined) {
      writeSync(handle, `${process.pid}\n`);
      closeSync(handle);
      return ok({ release: () => rmSync(path, { force: true }) });
    }
    const holder = Number(readFileSync(path, { encoding: "utf8", flag: "r" }).trim());
    if (holder !== process.pid && isAlive(holder)) return fail("data_folder_locked", { folder, holder });
    rmSync(path, { force: true });
  }
  return fail("data_folder_locked", { folder, holder: 0 });
}

function openExclusive(path: string): number | undefined {
  try {
    return openSync(path, "wx");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
