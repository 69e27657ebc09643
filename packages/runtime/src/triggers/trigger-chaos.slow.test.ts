import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { countIn, judge, startManager, stopManager, writeTriggers } from "./fixtures/crash-rig.ts";

const COUNT = 10_000;
const USERS = 200;
const MANAGERS = 4;

test("10,000 triggers, four managers, kills at random: each handled once, in order, none lost", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-chaos-"));
  const triggers = writeTriggers(dataDir, { count: COUNT, users: USERS, failEvery: 50 });
  const managers: ChildProcess[] = Array.from({ length: MANAGERS }, () => startManager({ dataDir }));
  const startedAt = performance.now();
  let kills = 0;
  for (let doneCount = 0; doneCount < COUNT; doneCount = countIn(dataDir, "_done")) {
    await wait(200 + Math.random() * 800);
    const victim = Math.floor(Math.random() * MANAGERS);
    const child = managers[victim];
    if (!child) continue;
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    kills += 1;
    managers[victim] = startManager({ dataDir });
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(managers.map(stopManager));
  const verdict = judge(dataDir, triggers);
  console.log(`${kills} kills, ${seconds.toFixed(1)} s, ${Math.round(COUNT / seconds)} triggers/s`);
  rmSync(dataDir, { recursive: true, force: true });
  expect(verdict).toEqual({ done: COUNT, handled: COUNT, elsewhere: [], lost: [], outOfOrder: [] });
  expect(kills).toBeGreaterThan(10);
});
