import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { sessionStore } from "../sessions/session-store.ts";
import { fileStore } from "./file-store.ts";
import { fileStoreContract } from "./file-store-contract.ts";
import { compileGrep } from "./line-finder.ts";

describe.each(STORES)("on $name", ({ name, fresh }) => {
  let store: FreshStore;
  let database: Database;
  beforeAll(async () => {
    store = await fresh();
    const opened = await openDatabase(store);
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
  });
  afterAll(async () => {
    await database.close();
    await store.drop();
  });

  const open = async (limits = {}) => {
    const { id } = await sessionStore(database).create({ owner: "a@example.com" });
    return fileStore({ pool: database.pool, sessionId: id, compile: compileGrep, limits });
  };

  fileStoreContract(name, open);

  test("counts the session's bytes correctly with concurrent writes", async () => {
    const files = await open({ sessionBytes: 100 });
    const writes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => files.write(`/f${i % 10}`, new Uint8Array(10))),
    );
    expect(writes.every(({ ok }) => ok)).toBe(true);
    expect(await files.write("/one-more", new Uint8Array(1))).toMatchObject({
      ok: false,
      failure: { code: "session_full" },
    });
  });
});
