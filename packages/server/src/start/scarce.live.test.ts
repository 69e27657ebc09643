/** First starts with scarce resources: disk space, open files. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type SpawnedServer, spawnServer } from "../../../../tools/server-process.ts";
import { smallDisk } from "../../../../tools/small-disk.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const disk = smallDisk(8);
test.skipIf(disk === undefined)(
  "a first start on a full disk says so, and works once there is space",
  async () => {
    undo.push(() => disk?.close());
    const dataDir = join(disk?.folder ?? "", "data");
    await expect(started(dataDir).ready).rejects.toThrow(/no space left on the disk\n {2}Free some/);
    disk?.remount("size=400m");
    expect((await (await started(dataDir).ready).call("GET", "/ready")).status).toBe(200);
  },
);

test.skipIf(process.platform === "win32").each([24, 100])(
  "a limit of %d open files is reported with what helps, not with advice to restore",
  async (limit) => {
    const dataDir = mkdtempSync(join(tmpdir(), "capstan-data-"));
    undo.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const { ready } = started(dataDir, withOpenFiles(limit));
    await expect(ready).rejects.toThrow(
      /open files is too low: it is \d+, and the server needs[\s\S]*ulimit -n/,
    );
  },
);

test.skipIf(process.platform === "win32")(
  "the embedded store leaves the server enough of 128 open files to start and to answer",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "capstan-data-"));
    undo.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const { call } = await started(dataDir, withOpenFiles(128)).ready;
    for (const path of [
      "agents",
      "capabilities",
      "sessions",
      "schedules",
      "usage",
      "rules",
      "budgets",
      "packages",
    ])
      expect((await call("GET", `/v1/${path}`)).status).toBe(200);
  },
);

const withOpenFiles =
  (limit: number) =>
  (program: string, args: readonly string[]): [string, string[]] => [
    "sh",
    ["-c", `ulimit -n ${limit}; exec "$0" "$@"`, program, ...args],
  ];

function started(
  dataDir: string,
  command?: (program: string, args: readonly string[]) => [string, string[]],
): SpawnedServer {
  const server = spawnServer({ dataDir }, {}, undefined, undefined, command);
  undo.push(() => server.end());
  return server;
}
