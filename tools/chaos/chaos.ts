/**
 * Three servers on one Postgres behind a proxy that cuts connections. One server is killed every few seconds, ready or not,
 * Postgres is restarted in between, and users continue. At the end everything is counted, and every broken guarantee is reported.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { lastUserText, llmEnvironment, scriptedLlm } from "../scripted-llm.ts";
import { ChaosClient } from "./chaos-client.ts";
import { writeChaosConfig } from "./chaos-config.ts";
import { ChaosFleet } from "./chaos-fleet.ts";
import { executions, judge } from "./chaos-verdict.ts";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";

export interface ChaosPlan {
  readonly seconds: number;
  readonly concurrent: number;
  readonly killEverySeconds: number;
  readonly cutEverySeconds: number;
  /** When, from the start, Postgres is restarted. */
  readonly restartAt: readonly number[];
  readonly triggersPerSecond: number;
  /** How long the last runs may take once nobody is killed any more. */
  readonly drainSeconds: number;
}

export interface RestartablePostgres {
  readonly port: number;
  readonly url: (port: number) => string;
  restart(): Promise<void>;
}

export interface ChaosCounts {
  servers: number;
  kills: number;
  /** Of the kills: of a server that was not up yet. */
  killsBeforeReady: number;
  /** Starts that ended by themselves, because the database was away for too long; a supervisor tries again. */
  startsInVain: number;
  serversUpOnAverage: number;
  secondsWithoutServer: number;
  postgresRestarts: number;
  connectionsCut: number;
  runs: number;
  done: number;
  failed: Record<string, number>;
  events: number;
  reconnects: number;
  toolRuns: number;
  /** A call repeated because its process died before the result was stored: at-least-once delivery. */
  ranAgainBeforeCommit: number;
  /** Calls whose result is in the store. */
  committedCalls: number;
  committedCallsRepeated: number;
  triggers: number;
  triggersHandled: number;
  /** What the store contains at the end. */
  stored: Record<string, number>;
}

const SERVERS = 3;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function runChaos(
  plan: ChaosPlan,
  postgres: RestartablePostgres,
): Promise<{ counts: ChaosCounts; faults: string[] }> {
  const world = await openWorld(postgres);
  const { counts, faults } = world;
  const clients: ChaosClient[] = [];
  const until = performance.now() + plan.seconds * 1000;
  const over = new AbortController();
  const slot = async () => {
    while (performance.now() < until) {
      const client = new ChaosClient({ url: world.url, agentId: world.agentId, over: over.signal });
      clients.push(client);
      await client.run();
    }
  };
  const slots = Promise.all(Array.from({ length: plan.concurrent }, slot));
  const killing = world.fleet.killEvery(plan.killEverySeconds, until);
  const havoc = Promise.all([killing, cut(world, plan, until), restart(world, plan, until)]);
  const triggers = await sendTriggers(world, plan, until);
  await havoc;
  Object.assign(counts, world.fleet.counts());
  const late = setTimeout(() => over.abort(), plan.drainSeconds * 1000);
  await slots;
  await handled(world, triggers, plan.drainSeconds);
  clearTimeout(late);
  await judge(clients, world, triggers, postgres.url(postgres.port));
  counts.stored = await storedIn(postgres.url(postgres.port));
  await world.close();
  return { counts, faults };
}

export interface World {
  readonly agentId: string;
  readonly counts: ChaosCounts;
  readonly faults: string[];
  readonly fleet: ChaosFleet;
  readonly url: () => string;
  readonly proxy: CuttingProxy;
  readonly postgres: RestartablePostgres;
  readonly folder: string;
  readonly log: string;
  close(): Promise<void>;
}

async function openWorld(postgres: RestartablePostgres): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-chaos-"));
  const log = join(folder, "tools.jsonl");
  writeChaosConfig(folder, log);
  const llm = await scriptedLlm(answer);
  const proxy = await cuttingProxy(postgres.port);
  const dataDir = join(folder, "data");
  const faults: string[] = [];
  const environment = {
    ...llmEnvironment(llm),
    CAPSTAN_RATE_LIMIT_PER_MINUTE: "10000000",
    CAPSTAN_SECRET: "one secret for all of the three",
    NODE_COMPILE_CACHE: join(folder, "compiled"), // as a built server has it: starts are many here
  };
  const store = { dataDir, url: postgres.url(proxy.port) };
  const fleet = new ChaosFleet({ size: SERVERS, store, environment, folder, faults });
  await fleet.open();
  const made = await fleet.call("POST", "/v1/agents", { name: "Chaos", capabilities: ["chaos"] });
  return {
    agentId: made.body.id,
    fleet,
    url: () => fleet.url(),
    proxy,
    postgres,
    folder,
    log,
    faults,
    counts: noCounts(),
    async close() {
      await fleet.close();
      proxy.close();
      await llm.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const noCounts = (): ChaosCounts => ({
  servers: SERVERS,
  kills: 0,
  killsBeforeReady: 0,
  startsInVain: 0,
  serversUpOnAverage: 0,
  secondsWithoutServer: 0,
  postgresRestarts: 0,
  connectionsCut: 0,
  runs: 0,
  done: 0,
  failed: {},
  events: 0,
  reconnects: 0,
  toolRuns: 0,
  ranAgainBeforeCommit: 0,
  committedCalls: 0,
  committedCallsRepeated: 0,
  triggers: 0,
  triggersHandled: 0,
  stored: {},
});

/** note, then send (which asks), then words; a trigger's run only notes. */
const answer: Parameters<typeof scriptedLlm>[0] = (request) => {
  const asked = lastUserText(request);
  const tag = /tag ([0-9a-f-]{36})/.exec(asked)?.[1] ?? "none";
  const from = request.messages.findLastIndex(({ role }) => role === "user");
  const answered = request.messages.slice(from).filter(({ role }) => role === "tool").length;
  const id = `${tag}-${answered}`;
  const input = { text: `${tag}:${answered}` };
  if (answered === 0) return { text: ["First. "], calls: [{ id, name: "note", input }] };
  const isTrigger = asked.includes("An event of chaos");
  if (answered === 1 && !isTrigger) return { text: ["Second. "], calls: [{ id, name: "send", input }] };
  return { text: ["All ", "is ", "done."] };
};

async function cut({ proxy, counts }: World, { cutEverySeconds }: ChaosPlan, until: number): Promise<void> {
  while (performance.now() + cutEverySeconds * 1000 < until) {
    await pause(cutEverySeconds * 1000);
    counts.connectionsCut += proxy.cut();
  }
}

async function restart({ postgres, counts }: World, { restartAt, seconds }: ChaosPlan, until: number) {
  const begun = until - seconds * 1000;
  for (const at of restartAt) {
    await pause(Math.max(0, begun + at * 1000 - performance.now()));
    await postgres.restart();
    counts.postgresRestarts++;
  }
}

async function sendTriggers(world: World, plan: ChaosPlan, until: number): Promise<string[]> {
  const folder = join(world.folder, "data", "rt_triggers", "chaos");
  mkdirSync(folder, { recursive: true });
  const sent: string[] = [];
  while (performance.now() < until) {
    const id = randomUUID();
    const trigger = { id, user: "local@localhost", type: "tick", created_at: new Date().toISOString() };
    const file = join(world.folder, `${id}.tmp`);
    writeFileSync(file, JSON.stringify({ ...trigger, payload: { say: `tag ${id}` } }));
    renameSync(file, join(folder, `${id}.json`));
    sent.push(id);
    await pause(1000 / plan.triggersPerSecond);
  }
  return sent;
}

/** Waits until each trigger's note was written; a trigger that is given up stays uncounted. */
async function handled(world: World, triggers: readonly string[], seconds: number): Promise<void> {
  world.counts.triggers = triggers.length;
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const ran = new Set(executions(world.log).map(({ text }) => text.slice(0, 36)));
    world.counts.triggersHandled = triggers.filter((id) => ran.has(id)).length;
    if (world.counts.triggersHandled === triggers.length || performance.now() > until) return;
    await pause(250);
  }
}

const SIZES = `select (select count(*)::int from runs) as runs, (select count(*)::int from events) as "eventRows",
  pg_total_relation_size('events')::int as "eventBytes", (select count(*)::int from messages) as "messageRows",
  pg_total_relation_size('messages')::int as "messageBytes", pg_database_size(current_database())::int as "databaseBytes"`;

async function storedIn(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, number>>(SIZES);
  await client.end();
  return rows[0] ?? {};
}
