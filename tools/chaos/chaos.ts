/**
 * Three servers on one Postgres behind a proxy that cuts. One server is killed every few seconds, Postgres is restarted
 * in between, and users keep going on. At the end everything is counted, and every broken promise is named.
 */
import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { lastUserText, llmEnvironment, scriptedLlm } from "../scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../server-process.ts";
import { ChaosClient } from "./chaos-client.ts";
import { writeChaosConfig } from "./chaos-config.ts";
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
  /** Starts that ended because the database was cut off meanwhile; a supervisor tries again. */
  startsInVain: number;
  postgresRestarts: number;
  connectionsCut: number;
  runs: number;
  done: number;
  failed: Record<string, number>;
  events: number;
  reconnects: number;
  toolRuns: number;
  /** A call that ran again because its process died before the result was stored: what at-least-once means. */
  ranAgainBeforeCommit: number;
  committedCallsRepeated: number;
  triggers: number;
  triggersHandled: number;
  /** What lies in the store at the end. */
  stored: Record<string, number>;
}

const SERVERS = 3;
const AGENT = "0199c0de-0000-7000-8000-00000000c4a0";
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
  const havoc = Promise.all([kill(world, plan, until), cut(world, plan, until), restart(world, plan, until)]);
  const triggers = await sendTriggers(world, plan, until);
  await havoc;
  const late = setTimeout(() => over.abort(), plan.drainSeconds * 1000);
  await slots;
  await handled(world, triggers, plan.drainSeconds);
  clearTimeout(late);
  await judge(clients, world, triggers);
  counts.stored = await storedIn(postgres.url(postgres.port));
  await world.close();
  return { counts, faults };
}

interface World {
  readonly agentId: string;
  readonly counts: ChaosCounts;
  readonly faults: string[];
  readonly servers: (ServerProcess | undefined)[];
  readonly start: (index: number) => Promise<void>;
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
  const servers: World["servers"] = [];
  const dataDir = join(folder, "data");
  const environment = {
    ...llmEnvironment(llm),
    CAPSTAN_RATE_LIMIT_PER_MINUTE: "10000000",
    CAPSTAN_SECRET: "one secret for all of the three",
  };
  const start = async (index: number) => {
    const server = await serverProcess({ dataDir, url: postgres.url(proxy.port) }, environment, folder);
    servers[index] = server;
    server.child.once("exit", () => {
      if (servers[index] === server) servers[index] = undefined;
    });
  };
  let next = 0;
  const url = (): string => {
    const alive = servers.filter((server) => server !== undefined);
    return alive[next++ % Math.max(1, alive.length)]?.url ?? "http://127.0.0.1:9";
  };
  for (let index = 0; index < SERVERS; index++) await start(index);
  const agent = { name: "Chaos", capabilities: ["chaos"] };
  const made = await servers[0]?.call("POST", "/v1/agents", agent);
  return {
    ...{ agentId: made?.body.id ?? AGENT, servers, start, url, proxy, postgres, folder, log },
    faults: [],
    counts: noCounts(),
    async close() {
      await Promise.all(servers.map((server) => server?.end("SIGKILL")));
      proxy.close();
      await llm.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const noCounts = (): ChaosCounts => ({
  ...{
    servers: SERVERS,
    kills: 0,
    startsInVain: 0,
    postgresRestarts: 0,
    connectionsCut: 0,
    runs: 0,
    done: 0,
    failed: {},
  },
  ...{ events: 0, reconnects: 0, toolRuns: 0, ranAgainBeforeCommit: 0, committedCallsRepeated: 0 },
  ...{ triggers: 0, triggersHandled: 0, stored: {} },
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

async function kill(world: World, { killEverySeconds }: ChaosPlan, until: number): Promise<void> {
  let next = 0;
  const restarts: Promise<void>[] = [];
  while (performance.now() + killEverySeconds * 1000 < until) {
    await pause(killEverySeconds * 1000);
    const index = next++ % SERVERS;
    const server = world.servers[index];
    if (!server || world.servers.filter((one) => one !== undefined).length < 2) continue;
    world.servers[index] = undefined;
    server.child.kill("SIGKILL");
    world.counts.kills++;
    restarts.push(revive(world, index));
  }
  await Promise.all(restarts);
}

const DATABASE_AWAY =
  /cannot be used|does not answer|Connection terminated|ECONNRESET|ECONNREFUSED|administrator command|starting up|shutting down/;

/** A server that cannot start because the database is away is started again, as a supervisor would. */
async function revive(world: World, index: number): Promise<void> {
  for (;;) {
    const error = await world.start(index).then(
      () => undefined,
      (problem) => problem as Error,
    );
    if (!error) return;
    if (!DATABASE_AWAY.test(error.message)) world.faults.push(`start: ${error.message}`);
    world.counts.startsInVain++;
    await pause(500);
  }
}

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

const executions = (log: string): { text: string; at: number; pid: number }[] =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : [];

async function judge(
  clients: readonly ChaosClient[],
  world: World,
  triggers: readonly string[],
): Promise<void> {
  const { counts, faults } = world;
  const ran = new Map<string, number[]>();
  for (const { text, at } of executions(world.log)) ran.set(text, [...(ran.get(text) ?? []), at]);
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
    for (const [text, seenAt] of client.resultSeenAt) {
      const late = (ran.get(text) ?? []).filter((at) => at > seenAt);
      counts.committedCallsRepeated += late.length;
      if (late.length > 0) faults.push(`${text} ran again after its result was stored`);
    }
  }
  const times = [...ran.values()].map(({ length }) => length);
  counts.toolRuns = times.reduce((sum, count) => sum + count, 0);
  counts.ranAgainBeforeCommit = counts.toolRuns - times.length - counts.committedCallsRepeated;
  for (const id of triggers.filter((trigger) => !ran.has(`${trigger}:0`)))
    faults.push(`trigger ${id} was not handled: ${whereIs(world, id)}`);
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

function judgeEnd({ session, status, reason }: ChaosClient, counts: ChaosCounts, faults: string[]): void {
  if (status === "done") counts.done++;
  else if (status === "failed" && reason !== "") counts.failed[reason] = (counts.failed[reason] ?? 0) + 1;
  else faults.push(`${session}: ended as ${status} without a reason`);
}
