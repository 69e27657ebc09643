/** Signals to everything a run started: its process group, and on Linux whatever left it, found by the run's mark. */
import { readdir, readFile } from "node:fs/promises";
import { RUN_VARIABLE } from "./clean-environment.ts";

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // Already gone, which is what was wanted.
  }
}

/** Ends processes that carry the run's mark; how many there were. Tools of agents like to start groups of their own. */
export async function endStrays(runId: string): Promise<number> {
  const strays = await straysOf(runId);
  for (const pid of strays) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone in between.
    }
  }
  return strays.length;
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
