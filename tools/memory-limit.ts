/** A memory limit for a process and its children, like a container's: a control group. Requires root on Linux. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface MemoryLimit {
  /** Puts a program under the limit: `spawn(command, args)` with what this answers. */
  command(program: string, args: readonly string[]): [string, string[]];
  /** How often a process was killed because the limit was reached. */
  kills(): number;
  close(): void;
}

/** The two generations of the interface, each by the files it has. */
const GROUPS = [
  { root: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", events: "memory.oom_control" },
  { root: "/sys/fs/cgroup", limit: "memory.max", events: "memory.events" },
];

let made = 0;

/** Undefined where this system or user cannot set limits; the caller skips by name. */
export function memoryLimit(megabytes: number): MemoryLimit | undefined {
  for (const { root, limit, events } of GROUPS) {
    const group = join(root, `capstan-test-${process.pid}-${made++}`);
    try {
      if (!existsSync(root)) continue;
      mkdirSync(group);
      writeFileSync(join(group, limit), String(megabytes * 2 ** 20));
    } catch {
      if (existsSync(group)) rmdirSync(group);
      continue;
    }
    const members = join(group, "cgroup.procs");
    return {
      command: (program, args) => ["sh", ["-c", 'echo $$ > "$0"; exec "$@"', members, program, ...args]],
      kills: () => Number(/oom_kill (\d+)/.exec(readFileSync(join(group, events), "utf8"))?.[1] ?? 0),
      close: () => rmdirSync(group),
    };
  }
  return undefined;
}
