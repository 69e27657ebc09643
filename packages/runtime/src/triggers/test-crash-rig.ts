/** Shared by the crash tests: writes triggers, runs managers as processes, and checks the outcome. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { bareEnvironment } from "../../../../tools/bare-environment.ts";

const PROGRAM = fileURLToPath(new URL("./test-killable-manager.ts", import.meta.url));

export interface RigTrigger {
  readonly id: string;
  readonly user: string;
  readonly created_at: string;
}

/** `count` triggers for `users` users, written out of order, each with its own time. */
export function writeTriggers(
  dataDir: string,
  { count, users, failEvery = 0 }: { count: number; users: number; failEvery?: number },
): RigTrigger[] {
  const folder = join(dataDir, "rt_triggers", "inbox");
  mkdirSync(folder, { recursive: true });
  const triggers = Array.from({ length: count }, (_, index) => ({
    id: randomUUID() as string,
    user: `user${index % users}@example.com`,
    type: "draft_ready",
    created_at: new Date(1_700_000_000_000 + index * 1000).toISOString(),
    payload: { failures: failEvery > 0 && index % failEvery === 0 ? 1 : 0 },
    dedupe_key: `draft:${index}`,
  }));
  for (const trigger of [...triggers].reverse()) {
    const path = join(folder, `${trigger.id}.json`);
    writeFileSync(`${path}.tmp`, JSON.stringify(trigger));
    renameSync(`${path}.tmp`, path);
  }
  return triggers;
}

export interface ManagerSettings {
  readonly dataDir: string;
  readonly killAt?: string;
  readonly nth?: number;
  readonly concurrent?: number;
}

export function startManager(settings: ManagerSettings): ChildProcess {
  return spawn(process.execPath, ["--no-warnings", PROGRAM, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: bareEnvironment(),
  });
}

export async function stopManager(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

export const countIn = (dataDir: string, state: string): number =>
  namesIn(join(dataDir, "rt_triggers", "inbox", state)).filter((name) => /^[0-9a-f-]{36}\.json$/.test(name))
    .length;

export interface Verdict {
  readonly done: number;
  readonly handled: number;
  readonly elsewhere: string[];
  readonly lost: string[];
  readonly outOfOrder: string[];
}

/** Each handled once and in order, each in `_done`, and nothing anywhere else. */
export function judge(dataDir: string, triggers: readonly RigTrigger[]): Verdict {
  const folder = join(dataDir, "rt_triggers", "inbox");
  const done = new Set(namesIn(join(folder, "_done")).map((name) => name.replace(/\.json$/, "")));
  const elsewhere = [".", "_processing", "_failed", "_deduped", "_invalid"].flatMap((state) =>
    namesIn(join(folder, state)).filter((name) => name.includes(".json")),
  );
  const byUser = Map.groupBy(triggers, ({ user }) => user);
  const outOfOrder: string[] = [];
  let handled = 0;
  for (const user of byUser.keys()) {
    const own = join(dataDir, "handled", user);
    const files = namesIn(own).map((id) => ({
      id,
      at: statSync(join(own, id), { bigint: true }).birthtimeNs,
      created: readFileSync(join(own, id), "utf8"),
    }));
    files.sort((a, b) => (a.at < b.at ? -1 : 1));
    handled += files.length;
    const expected = (byUser.get(user) ?? []).map(({ id }) => id);
    if (files.map(({ id }) => id).join() !== expected.join()) outOfOrder.push(user);
  }
  const lost = triggers.filter(({ id }) => !done.has(id)).map(({ id }) => id);
  return { done: triggers.length - lost.length, handled, elsewhere, lost, outOfOrder };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
