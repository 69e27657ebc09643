/** Signals everything a run started: its process group, and on Linux processes that left it, found by the run's mark. */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { RUN_VARIABLE } from "./clean-environment.ts";

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // Already gone, which is what was wanted.
  }
}

const MOST_SWEEPS = 50;
const SWEEP_MS = 20; // a killed process takes a moment to exit; one that forks needs another sweep

/** Ends processes with the run's mark, and waits until they are gone. Tools of agents often start their own groups. */
export async function endStrays(runId: string): Promise<void> {
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep += 1) {
    const strays = await straysOf(runId);
    if (strays.length === 0) return;
    for (const pid of strays) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Gone in between.
      }
    }
    await wait(SWEEP_MS);
  }
}

export async function straysOf(runId: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const mark = `${RUN_VARIABLE}=${runId}`;
  const names = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    names.map(async (name) => {
      const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
      return environment.split("\0").includes(mark) ? [Number(name)] : [];
    }),
  );
  return marked.flat();
}
