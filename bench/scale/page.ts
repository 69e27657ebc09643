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

How much one process, one Postgres and a fleet can handle. Written by \`npm run bench scale\` from the costs that the other benchmarks
measured (\`bench/results\`). Assumed numbers are marked as such.

## What a turn costs

A turn is a message with one tool call between two model calls; every event is stored before it is sent.

| cost of a turn | measured |
|---|---|
| server's process | ${figure(costs.serverMsPerTurn)} ms of one core |
| database, at most (everything on the machine that was not the server's process) | ${figure(costs.databaseMsPerTurn)} ms of one core |
| SQL statements | ${figure(costs.statementsPerTurn)} |
| write-ahead log | ${figure(costs.walKbPerTurn)} KB |
| rows of events | ${figure(costs.eventRowsPerTurn)} (${figure(costs.eventBytesPerTurn / 1024)} KB with index) |
| latency of a single turn, without the model | ${figure(costs.turnMsAlone)} ms |
| a client that only listens | ${figure(costs.subscriberKb)} KB |

Assumed: the model takes ${ASSUMED.modelSecondsPerTurn} s of a turn; a default Postgres allows ${ASSUMED.maxConnections} connections, ${ASSUMED.reservedConnections} of them reserved for people and Postgres itself.

## What a fleet can handle

The simulation (\`bench/scale/simulate.ts\`) generates random arrivals and searches for the highest rate at which 99 % of turns wait less than ${ASSUMED.lateMs} ms in addition to their own work and nothing is more than 80 % busy. A process is one thread with at most
${ASSUMED.runsAtOncePerProcess} concurrent runs; the rest are queued. With turns of ${ASSUMED.modelSecondsPerTurn} s, a small fleet reaches this limit first; \`turns/s\` is the smaller of the two rates.

| ${Object.keys(rows[0] ?? {}).join(" | ")} |
|${Object.keys(rows[0] ?? {})
    .map(() => "---")
    .join("|")}|
${rows.map((row) => `| ${Object.values(row).join(" | ")} |`).join("\n")}

A process with ${ASSUMED.processMemoryMb} MB can also hold about ${Math.floor(streams / 1000) * 1000} idle listeners. With the embedded store there is only one process, and the store runs in its thread.

## The first three limits

### 1. Connections

A process holds up to ${ASSUMED.connectionsPerProcess} connections in two pools, so that a burst of new runs cannot delay commits; one of them also listens.
A default Postgres runs out of connections at **${processesByConnections} processes**, long before it is busy. The pools are bounded and shared by all runs
of a process (hundreds of runs need no more), and commits of all runs are batched, at most two statements at a time. To
go further, give each process fewer connections (\`CAPSTAN_DATABASE_CONNECTIONS\`), raise \`max_connections\` (a connection costs Postgres a few MB), or use a pooler in session mode.
A pooler in transaction mode does not work, because prepared statements and LISTEN belong to a session.

### 2. Rows of events

At ${figure(steady)} turns a second around the clock, one process writes ${figure((steady * costs.eventRowsPerTurn * DAY_SECONDS) / 1e6)} million rows and ${figure((steady * costs.eventBytesPerTurn * DAY_SECONDS) / GB)} GB of events a day, plus ${figure((steady * costs.walKbPerTurn * 1024 * DAY_SECONDS) / GB)} GB of write-ahead log.
Events of a batch share a row and are read by session and number, so a turn costs the same in a session with 100,000 messages
(\`bench/growth\`). The disk fills up before the index becomes slow. Clients need the events to reconnect; the
conversation itself is in \`messages\`.

| kept for | rows, millions | GB |
|---|---|---|
${[7, 30, 365].map((days) => `| ${days} days | ${figure((steady * costs.eventRowsPerTurn * DAY_SECONDS * days) / 1e6)} | ${figure((steady * costs.eventBytesPerTurn * DAY_SECONDS * days) / GB)} |`).join("\n")}

\`CAPSTAN_EVENT_RETENTION_DAYS\` removes the events of runs that ended longer ago, a few hundred runs at a time; messages, runs and
files are kept. Deleting row by row keeps up: ${retention()} Daily partitions
were rejected, because each turn would have to query all of them
([decision 8](decisions/0008-events-in-one-table.md)).

### 3. Hot sessions

A session has one run at a time; further messages are queued in order. With a model that takes ${ASSUMED.modelSecondsPerTurn} s, a session answers ${figure(60 / ASSUMED.modelSecondsPerTurn)} times a minute whatever the size of the fleet, and without the model's time ${figure(1000 / costs.turnMsAlone)} times a second. This is by design, because it
guarantees order: use several sessions or sub-agents for parallel work. All listeners of a session on one process share
one read of each batch.

## Beyond one Postgres

Long reads that may be slightly stale go to a read replica if \`DATABASE_REPLICA_URL\` is set: session exports (from the primary
until the replica has the session's last event) and usage over time. Backups can also be taken from it
(\`DATABASE_URL=<the replica> capstan backup\`). A run's own reads stay on the primary, because the run resumes from its rows, and so do lists, because
people expect to see what they just created. Users that share nothing can have separate fleets and databases.
`;
}
