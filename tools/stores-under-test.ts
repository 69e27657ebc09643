/** Both stores, fresh for each caller: `describe.each(STORES)("on $name", ({ fresh }) => ...)`. */
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { copyTemplate, newDataFolder, removeData } from "./data-folders.ts";
import { databaseUrl, onServer } from "./real-parts.ts";
import { searchStore } from "./token-search.ts";

/** Where a server or a database can be opened: pass it to `openDatabase` or to the server's settings. */
export interface FreshStore {
  readonly dataDir: string;
  readonly url?: string;
  /** Rejects, after it dropped it, if a token is found in it. */
  drop(): Promise<void>;
}

export const STORES: { name: "pglite" | "postgres"; fresh: () => Promise<FreshStore> }[] = [
  { name: "pglite", fresh: freshPglite },
  { name: "postgres", fresh: freshPostgres },
];

/** The same without a table in them. */
export const EMPTY_STORES: { name: "pglite" | "postgres"; empty: () => Promise<FreshStore> }[] = [
  { name: "pglite", empty: emptyPglite },
  { name: "postgres", empty: emptyPostgres },
];

async function emptyPglite(): Promise<FreshStore> {
  const dataDir = newDataFolder();
  return droppable({ dataDir }, async () => removeData(dataDir));
}

/** It has every table: making them costs a second, and is itself tested where a start is. */
export async function freshPglite(): Promise<FreshStore> {
  const dataDir = copyTemplate(inject("pgliteTemplate"));
  return droppable({ dataDir }, async () => removeData(dataDir));
}

/** As above. */
export function freshPostgres(): Promise<FreshStore> {
  return newDatabase(`template ${inject("postgresTemplate")}`);
}

/** Without a table in it. */
export function emptyPostgres(): Promise<FreshStore> {
  return newDatabase();
}

async function newDatabase(options = ""): Promise<FreshStore> {
  const base = inject("postgresUrl");
  const name = `capstan_${randomUUID().replaceAll("-", "")}`;
  await onServer(base, `create database ${name} ${options}`);
  const dataDir = newDataFolder();
  return droppable({ dataDir, url: databaseUrl(base, name) }, async () => {
    removeData(dataDir);
    await onServer(base, `drop database if exists ${name} with (force)`);
  });
}

function droppable(place: Omit<FreshStore, "drop">, remove: () => Promise<void>): FreshStore {
  return {
    ...place,
    async drop() {
      const found = await searchStore(place).finally(remove);
      if (found.length > 0) throw new Error(`tokens were left in the clear: ${found.join(", ")}`);
    },
  };
}
