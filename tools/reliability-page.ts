/** Renders docs/reliability.md. Every figure comes from a result file; every row of a list names its test. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SECURITY_SUITE } from "../packages/server/src/security/fixtures/security-suite.ts";
import { FAULTS } from "./fault-list.ts";
import { RESULTS_FOLDER, type ReliabilityResult } from "./reliability-results.ts";

interface ChaosFacts {
  readonly plan: Readonly<Record<string, number | readonly number[]>>;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly faults: number;
}

interface FuzzFacts {
  readonly what: string;
  readonly cases: number;
  readonly seconds: number;
  readonly grownBytes: number;
}

export function reliabilityPage(): string {
  return [HEAD, chaos(), fuzz(), backup(), faults(), security(), NOT_PROMISED].join("\n");
}

const HEAD = `# Reliability

This page lists the injected faults and their results. It is written by \`npm run reliability\`; the figures come from the
last run of \`npm run test:slow\`, which stores them in \`bench/results/reliability\`. \`npm test\` and \`npm run test:long\` run a short form of each test.
`;

const CHAOS_WORDS: readonly (readonly [key: string, words: string])[] = [
  ["servers", "server processes on one Postgres"],
  ["kills", "times a server was killed with kill -9"],
  ["killsBeforeReady", "of these, during startup"],
  ["startsInVain", "startups that timed out waiting for the database and were retried"],
  ["serversUpOnAverage", "servers up, on average"],
  ["secondsWithoutServer", "seconds without any server up"],
  ["postgresRestarts", "Postgres restarts"],
  ["connectionsCut", "database connections cut by a proxy"],
  ["runs", "user runs, each with a tool call, an approval and a second tool call"],
  ["done", "of these, completed"],
  ["failed", "of these, failed, by reason"],
  ["events", "events received by users, each checked against the store"],
  ["reconnects", "reconnects by users, including attempts while no server was up"],
  ["toolRuns", "tool executions"],
  ["ranAgainBeforeCommit", "of these, repeated because the process died before the result was stored"],
  ["committedCalls", "calls with a stored result"],
  ["committedCallsRepeated", "of these, run again afterwards"],
  ["triggers", "triggers sent"],
  ["triggersHandled", "of these, handled"],
];

function chaos(): string {
  const result = read("chaos");
  if (!result) return "## Servers killed under load\n\nNot run yet: `npm run test:slow`.\n";
  const { plan, counts, faults: broken } = result.facts as unknown as ChaosFacts;
  const rows = CHAOS_WORDS.map(([key, words]) => `| ${words} | ${shown(counts[key])} |`);
  return `## Servers killed under load

${plan.concurrent} concurrent users for ${plan.seconds} s; every ${plan.killEverySeconds} s the next server is killed, whether it is up or still starting, and
restarted immediately; all database connections are cut every ${plan.cutEverySeconds} s, and Postgres is restarted ${(plan.restartAt as readonly number[]).length} times. At the end, each run must have completed or
failed with a reason, no call with a stored result may have run again, and each user's events must be complete and in order.
Violations: **${broken}**.

| what | count |
|---|---|
${rows.join("\n")}

${where(result)}
`;
}

function fuzz(): string {
  const results = names("fuzz-").flatMap((name) => read(name) ?? []);
  const [first] = results;
  if (!first) return "## Random input\n\nNot run yet: `npm run test:slow`.\n";
  const rows = results.map(({ facts, date }) => {
    const { what, cases, seconds, grownBytes } = facts as unknown as FuzzFacts;
    const grown = (grownBytes / 1024 / 1024).toFixed(1);
    return `| ${what} | ${cases.toLocaleString("en")} | ${seconds} | ${grown} | ${date.slice(0, 10)} |`;
  });
  return `## Random input

Valid, almost valid and invalid input; none may cause a 500, a hang, an exception or a memory leak.
"Growth" is the change in memory after garbage collection, from the middle to the end of the cases.

| input | cases | seconds | growth, MB | date |
|---|---|---|---|---|
${rows.join("\n")}

${where(first)}
`;
}

interface Carried {
  readonly storeMb: number;
  readonly fileMb: number;
  readonly backupPeakMb: number;
  readonly restorePeakMb: number;
}

function backup(): string {
  const result = read("backup-memory");
  if (!result) return "## Backup of a large store\n\nNot run yet: `npm run test:slow`.\n";
  const { heapMb, small, large } = result.facts as unknown as {
    heapMb: number;
    small: Carried;
    large: Carried;
  };
  const row = ({ storeMb, fileMb, backupPeakMb, restorePeakMb }: Carried) =>
    `| ${storeMb} | ${fileMb} | ${backupPeakMb} | ${restorePeakMb} |`;
  return `## Backup of a large store

Half of the store is in files of 10 MB (the maximum), half in small rows. Backup and restore run with a heap of ${heapMb} MB, whatever the
size of the store; the peak is the process's resident memory, including Node itself and buffers.

| store, MB | backup, MB | peak of the backup, MB | peak of the restore, MB |
|---|---|---|---|
${row(small)}
${row(large)}

${where(result)}
`;
}

const names = (prefix: string): string[] =>
  existsSync(RESULTS_FOLDER)
    ? readdirSync(RESULTS_FOLDER)
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.replace(/\.json$/, ""))
        .sort()
    : [];

const faults = (): string => `## Injected faults

| fault | outcome | shown by |
|---|---|---|
${FAULTS.map(({ fault, outcome, file }) => `| ${fault} | ${outcome} | \`${file}\` |`).join("\n")}
`;

const security = (): string => `## Attacks

Each row is covered by tests named after the attack.

| attack | shown by |
|---|---|
${SECURITY_SUITE.map(({ attack, shownBy }) => `| ${attack} | ${[...new Set(shownBy.map(([file]) => `\`${file}\``))].join(", ")} |`).join("\n")}
`;

const NOT_PROMISED = `## What is not promised

- A tool runs at least once, not exactly once: a process that dies between a tool's effect and the stored result leaves the call to
  be repeated, with the same idempotency key. The table above counts these cases.
- If the process dies, the embedded store keeps everything it acknowledged. If the machine loses power, it can lose what the disk had not written yet.
- Three processes on one machine are not three machines: clock skew, disk differences and network partitions are not tested here.
`;

function read(name: string): ReliabilityResult | undefined {
  const path = join(RESULTS_FOLDER, `${name}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

const where = ({ date, commit, versions, machine }: ReliabilityResult): string =>
  `${date.slice(0, 10)}, commit ${commit}; Capstan ${versions.capstan}, Node ${versions.node}, Postgres ${versions.postgres}; ` +
  `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.system}.`;

function shown(value: unknown): string {
  if (typeof value === "number") return value.toLocaleString("en");
  const entries = Object.entries((value ?? {}) as Record<string, number>);
  return entries.length === 0 ? "0" : entries.map(([reason, count]) => `${reason}: ${count}`).join(", ");
}
