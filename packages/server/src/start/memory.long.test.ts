import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getHeapSpaceStatistics } from "node:v8";
import { afterEach, describe, expect, test } from "vitest";
import { memoryLimit } from "../../../../tools/memory-limit.ts";
import { oneTurn } from "../../../../tools/one-turn.ts";
import { type SpawnedServer, spawnServer } from "../../../../tools/server-process.ts";
import { releaseStartMemory } from "./release-start-memory.ts";

const servers: SpawnedServer[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("a first start with the embedded store", () => {
  test.skipIf(process.platform !== "linux")("needs less than 500 MB at its peak", async () => {
    const server = start();
    await server.ready;
    const status = readFileSync(`/proc/${server.child.pid}/status`, "latin1");
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024).toBeLessThan(500);
  });

  const limit = memoryLimit(512);
  test.skipIf(limit === undefined)("runs in a container of 512 MB, and answers there", async () => {
    const server = start(limit?.command);
    expect(await oneTurn(await server.ready)).toContain("RUN_FINISHED");
    expect(limit?.kills()).toBe(0);
    await server.end();
    limit?.close();
  });
});

/** For each function that V8 optimised: how many bytes the compiler took. */
const OPTIMISED = /using TurboFan, took \d+ ms and (\d+)/g;
const PARSER_BYTES = 100e6; // the parser takes 600 MB, the next one 40

test("once the start is over, Postgres' functions are optimised, except its parser", async () => {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const server = start(undefined, ["--trace-wasm-compilation-times", main]);
  let said = "";
  server.child.stdout?.on("data", (bytes) => {
    said += bytes;
  });
  const optimised = () => [...said.matchAll(OPTIMISED)].map(([, bytes]) => Number(bytes));
  const { call } = await server.ready;
  while (optimised().length < 100) await call("GET", "/v1/agents");
  expect(Math.max(...optimised())).toBeLessThan(PARSER_BYTES);
});

test("after the start, the young generation is small again", async () => {
  let kept: object[] = [];
  for (let at = 0; at < 2_000_000; at++) {
    kept.push({ at });
    if (kept.length > 200_000) kept = [];
  }
  const before = youngBytes();
  await releaseStartMemory();
  expect(youngBytes()).toBeLessThan(before / 2);
});

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;

function start(
  command?: (program: string, args: readonly string[]) => [string, string[]],
  program?: readonly string[],
): SpawnedServer {
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-data-"));
  folders.push(dataDir);
  const server = spawnServer({ dataDir }, {}, undefined, program, command);
  servers.push(server);
  return server;
}
