/** A Postgres of this test's own, which can be restarted without hurting other tests. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reachablePostgres } from "../reachable-postgres.ts";
import type { RestartablePostgres } from "./chaos.ts";

export interface OwnPostgres extends RestartablePostgres {
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-chaos-pg-"));
  chmodSync(folder, 0o755); // Postgres refuses root and runs as another user, who must get in
  const port = await freePort();
  const EmbeddedPostgres = await reachablePostgres(folder);
  const server = new EmbeddedPostgres({
    ...{ databaseDir: join(folder, "postgres"), user: "postgres", password: "postgres", port },
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "max_connections=200"],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    port,
    url: (at) => `postgres://postgres:postgres@127.0.0.1:${at}/postgres`,
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

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
