import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let store: FreshStore;
let server: TestServer;
let log: string;
beforeAll(async () => {
  store = await freshPglite();
  log = join(store.dataDir, "telemetry.jsonl");
  server = await testServer(store, { CAPABILITY_TELEMETRY_LOG_FILE: log });
});
afterAll(() => server.stop());

const telemetry = async (query = "") => (await server.call("GET", `/api/execution-telemetry${query}`)).body;

test("one step's record has the specification's fields and no others, also in the log file", async () => {
  await server.call("POST", "/api/execute-task", { task: "suggest a name for my bakery" });
  const { records } = await telemetry("?limit=1");
  expect(records).toEqual([
    {
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      capabilityId: "company.name",
      step: 1,
      latencyMs: expect.any(Number),
      failureClass: "success",
      fallbackUsed: false,
      ...(records[0].status !== undefined && { status: 200 }),
    },
  ]);
  await expect
    .poll(() =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    )
    .toContainEqual(records[0]);
});

test("a dry run is recorded as such and does not count in the success rate", async () => {
  const before = (await telemetry()).summary;
  await server.call("POST", "/api/execute-task", { task: "suggest a name for my bakery", dryRun: true });
  const { summary, records } = await telemetry("?limit=1");
  expect(records[0]).toMatchObject({ failureClass: "dry_run" });
  expect(summary.successRate).toBe(before.successRate);
});

test("the last 500 are kept in memory, all of them in the database", async () => {
  const entry = {
    ts: new Date().toISOString(),
    capabilityId: "ring",
    step: 1,
    latencyMs: 1,
    failureClass: "success" as const,
    fallbackUsed: false,
  };
  for (let i = 0; i < 600; i++) server.services.telemetry.record(entry, { path: "task", tool: "ring" });
  expect((await telemetry()).summary.total).toBe(500);
  await server.services.telemetry.flush();
  const { rows } = await server.services.database.pool.query(
    "select count(*)::int as n from call_history where capability_id = 'ring'",
  );
  expect(rows[0].n).toBe(600);
});

test.each([
  ["", 25],
  ["?limit=3", 3],
  ["?limit=200", 200],
  ["?limit=9999", 200],
  ["?limit=0", 25],
  ["?limit=abc", 25],
])("with %j, %i records are returned", async (query, count) => {
  const { status, body } = await server.call("GET", `/api/execution-telemetry${query}`);
  expect([status, body.records.length]).toEqual([200, count]);
});
