/** The simulation's inputs: costs measured by the other benchmarks, and a few assumptions. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RESULTS } from "../result.ts";

export interface Costs {
  /** Of one core of the server's process, for a whole turn: gate, events, AG-UI out. */
  readonly serverMsPerTurn: number;
  readonly statementsPerTurn: number;
  readonly walKbPerTurn: number;
  /** Of one core of the database's machine; an upper bound, see `databaseMs`. */
  readonly databaseMsPerTurn: number;
  readonly subscriberKb: number;
  readonly eventRowsPerTurn: number;
  readonly eventBytesPerTurn: number;
  readonly turnMsAlone: number;
}

/** What is not measured here, but chosen; each is named on the page. */
export const ASSUMED = {
  /** From the question to the last word, with one tool call between: what people see of today's models. */
  modelSecondsPerTurn: 12,
  /** Postgres as it comes. */
  maxConnections: 100,
  /** Of them for its own work and for people. */
  reservedConnections: 10,
  /** Both pools of one server process. */
  connectionsPerProcess: 20,
  /** A server process must hold its streams and a few hundred megabytes of its own. */
  processMemoryMb: 1024,
  baseMemoryMb: 350,
  databaseCores: 8,
  /** `MOST_SEGMENTS` of the run engine: beyond, runs of a process wait their turn. */
  runsAtOncePerProcess: 500,
  /** What the page calls late: the 99th percentile of what a turn waits beyond its own work. */
  lateMs: 150,
} as const;

type Row = Readonly<Record<string, string | number>>;

export function readCosts(): Costs {
  const runs = read("runs.json");
  const own = rowOf(runs.tables[0].rows, "Capstan");
  const stored = read("scale-rows.json") as Record<string, number>;
  const turns = Math.max(1, stored.runs ?? 1);
  const busiest = Number(own["at 64"]);
  return {
    serverMsPerTurn: Number(own["CPU ms/turn"]),
    statementsPerTurn: Number(own["SQL/turn"]),
    walKbPerTurn: Number(own["WAL KB/turn"]),
    databaseMsPerTurn: databaseMs(Number(own["CPU ms/turn"]), busiest, runs.machine.cpus),
    subscriberKb: Number(read("subscribers.json").goals[0].value),
    eventRowsPerTurn: (stored.eventRows ?? 0) / turns,
    eventBytesPerTurn: (stored.eventBytes ?? 0) / turns,
    turnMsAlone: 1000 / Number(own["turns/s at 1"]),
  };
}

/** All cores of the machine at the busiest point, less the server's own: Postgres, the model and the clients together. */
const databaseMs = (serverMs: number, turnsPerSecond: number, cores: number): number =>
  Math.max(1, (cores * 1000) / turnsPerSecond - serverMs);

const rowOf = (rows: readonly Row[], name: string): Row => {
  const found = rows.find((row) => row[""] === name);
  if (!found) throw new Error(`bench/results/runs.json has no row "${name}"`);
  return found;
};

// biome-ignore lint/suspicious/noExplicitAny: results of other benchmarks are read by the parts this one names
function read(name: string): any {
  const path = join(RESULTS, name);
  if (!existsSync(path))
    throw new Error(`${path} is missing: run that benchmark first (rows: node bench/scale/rows.ts)`);
  return JSON.parse(readFileSync(path, "utf8"));
}
