/** Renders docs/scale.md from the costs and the simulation's results. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { figure, RESULTS, type StoredFinding } from "../result.ts";
import { ASSUMED, type Costs } from "./costs.ts";

type Row = Readonly<Record<string, number>>;

const DAY_SECONDS = 86_400;
const GB = 1024 ** 3;

/** From `bench/retention`. */
function retention(): string {
  const path = join(RESULTS, "retention.json");
  if (!existsSync(path)) return "`npm run bench retention` measures it.";
  const { goals } = JSON.parse(readFileSync(path, "utf8")) as StoredFinding;
  const [rate, size] = goals.map(({ value }) => figure(value));
  return `${rate} times as fast as a busy process writes, and the table is ${size} of its size four days later (\`bench/retention\`).`;
}

export function scalePage(costs: Costs, rows: readonly Row[]): string {
  const usable = ASSUMED.maxConnections - ASSUMED.reservedConnections;
  const processesByConnections = Math.floor(usable / ASSUMED.connectionsPerProcess);
  const one = rows.find((row) => row.processes === 1 && row["database cores"] === ASSUMED.databaseCores);
  const steady = one?.["turns/s"] ?? 0;
  const streams = ((ASSUMED.processMemoryMb - ASSUMED.baseMemoryMb) * 1024) / costs.subscriberKb;
  return `# Scale

What one process, one Postgres and a fleet carry. Written by \`npm run bench scale\` from the costs that the other benchmarks
measured (\`bench/results\`); where a number is chosen and not measured, it says so.

## What a turn costs

A turn: a message, a tool call between two calls of the model, every event stored before it is sent.

| cost of a turn | measured |
|---|---|
| server's process | ${figure(costs.serverMsPerTurn)} ms of one core |
| database, at most (everything on the machine that was not the server's process) | ${figure(costs.databaseMsPerTurn)} ms of one core |
| SQL statements | ${figure(costs.statementsPerTurn)} |
| write-ahead log | ${figure(costs.walKbPerTurn)} KB |
| rows of events | ${figure(costs.eventRowsPerTurn)} (${figure(costs.eventBytesPerTurn / 1024)} KB with index) |
| alone, without the model | ${figure(costs.turnMsAlone)} ms |
| a client that only listens | ${figure(costs.subscriberKb)} KB |

Chosen: the model takes ${ASSUMED.modelSecondsPerTurn} s of a turn; a Postgres as it comes allows ${ASSUMED.maxConnections} connections, ${ASSUMED.reservedConnections} of them kept for people and its own work.

## What a fleet carries

The simulation (\`bench/scale/simulate.ts\`) lets turns arrive at random and looks for the most of them a second at which 99 of
100 wait less than ${ASSUMED.lateMs} ms beyond their own work and nothing is more than 80 % busy. A process is one thread, and runs
${ASSUMED.runsAtOncePerProcess} runs at once; more wait their turn. With turns that last ${ASSUMED.modelSecondsPerTurn} s that ends first in a small fleet; \`turns/s\` is the smaller of both.

| ${Object.keys(rows[0] ?? {}).join(" | ")} |
|${Object.keys(rows[0] ?? {})
    .map(() => "---")
    .join("|")}|
${rows.map((row) => `| ${Object.values(row).join(" | ")} |`).join("\n")}

A process with ${ASSUMED.processMemoryMb} MB also holds about ${Math.floor(streams / 1000) * 1000} idle listeners. With the embedded store there is one process, and the store works in its thread.

## The first three limits

### 1. Connections

A process holds up to ${ASSUMED.connectionsPerProcess} connections: two pools, so that a burst of new runs cannot hold up commits, one of which also listens.
A Postgres as it comes is full at **${processesByConnections} processes**, long before it is busy. What is done: the pools are bounded and shared by all runs
of a process (hundreds of runs need no more), and commits of all runs go together, at most two statements at a time. What
to do there: give each process fewer (\`CAPSTAN_DATABASE_CONNECTIONS\`), raise \`max_connections\` (a connection costs Postgres a few MB), or put a pooler in session mode in between; a pooler in transaction mode
does not work, because prepared statements and LISTEN belong to a session.

### 2. Rows of events

At ${figure(steady)} turns a second, day and night, one process writes ${figure((steady * costs.eventRowsPerTurn * DAY_SECONDS) / 1e6)} million rows and ${figure((steady * costs.eventBytesPerTurn * DAY_SECONDS) / GB)} GB of events a day, and ${figure((steady * costs.walKbPerTurn * 1024 * DAY_SECONDS) / GB)} GB of log.
Events of a batch share a row, and reading is by session and number, so that a turn costs the same with 100,000 messages in
its session (\`bench/growth\`). What ends first is the disk, not the index. The events are what a client needs to reconnect; the
conversation itself is in \`messages\`.

| kept for | rows, millions | GB |
|---|---|---|
${[7, 30, 365].map((days) => `| ${days} days | ${figure((steady * costs.eventRowsPerTurn * DAY_SECONDS * days) / 1e6)} | ${figure((steady * costs.eventBytesPerTurn * DAY_SECONDS * days) / GB)} |`).join("\n")}

What is done: \`CAPSTAN_EVENT_RETENTION_DAYS\` removes the events of runs that ended longer ago, a few hundred runs at a time; messages, runs and
files stay. Deleting row by row keeps up: ${retention()} Partitions
by day were tried and left out, because each turn would ask every one of them
([decision 8](decisions/0008-events-in-one-table.md)).

### 3. Hot sessions

A session has one run at a time; messages that come meanwhile wait in order. With a model that takes ${ASSUMED.modelSecondsPerTurn} s a session
answers ${figure(60 / ASSUMED.modelSecondsPerTurn)} times a minute whatever the fleet, and without the model's time ${figure(1000 / costs.turnMsAlone)} times a second. That is a promise (order), not a
lack: work that may run side by side belongs into several sessions, or into sub-agents. Many listeners of one session share one
read of each batch, whichever process they are on.

## Beyond one Postgres

Long reads that need not be of this second go to a read replica when \`DATABASE_REPLICA_URL\` names one: exports of sessions (from the primary
while the replica has not heard of the session's last event) and figures over time. A backup can be taken from it, too
(\`DATABASE_URL=<the replica> capstan backup\`). A run's own reads stay on the primary, because a run goes on from its rows, and so do lists: who
made something wants to see it. Users that share nothing can have a fleet and a Postgres each: nothing crosses from one to another.
`;
}
