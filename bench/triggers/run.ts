/**
 * Triggers: how many a second are claimed, handled and settled, by one, two and four manager processes on one folder, and by
 * four of which one is killed every two seconds. A round counts only when each trigger was handled once, in order.
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
} from "../../packages/runtime/src/triggers/fixtures/crash-rig.ts";

const count = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
const USERS = 200;
const KILL_EVERY_MS = 2_000; // each of the four lives some eight seconds
const ROWS = [
  { processes: 1, kills: false },
  { processes: 2, kills: false },
  { processes: 4, kills: false },
  { processes: 4, kills: true },
];
type Row = (typeof ROWS)[number];

const rates = new Map<Row, number[]>(ROWS.map((row) => [row, []]));
for (let round = 0; round < rounds; round++) {
  for (const row of ROWS) rates.get(row)?.push(await measure(row));
}

const medians = ROWS.map((row) => ({ ...row, perSecond: median(rates.get(row) ?? []) }));
console.table(medians);
const result = { name: "triggers", count, users: USERS, rounds, cores: availableParallelism(), medians };
mkdirSync(new URL("../results", import.meta.url), { recursive: true });
writeFileSync(new URL("../results/triggers.json", import.meta.url), `${JSON.stringify(result, null, 2)}\n`);

async function measure({ processes, kills }: Row): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-bench-triggers-"));
  const triggers = writeTriggers(dataDir, { count, users: USERS });
  const startedAt = performance.now();
  const managers = Array.from({ length: processes }, () => startManager({ dataDir }));
  for (let turn = 0; countIn(dataDir, "_done") < count; turn++) {
    await wait(kills ? KILL_EVERY_MS : 100);
    if (!kills) continue;
    managers[turn % processes]?.kill("SIGKILL");
    managers[turn % processes] = startManager({ dataDir });
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(managers.map(stopManager));
  const { handled, lost, outOfOrder, elsewhere } = judge(dataDir, triggers);
  if (handled !== count || lost.length + outOfOrder.length + elsewhere.length > 0)
    throw new Error("a trigger was lost, doubled or out of order");
  rmSync(dataDir, { recursive: true, force: true });
  return Math.round(count / seconds);
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
