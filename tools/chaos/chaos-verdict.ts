/** Checks the outcome of every run, call, event and trigger, and reports broken guarantees. The store's timestamps decide. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { ChaosCounts, World } from "./chaos.ts";
import type { ChaosClient } from "./chaos-client.ts";

export async function judge(
  clients: readonly ChaosClient[],
  world: World,
  triggers: readonly string[],
  database: string,
): Promise<void> {
  const { counts, faults } = world;
  counts.runs = clients.length;
  for (const client of clients) {
    counts.events += client.events.length;
    counts.reconnects += client.reconnects;
    faults.push(...client.faults.map((fault) => `${client.session}: ${fault}`));
    judgeEnd(client, counts, faults);
    const stored = await client.stored();
    if (JSON.stringify(stored) !== JSON.stringify(client.events))
      faults.push(
        `${client.session}: saw ${client.events.length} events, ${stored.length} are stored, and they differ`,
      );
  }
  const ran = timesOf(executions(world.log));
  judgeCalls(ran, await committedResults(database), world);
  for (const id of triggers.filter((trigger) => !ran.has(`${trigger}:0`)))
    faults.push(`trigger ${id} was not handled: ${whereIs(world, id)}`);
}

/** No call runs again once its result is stored, and none has two results. */
export function judgeCalls(
  ran: ReadonlyMap<string, readonly number[]>,
  committed: ReadonlyMap<string, readonly number[]>,
  { counts, faults }: Pick<World, "counts" | "faults">,
): void {
  for (const [text, [storedAt = 0, ...more]] of committed) {
    if (more.length > 0) faults.push(`${text} has ${more.length + 1} results`);
    const late = (ran.get(text) ?? []).filter((at) => at > storedAt);
    counts.committedCallsRepeated += late.length;
    if (late.length > 0) faults.push(`${text} ran again after its result was stored`);
    if (!ran.has(text)) faults.push(`${text} has a result and never ran`);
  }
  const times = [...ran.values()].map(({ length }) => length);
  counts.toolRuns = times.reduce((sum, count) => sum + count, 0);
  counts.committedCalls = committed.size;
  counts.ranAgainBeforeCommit = counts.toolRuns - times.length - counts.committedCallsRepeated;
}

export const executions = (log: string): { text: string; at: number; pid: number }[] =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : [];

const RESULTS = `select content::text as content, extract(epoch from created_at)::float8 * 1000 as at
  from messages where role = 'tool' order by created_at`;

/** When each call's result was stored, by what the call was asked to write. */
async function committedResults(url: string): Promise<Map<string, number[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ content: string; at: number }>(RESULTS);
  await client.end();
  return timesOf(
    rows.flatMap(({ content, at }) => {
      const text = /(?:noted|sent) ([0-9a-f-]{36}:\d)/.exec(content)?.[1];
      return text === undefined ? [] : [{ text, at }];
    }),
  );
}

function timesOf(all: readonly { text: string; at: number }[]): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const { text, at } of all) times.set(text, [...(times.get(text) ?? []), at]);
  return times;
}

function judgeEnd({ session, status, reason }: ChaosClient, counts: ChaosCounts, faults: string[]): void {
  if (status === "done") counts.done++;
  else if (status === "failed" && reason !== "") counts.failed[reason] = (counts.failed[reason] ?? 0) + 1;
  else faults.push(`${session}: ended as ${status} without a reason`);
}

/** The states a trigger is in are folders, and its file says what went wrong. */
function whereIs({ folder }: World, id: string): string {
  const root = join(folder, "data", "rt_triggers");
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(id));
  return found
    .map(
      (name) =>
        `${name} ${statSync(join(root, name)).isFile() ? readFileSync(join(root, name), "utf8") : ""}`,
    )
    .join(" | ");
}
