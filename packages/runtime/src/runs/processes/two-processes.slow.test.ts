import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyPostgres, type FreshStore } from "../../../../../tools/stores-under-test.ts";
import { CrashClient, CrashServer, faultsOf, freePort, newLog, storedIn } from "../fixtures/crash-harness.ts";

const RUNS = 8;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("two processes on one Postgres", () => {
  let store: FreshStore;
  let log: string;
  let servers: [CrashServer, CrashServer];
  beforeEach(async () => {
    store = await emptyPostgres();
    log = newLog(store);
    const settings = { dataDir: store.dataDir, url: store.url, log, toolMs: 60, pieceMs: 40 };
    servers = [
      new CrashServer({ ...settings, port: await freePort() }),
      new CrashServer({ ...settings, port: await freePort() }),
    ];
    await Promise.all(servers.map((server) => server.start())); // at once: migrations must not race
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await store.drop();
  });

  test("one is killed: the other finishes its runs within seconds, and every client sees a consistent stream", {
    timeout: 90_000,
  }, async () => {
    const [first, second] = servers;
    let port = first.port;
    const clients = Array.from({ length: RUNS }, () => new CrashClient(() => port));
    await sleep(150);
    port = second.port;
    const killedAt = performance.now();
    await first.kill();
    await Promise.all(clients.map(({ done }) => done));
    expect(performance.now() - killedAt).toBeLessThan(30_000);
    expect(await faultsOf(clients, log, await storedIn(store))).toEqual([]);
  });

  test("one is frozen and resumed while the other answers: it writes nothing more", {
    timeout: 90_000,
  }, async () => {
    const [first, second] = servers;
    let port = first.port;
    const clients = Array.from({ length: RUNS }, () => new CrashClient(() => port));
    await sleep(150);
    first.signal("SIGSTOP");
    port = second.port;
    for (const client of clients) client.cut();
    const halfway = Promise.all(clients.slice(0, RUNS / 2).map(({ done }) => done));
    await Promise.race([halfway, sleep(9000)]);
    first.signal("SIGCONT");
    await Promise.all(clients.map(({ done }) => done));
    const before = await storedIn(store);
    await sleep(1500); // the resumed one has had its chance
    const after = await storedIn(store);
    for (const { session } of clients) expect(await after(session)).toEqual(await before(session));
    expect(await faultsOf(clients, log, after)).toEqual([]);
  });

  test("one is stopped: it finishes its steps or releases them, and the other continues at once", {
    timeout: 90_000,
  }, async () => {
    const [first, second] = servers;
    let port = first.port;
    const clients = Array.from({ length: RUNS }, () => new CrashClient(() => port));
    await sleep(150);
    port = second.port;
    first.signal("SIGTERM");
    await first.ended();
    await Promise.all(clients.map(({ done }) => done));
    expect(await faultsOf(clients, log, await storedIn(store))).toEqual([]);
  });

  test("a client of one follows a run of the other, live", { timeout: 60_000 }, async () => {
    const [first, second] = servers;
    const client = new CrashClient(() => first.port);
    const other = new CrashClient(() => second.port, client.session);
    await Promise.all([client.done, other.done]);
    expect(other.events).toEqual(client.events);
    expect(await faultsOf([client, other], log, await storedIn(store))).toEqual([]);
  });
});
