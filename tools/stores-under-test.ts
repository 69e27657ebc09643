/** Both stores, fresh for each caller: `describe.each(STORES)("on $name", ({ fresh }) => ...)`. */
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { copyTemplate, newDataFolder, removeData } from "./data-folders.ts";
import { databaseUrl, onServer } from "./real-parts.ts";

/** Where a server or a database can be opened: pass it to `openDatabase` or to the server's settings. */
export interface FreshStore {
  readonly dataDir: string;
  readonly url?: string;
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
  return { dataDir, drop: async () => removeData(dataDir) };
}

/** It has every table: making them costs a second, and is itself tested where a start is. */
export async function freshPglite(): Promise<FreshStore> {
  const dataDir = copyTemplate(inject("pgliteTemplate"));
  return { dataDir, drop: async () => removeData(dataDir) };
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
  return {
    dataDir,
    url: databaseUrl(base, name),
    drop: async () => {
      removeData(dataDir);
      await onServer(base, `drop database if exists ${name} with (force)`);
    },
  };
}
