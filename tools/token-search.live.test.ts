/** Nothing else tells that the search of every dropped store can fail: here tokens are left where none may be. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../packages/runtime/src/db/database.ts";
import { type FreshStore, STORES } from "./stores-under-test.ts";
import { noteIssued, noteSaid } from "./token-search.ts";

/** As a provider's, which only says what it issued. */
const FOREIGN = "eyJhbGciOi.test+only/0_~";
/** As one of ours, of an organisation. */
const OURS = `access_acme.${"Qm-_9".repeat(9).slice(0, 43)}`;

describe.each(STORES)("a store on $name", ({ fresh }) => {
  const run =
    (...statements: [string, unknown[]?][]) =>
    async (store: FreshStore) => {
      const opened = await openDatabase(store);
      if (!opened.ok) throw new Error(opened.failure.message);
      for (const [statement, values] of statements) await opened.value.pool.query(statement, values);
      await opened.value.close();
    };
  const file =
    (path: string, text: string) =>
    ({ dataDir }: FreshStore) => {
      mkdirSync(join(dataDir, "deep"), { recursive: true });
      writeFileSync(join(dataDir, path), text);
    };
  const json = JSON.stringify({ said: `x${FOREIGN}y` });

  test.each<[string, (store: FreshStore) => unknown, string]>([
    [
      "a row",
      run(["create table kept (value jsonb)"], ["insert into kept values ($1)", [json]]),
      "table public.kept",
    ],
    [
      "bytes, after a null",
      run(
        ["create table kept (empty bytea, value bytea)"],
        ["insert into kept (value) values ($1)", [Buffer.from(`\0\u00e9${OURS}\0`)]],
      ),
      "table public.kept",
    ],
    [
      "a long text that is stored compressed",
      run(["create table kept (value text)"], ["insert into kept values ($1)", ["long ".repeat(9e4) + OURS]]),
      "table public.kept",
    ],
    [
      "the schema of an organisation",
      run(
        ["create schema organisation_acme"],
        ["create table organisation_acme.kept (value text)"],
        ["insert into organisation_acme.kept values ($1)", [OURS]],
      ),
      "table organisation_acme.kept",
    ],
    ["a file", file("deep/notes.txt", `key: ${OURS}\n`), "file deep/notes.txt"],
    ["a binary file", file("deep/notes.bin", `\0\u0001${FOREIGN}\0`), "file deep/notes.bin"],
    ["a log", () => noteSaid("log", `level=info ${FOREIGN}`), "log"],
  ])("is not dropped in silence with a token in %s", async (_where, leave, found) => {
    noteIssued(FOREIGN);
    const store = await fresh();
    await leave(store);
    await expect(store.drop()).rejects.toThrow(`tokens were left in the clear: ${found}`);
    await expect(store.drop()).resolves.toBeUndefined(); // it is gone nevertheless
  });

  test("is dropped with what only resembles a token", async () => {
    const store = await fresh();
    await run(
      ["create table kept (value text)"],
      ["insert into kept values ($1)", [`${OURS.slice(0, -1)} and ${FOREIGN.slice(1)}`]],
    )(store);
    await expect(store.drop()).resolves.toBeUndefined();
  });
});
