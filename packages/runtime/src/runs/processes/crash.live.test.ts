import { afterEach, describe, expect, test } from "vitest";
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

const RUNS = 10;

let store: FreshStore | undefined;
let server: CrashServer | undefined;
afterEach(async () => {
  await server?.kill();
  await store?.drop();
});

describe.each(STORES)("runs killed with their process on $name", ({ fresh }) => {
  test("are finished by the next one: none lost, nothing committed repeated, no event missing or duplicated", {
    timeout: 120_000,
  }, async () => {
    store = await fresh();
    const log = newLog(store);
    const port = await freePort();
    server = new CrashServer({ dataDir: store.dataDir, url: store.url, port, log, toolMs: 30, pieceMs: 15 });
    const all: CrashClient[] = [];
    await server.start();
    for (const killAfterMs of [100]) {
      const clients = Array.from({ length: RUNS }, () => new CrashClient(() => port));
      all.push(...clients);
      await new Promise((resolve) => setTimeout(resolve, killAfterMs));
      await server.kill();
      await server.start();
      await Promise.all(clients.map(({ done }) => done));
    }
    await server.kill();
    expect(await faultsOf(all, log, await storedIn(store))).toEqual([]);
    const { tool, model } = repeats(log);
    expect(tool).toBeLessThanOrEqual(2 * RUNS); // two calls of each run may have been in flight at the kill
    expect(model).toBeLessThanOrEqual(RUNS);
  });
});
