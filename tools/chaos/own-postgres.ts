/** A separate Postgres for one test, which can be restarted without affecting others. */
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { reachablePostgres } from "../reachable-postgres.ts";
import type { RestartablePostgres } from "./chaos.ts";

export interface OwnPostgres extends RestartablePostgres {
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** A streaming replica of what is there by now; a short restart is needed to copy it. */
  replica(): Promise<{ readonly url: string; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-chaos-pg-"));
  chmodSync(folder, 0o755); // Postgres refuses root and runs as another user, who must get in
  const port = await freePort();
  const EmbeddedPostgres = await reachablePostgres(folder);
  const newServer = (name: string, at: number) =>
    new EmbeddedPostgres({
      initdbFlags: ["--encoding=UTF8"], // without a locale in the environment it would be SQL_ASCII
      databaseDir: join(folder, name),
      user: "postgres",
      password: "postgres",
      port: at,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      postgresFlags: ["-c", "max_connections=200"],
      onLog: () => {},
      onError: () => {},
    });
  const server = newServer("postgres", port);
  await server.initialise();
  await server.start();
  const url = (at: number) => `postgres://postgres:postgres@127.0.0.1:${at}/postgres`;
  return {
    port,
    url,
    async replica() {
      await server.stop();
      const copy = join(folder, "replica");
      execFileSync("cp", ["-a", join(folder, "postgres"), copy]); // with its owner
      appendFileSync(join(copy, "standby.signal"), "");
      const from = `host=127.0.0.1 port=${port} user=postgres password=postgres`;
      appendFileSync(join(copy, "postgresql.auto.conf"), `primary_conninfo = '${from}'\n`);
      await server.start();
      const at = await freePort();
      const standby = newServer("replica", at);
      standby.start().catch(() => {}); // it waits for words that a replica does not say
      await answering(url(at));
      return { url: url(at), stop: () => standby.stop() };
    },
    async restart() {
      await server.stop();
      await server.start();
    },
    pause: () => server.stop(),
    resume: () => server.start(),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
