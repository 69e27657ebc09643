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

What was broken on purpose, and what came of it. This page is written by \`npm run reliability\`; the figures come from the
last run of \`npm run test:slow\`, which leaves them in \`bench/results/reliability\`. \`npm test\` and \`npm run test:long\` do a short form of each.
`;

const CHAOS_WORDS: readonly (readonly [key: string, words: string])[] = [
  ["servers", "server processes on one Postgres"],
  ["kills", "times one of them was killed with kill -9"],
  ["killsBeforeReady", "of them while it was still starting"],
  ["startsInVain", "starts that gave up waiting for the database, and were made again"],
  ["serversUpOnAverage", "servers that were up, on average"],
  ["secondsWithoutServer", "seconds in which none was up"],
  ["postgresRestarts", "restarts of Postgres"],
  ["connectionsCut", "database connections cut by a proxy"],
  ["runs", "runs of users, each with a tool, an approval and a second tool"],
  ["done", "of them done"],
  ["failed", "of them failed, by reason"],
  ["events", "events that the users received, each checked against the store"],
  ["reconnects", "times a user had to connect again, tries while no server was up included"],
  ["toolRuns", "times a tool really ran"],
  ["ranAgainBeforeCommit", "of them again, because the process died before the result was stored"],
  ["committedCalls", "calls whose result is stored, each once"],
  ["committedCallsRepeated", "of them run again after that"],
  ["triggers", "triggers sent"],
  ["triggersHandled", "of them handled"],
];

function chaos(): string {
  const result = read("chaos");
  if (!result) return "## Servers killed under load\n\nNot run yet: `npm run test:slow`.\n";
  const { plan, counts, faults: broken } = result.facts as unknown as ChaosFacts;
  const rows = CHAOS_WORDS.map(([key, words]) => `| ${words} | ${shown(counts[key])} |`);
  return `## Servers killed under load

${plan.concurrent} users at a time for ${plan.seconds} s; every ${plan.killEverySeconds} s, by the clock, the next server is killed, whether it is up or still starting, and
started again at once; all database connections are cut every ${plan.cutEverySeconds} s, and Postgres is restarted ${(plan.restartAt as readonly number[]).length} times. At the end each run must be done or failed
with a reason, no call whose result was stored may have run again, and each user's events must be whole and in order.
Promises broken: **${broken}**.

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

Half right, almost right and not at all right; none may give a 500, hang, throw, or grow what is kept in memory.
"Growth" is what the process holds after a garbage collection, from the first half of the cases to the end.

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

Half of the store in files of 10 MB, the largest there are, half in small rows. Backup and restore run with a heap of ${heapMb} MB, whatever the
size of the store; the peak is all memory of the process, Node itself and buffers included.

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

const faults = (): string => `## Faults on purpose

| what happens | what comes of it | shown by |
|---|---|---|
${FAULTS.map(({ fault, outcome, file }) => `| ${fault} | ${outcome} | \`${file}\` |`).join("\n")}
`;

const security = (): string => `## Attacks on ourselves

Each test's title names what it would let in.

| attack | shown by |
|---|---|
${SECURITY_SUITE.map(({ attack, shownBy }) => `| ${attack} | ${[...new Set(shownBy.map(([file]) => `\`${file}\``))].join(", ")} |`).join("\n")}
`;

const NOT_PROMISED = `## What is not promised

- A tool runs at least once, not exactly once: a process that dies between a tool's effect and the stored result leaves the call to
  be made again, with the same idempotency key. The count above says how often that was.
- The embedded store keeps what was answered when the process dies; when the machine loses power, what its disk did not write.
- Three processes on one machine are not three machines: clocks, disks and networks that disagree are not shown here.
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
