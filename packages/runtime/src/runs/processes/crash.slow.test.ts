import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../../tools/stores-under-test.ts";
import {
  CrashClient,
  CrashServer,
  faultsOf,
  freePort,
  newLog,
  repeats,
  storedIn,
} from "../fixtures/crash-harness.ts";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(STORES)("kill -9 on $name", ({ fresh }) => {
  let store: FreshStore;
  let server: CrashServer;
  let log: string;
  beforeEach(async () => {
    store = await fresh();
    log = newLog(store);
    const port = await freePort();
    server = new CrashServer({ dataDir: store.dataDir, url: store.url, port, log, toolMs: 30, pieceMs: 10 });
  });
  afterEach(async () => {
    await server.kill();
    await store.drop();
  });

  test("at random moments, 200 runs, some killed twice", async () => {
    const all: CrashClient[] = [];
    await server.start();
    for (let kill = 0; kill < 20; kill++) {
      const clients = Array.from({ length: 10 }, () => new CrashClient(() => server.port));
      all.push(...clients);
      await sleep(5 + Math.random() * (kill % 2 === 0 ? 120 : 450));
      await server.kill();
      await server.start();
      if (kill % 4 === 3) {
        await sleep(Math.random() * 3000); // while it recovers
        await server.kill();
        await server.start();
      }
      await Promise.all(clients.map(({ done }) => done));
    }
    await server.kill();
    expect(await faultsOf(all, log, await storedIn(store))).toEqual([]);
    const { tool, model } = repeats(log);
    expect(tool).toBeLessThanOrEqual(25 * 10 * 2);
    expect(model).toBeLessThanOrEqual(25 * 10);
  });

  test("before and after each write of a run", async () => {
    const all: CrashClient[] = [];
    for (let write = 1; write <= 8; write++) {
      for (const when of ["before", "after"] as const) {
        await server.start({ killAt: { write, when } });
        const clients = [new CrashClient(() => server.port)];
        all.push(...clients);
        await Promise.race([server.ended(), Promise.all(clients.map(({ done }) => done))]);
        await server.kill();
        await server.start();
        await Promise.all(clients.map(({ done }) => done));
        await server.kill();
      }
    }
    expect(await faultsOf(all, log, await storedIn(store))).toEqual([]);
  });
});
