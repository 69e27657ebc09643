/** A server started while Postgres is down: it waits, says so, and either serves or ends with a next step. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type CuttingProxy, cuttingProxy } from "../../../../tools/chaos/cutting-proxy.ts";
import { freePort, type OwnPostgres, ownPostgres } from "../../../../tools/chaos/own-postgres.ts";
import { type SpawnedServer, spawnServer } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";

let postgres: OwnPostgres;
let store: FreshStore;
const open: (() => unknown)[] = [];
beforeAll(async () => {
  postgres = await ownPostgres();
  store = await freshPglite(); // for its folder: what is not in the database
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
afterAll(async () => {
  await postgres.stop();
  await store.drop();
});

describe("a server that starts while Postgres is down", () => {
  test("waits, is alive but not ready, and serves when Postgres is up", async () => {
    await postgres.pause();
    const port = String(await freePort());
    const server = started(postgres.port, { PORT: port });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/health`)).status).toBe(200), 30_000);
    const ready = await fetch(`${url}/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ code: "not_available", nextStep: expect.any(String) });
    expect((await fetch(`${url}/v1/agents`, { method: "POST" })).headers.get("retry-after")).toBe("1");
    await postgres.resume();
    const { call } = await server.ready;
    expect((await call("GET", "/ready")).status).toBe(200);
    expect((await call("POST", "/v1/agents", { name: "Late" })).status).toBe(201);
    expect(server.log()).toMatch(
      /Waiting for the database, for 30 s more; next try in 0\.\d s: .*ECONNREFUSED/,
    );
  });

  test("gives up after the configured time, and says what to do", async () => {
    const nobody = await freePort();
    const server = started(nobody, { CAPSTAN_DATABASE_WAIT_SECONDS: "1" });
    await expect(server.ready).rejects.toThrow(/ended with 1/);
    expect(server.log()).toMatch(
      /capstan: The database at postgres:\/\/127.* does not answer: .*ECONNREFUSED/,
    );
    expect(server.log()).toMatch(/Check the address in DATABASE_URL/);
    expect(server.log()).not.toContain("postgres:postgres");
  });
});

/** Cut after this many answers of Postgres, counted per connection: during the first connection, the migrations, the engine. */
const CUTS = [1, 10, 40];

test("a start whose connections are repeatedly cut, at any point, succeeds once that stops", async () => {
  const proxy = await proxied();
  const server = started(proxy.port);
  for (const answers of CUTS) {
    await proxy.answers(answers);
    expect(proxy.cut()).toBeGreaterThan(0);
  }
  const { call } = await server.ready;
  expect((await call("POST", "/v1/agents", { name: "Through" })).status).toBe(201);
  expect(server.log().match(/Waiting for the database/g)?.length).toBeGreaterThan(1);
});

function started(port: number, environment: Record<string, string> = {}): SpawnedServer {
  const server = spawnServer({ dataDir: store.dataDir, url: postgres.url(port) }, environment);
  server.ready.catch(() => {});
  open.push(() => server.end("SIGKILL"));
  return server;
}

async function proxied(): Promise<CuttingProxy> {
  const proxy = await cuttingProxy(postgres.port);
  open.push(() => proxy.close());
  return proxy;
}
