/** `npm run bench scale`: capacity of a process, a Postgres and a fleet, simulated from measured costs; writes docs/scale.md. */
import { writeFileSync } from "node:fs";
import { figure, report } from "../result.ts";
import { ASSUMED, readCosts } from "./costs.ts";
import { scalePage } from "./page.ts";
import { type Fleet, mostTurns } from "./simulate.ts";

const costs = readCosts();
const fleetOf = (processes: number, databaseCores: number): Fleet => ({
  processes,
  databaseCores,
  serverMsPerTurn: costs.serverMsPerTurn,
  databaseMsPerTurn: costs.databaseMsPerTurn,
  visits: Math.max(2, Math.round(costs.statementsPerTurn)),
});

/** Processes, and cores of the database. */
const SIZES = [
  [1, 2],
  [1, ASSUMED.databaseCores],
  [2, ASSUMED.databaseCores],
  [4, ASSUMED.databaseCores],
  [16, ASSUMED.databaseCores],
  [16, 32],
] as const;

const fleets = SIZES.map(([processes, cores]) => {
  const { turnsPerSecond, outcome } = mostTurns(fleetOf(processes, cores), ASSUMED.lateMs);
  return { processes, cores, turnsPerSecond, ...outcome };
});

const byRuns = (processes: number): number =>
  (processes * ASSUMED.runsAtOncePerProcess) / ASSUMED.modelSecondsPerTurn;

const rows = fleets.map(({ processes, cores, turnsPerSecond, p99Ms, processBusy, databaseBusy }) => ({
  processes,
  "database cores": cores,
  "turns/s by work": figure(turnsPerSecond),
  "p99 wait ms": figure(p99Ms),
  "process busy %": figure(processBusy * 100),
  "database busy %": figure(databaseBusy * 100),
  "turns/s by runs at once": figure(byRuns(processes)),
  "turns/s": figure(Math.min(turnsPerSecond, byRuns(processes))),
  connections: processes * ASSUMED.connectionsPerProcess,
}));

report({
  name: "scale",
  question: "How much can one process, one Postgres and a fleet handle?",
  method:
    "A discrete-event simulation with the costs that the other benchmarks measured: turns arrive at random, and each needs its process and the database several times with the model in between. The result is the highest rate at which 99 % of turns wait less than 150 ms in addition to their own work and neither process nor database is more than 80 % busy.",
  goals: [],
  tables: [{ title: "Fleets", rows }],
  plots: [],
});
writeFileSync(new URL("../../docs/scale.md", import.meta.url), scalePage(costs, rows));
