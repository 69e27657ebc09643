/** A server with a real streaming replica: what is read from it, and what happens when it lags or is down. */
import { join } from "node:path";
import { backUp } from "@capstan/runtime";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type OwnPostgres, ownPostgres } from "../../../../tools/chaos/own-postgres.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let postgres: OwnPostgres;
let replica: Awaited<ReturnType<OwnPostgres["replica"]>>;
let watcher: pg.Client;
let server: TestServer;
let session: string;
beforeAll(async () => {
  postgres = await ownPostgres();
  replica = await postgres.replica();
  watcher = new pg.Client({ connectionString: replica.url });
  watcher.on("error", () => {});
  await watcher.connect();
  const { dataDir, drop } = await freshPglite(); // for its folder
  const url = postgres.url(postgres.port);
  server = await testServer({ dataDir, url, drop }, { DATABASE_REPLICA_URL: replica.url });
  const agent = await server.call("POST", "/v1/agents", { name: "Reads", capabilities: ["test_math"] });
  session = (await server.call("POST", "/v1/sessions", { agent_id: agent.body.id })).body.id;
});
afterAll(async () => {
  await server.stop();
  await watcher.end().catch(() => {});
  await postgres.stop();
});

test("an export and time series are read from the replica", async () => {
  await turn("add 1 and 2");
  await vi.waitFor(async () => expect(await countedThere()).toBe(await countedHere()), 20_000);
  expect(await exported()).toContain("add 1 and 2");
  expect(await askedThere()).toContain("from events where session_id");
  expect((await series()).status).toBe(200);
  expect(await askedThere()).toContain("percentile_disc");
});

test("a backup can be taken from the replica", async () => {
  const path = join(server.services.settings.CAPSTAN_DATA_DIR, "from-replica.capstan");
  const from = { dataDir: server.services.settings.CAPSTAN_DATA_DIR, url: replica.url };
  const made = await backUp({ from, path, version: "test", now: () => new Date(), progress: () => {} });
  expect(made).toMatchObject({ ok: true, value: { rows: { sessions: 1 } } });
});

test("an export is complete although the replica lags", async () => {
  await watcher.query("select pg_wal_replay_pause()");
  await turn("add 3 and 4");
  expect(await countedThere()).toBeLessThan(await countedHere());
  expect(await exported()).toContain("add 3 and 4");
  await watcher.query("select pg_wal_replay_resume()");
});

test("everything works while the replica is down", async () => {
  await replica.stop();
  expect(await exported()).toContain("add 3 and 4");
  expect((await series()).status).toBe(200);
  expect((await server.call("GET", "/ready")).status).toBe(200);
});

const COUNT = "select coalesce(max(last_seq), 0)::int as n from events";
const countedThere = async (): Promise<number> => (await watcher.query(COUNT)).rows[0].n;
const countedHere = async (): Promise<number> => (await server.services.database.pool.query(COUNT)).rows[0].n;

/** The server's last queries on the replica. */
const askedThere = async (): Promise<string> => {
  const { rows } = await watcher.query("select query from pg_stat_activity where pid <> pg_backend_pid()");
  return rows.map(({ query }) => query).join("\n");
};

const series = () => server.call("GET", "/v1/telemetry/series?hours=1");
const exported = async (): Promise<string> =>
  (await fetch(`${server.url}/v1/sessions/${session}/export`)).text();

async function turn(content: string): Promise<void> {
  const { body } = await server.call("POST", `/v1/sessions/${session}/messages`, { content });
  await vi.waitFor(async () => {
    expect((await server.call("GET", `/v1/runs/${body.run_id}`)).body.status).toBe("done");
  }, 20_000);
}
