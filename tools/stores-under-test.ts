/** Both stores, fresh for each caller: `describe.each(STORES)("on $name", ({ fresh }) => ...)`. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import pg from "pg";
import { inject } from "vitest";
import { copyTemplate } from "./real-parts.ts";

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

export async function freshPglite(): Promise<FreshStore> {
  const dataDir = copyTemplate(inject("pgliteTemplate"));
  return { dataDir, drop: async () => rmSync(dataDir, { recursive: true, force: true }) };
}

export async function freshPostgres(): Promise<FreshStore> {
  const base = inject("postgresUrl");
  const name = `capstan_${randomUUID().replaceAll("-", "")}`;
  await onServer(base, `create database ${name}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  const { dataDir, drop } = await freshPglite();
  return {
    dataDir,
    url: url.href,
    drop: async () => {
      await drop();
      await onServer(base, `drop database if exists ${name} with (force)`);
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
