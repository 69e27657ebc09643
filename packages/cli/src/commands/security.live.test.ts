/** What an operator types to learn what the server promises, and whether its audit log is as it was written. */
import { chmodSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let store: FreshStore;
beforeAll(async () => {
  store = await freshPglite();
  server = await testServer(store);
  await server.call("POST", "/v1/agents", { name: "A", capabilities: ["noop"] });
  await server.call("POST", "/v1/keys", { name: "k", owner: "ann@example.com", rights: ["read"] });
});
afterAll(() => server.stop());

const capstan = (...args: string[]) => typeCommand(server.url, args);

test("doctor --security says what holds and what does not, with the next step, as the status does", async () => {
  const { code, out } = await capstan("doctor", "--security");
  const { security } = (await server.call("GET", "/v1/status")).body;
  for (const { what, detail, next_step } of security) {
    expect(out).toContain(what);
    expect(out).toContain(detail);
    if (next_step !== undefined) expect(out).toContain(next_step);
  }
  expect(code, "the secret lies in the data folder of a test").toBe(1);
  expect(JSON.parse((await capstan("doctor", "--security", "--json")).out)).toEqual({ security });
});

test.each([
  ["755", true],
  ["775", false],
  ["757", false],
])("of a data folder with mode %s, doctor says only whether others can write to it", async (mode, holds) => {
  chmodSync(store.dataDir, Number.parseInt(mode, 8));
  const { security } = JSON.parse((await capstan("doctor", "--security", "--json")).out);
  const line = { what: "the data folder is writable only by its owner", holds };
  expect(security).toContainEqual(expect.objectContaining(line));
  chmodSync(store.dataDir, 0o700);
});

test("audit verify says that the log is intact, and names the row that somebody changed", async () => {
  const before = await capstan("audit", "verify");
  expect(before).toMatchObject({ code: 0, out: expect.stringMatching(/intact: \d+ rows match their chain/) });
  const { pool } = server.services.database;
  await pool.query("alter table audit_log disable trigger user");
  await pool.query("update audit_log set actor = 'nobody@example.com' where action = 'agent.created'");
  const after = await capstan("audit", "verify");
  expect(after).toMatchObject({
    code: 1,
    out: expect.stringMatching(/Row \d+ does not match: it was changed/),
  });
  expect(JSON.parse((await capstan("audit", "verify", "--json")).out)).toMatchObject({ intact: false });
});
