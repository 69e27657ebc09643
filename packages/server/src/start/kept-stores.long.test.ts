/** Stores of earlier versions, kept as dumps, are opened by this one: on both stores, in place, with their data. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { oneTurn } from "../../../../tools/one-turn.ts";
import { type ServerProcess, serverProcess, spawnServer } from "../../../../tools/server-process.ts";
import { EMPTY_STORES, type FreshStore } from "../../../../tools/stores-under-test.ts";
import { openDatabase } from "../../../runtime/src/db/database.ts";

const DUMPS = fileURLToPath(new URL("../../../runtime/src/db/fixtures/stores/", import.meta.url));

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

describe.each(EMPTY_STORES)("on $name", ({ empty }) => {
  test.each(readdirSync(DUMPS))("the store of %s opens with all its data, and works", async (dump) => {
    const server = await started(await storeWith(empty, readFileSync(DUMPS + dump, "utf8")));
    const { body: agents } = await server.call("GET", "/v1/agents");
    expect(agents.items.map(({ name }: { name: string }) => name)).toEqual(["Kept agent"]);
    const { body: sessions } = await server.call("GET", "/v1/sessions");
    const [session] = sessions.items;
    expect(session.title).toBe("Kept session");
    const { body: messages } = await server.call("GET", `/v1/sessions/${session.id}/messages`);
    expect(JSON.stringify(messages.items)).toMatch(/add 2 and 40.*42/);
    const sent = await server.call("POST", `/v1/sessions/${session.id}/messages`, {
      content: "add 3 and 50",
    });
    expect(sent.status).toBe(202);
    expect(await oneTurn(server)).toContain("RUN_FINISHED");
  });

  test("a store that a later version added to is used alongside it, and nothing is lost", async () => {
    const store = await storeWith(empty, "select 1");
    const first = await started(store);
    expect(await oneTurn(first)).toContain("RUN_FINISHED");
    if (store.url !== undefined) {
      await addAsLaterVersionWould(store); // while this one runs
      expect(await oneTurn(first)).toContain("RUN_FINISHED");
    }
    await first.end();
    if (store.url === undefined) await addAsLaterVersionWould(store);
    const again = await started(store);
    expect(await oneTurn(again)).toContain("RUN_FINISHED");
    const { body } = await again.call("GET", "/v1/sessions?limit=10");
    expect(body.items).toHaveLength(store.url === undefined ? 2 : 3);
  });

  test.each([
    [
      "a later version needs",
      "create table drizzle.store_needs (version text not null); insert into drizzle.store_needs values ('9.9.0')",
      /needs Capstan 9\.9\.0 or newer; this is \d/,
    ],
    [
      "is from before in-place upgrades",
      "update drizzle.__drizzle_migrations set hash = 'another' where id = 1",
      /capstan backup[\s\S]*capstan restore/,
    ],
  ])("a store that %s is refused with what to do, and left unchanged", async (_what, change, words) => {
    const store = await storeWith(empty, "select 1");
    const opened = await openDatabase(store);
    if (!opened.ok) throw new Error(opened.failure.message);
    await opened.value.pool.query(change);
    await opened.value.close();
    await expect(spawnServer(store).ready).rejects.toThrow(words);
  });
});

/** One column and one table that this version does not know. */
async function addAsLaterVersionWould(store: FreshStore): Promise<void> {
  const opened = await openDatabase({ ...store, migrations: 0 });
  if (!opened.ok) throw new Error(opened.failure.message);
  const { pool } = opened.value;
  await pool.query("alter table runs add column later text default 'x' not null");
  await pool.query("create table later (id text primary key)");
  await pool.query(
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)",
  );
  await opened.value.close();
}

async function storeWith(empty: () => Promise<FreshStore>, sql: string): Promise<FreshStore> {
  const store = await empty();
  undo.push(() => store.drop());
  const opened = await openDatabase({ ...store, migrations: 0 });
  if (!opened.ok) throw new Error(opened.failure.message);
  await opened.value.pool.query(sql);
  await opened.value.close();
  return store;
}

async function started(store: FreshStore): Promise<ServerProcess> {
  const server = await serverProcess(store);
  undo.push(() => server.end());
  return server;
}
