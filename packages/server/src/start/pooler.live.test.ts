import { afterEach, describe, expect, test } from "vitest";
import { oneTurn } from "../../../../tools/one-turn.ts";
import { hasPgbouncer, startPgbouncer } from "../../../../tools/pgbouncer.ts";
import { type ServerProcess, serverProcess, spawnServer } from "../../../../tools/server-process.ts";
import { emptyPostgres } from "../../../../tools/stores-under-test.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

describe.skipIf(!hasPgbouncer())("behind a pooler in transaction mode", () => {
  test("a server with DATABASE_DIRECT_URL answers turns, many at once", async () => {
    const { store, pooler } = await pooledStore();
    const server = await serverProcess(
      { ...store, url: pooler.url },
      { DATABASE_DIRECT_URL: store.url ?? "" },
    );
    undo.push(() => server.end());
    const turns = await Promise.all(Array.from({ length: 8 }, () => oneTurn(server)));
    for (const events of turns) expect(events).toContain("RUN_FINISHED");
    expect(await statuses(server)).toEqual([200]);
    expect(server.log()).not.toMatch(/prepared statement/);
  });

  test("a server without it ends with the next step", async () => {
    const { store, pooler } = await pooledStore();
    const server = spawnServer({ ...store, url: pooler.url });
    await expect(server.ready).rejects.toThrow(/transaction mode[\s\S]*DATABASE_DIRECT_URL/);
  });
});

async function statuses({ call }: ServerProcess): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: 40 }, () => call("GET", "/v1/sessions?limit=5")));
  return [...new Set(answers.map(({ status }) => status))];
}

async function pooledStore() {
  const store = await emptyPostgres();
  undo.push(() => store.drop());
  const pooler = await startPgbouncer(store.url ?? "");
  undo.push(() => pooler.close());
  return { store, pooler };
}
