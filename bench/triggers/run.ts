/**
 * Triggers: how many a second are claimed, handled and settled, by one, two and four manager processes on one folder.
 * Handling is creating one file, so what is measured is the queue: reading, order per user, claims, results.
 * Usage: node bench/triggers/run.ts [count] [rounds]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  countIn,
  judge,
  startManager,
  stopManager,
  writeTriggers,
} from "../../packages/runtime/src/triggers/test-crash-rig.ts";

const count = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
const USERS = 200;
const PROCESSES = [1, 2, 4];

const rates = new Map<number, number[]>(PROCESSES.map((processes) => [processes, []]));
for (let round = 0; round < rounds; round++) {
  for (const processes of PROCESSES) rates.get(processes)?.push(await measure(processes));
}

const medians = PROCESSES.map((processes) => ({ processes, perSecond: median(rates.get(processes) ?? []) }));
console.table(medians);
const result = { name: "triggers", count, users: USERS, rounds, cores: availableParallelism(), medians };
mkdirSync(new URL("../results", import.meta.url), { recursive: true });
writeFileSync(new URL("../results/triggers.json", import.meta.url), `${JSON.stringify(result, null, 2)}\n`);

async function measure(processes: number): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-bench-triggers-"));
  const triggers = writeTriggers(dataDir, { count, users: USERS });
  const startedAt = performance.now();
  const managers = Array.from({ length: processes }, () => startManager({ dataDir }));
  while (countIn(dataDir, "_done") < count) await wait(100);
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(managers.map(stopManager));
  const { lost, outOfOrder, elsewhere } = judge(dataDir, triggers);
  if (lost.length + outOfOrder.length + elsewhere.length > 0)
    throw new Error("a trigger was lost or out of order");
  rmSync(dataDir, { recursive: true, force: true });
  return Math.round(count / seconds);
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
