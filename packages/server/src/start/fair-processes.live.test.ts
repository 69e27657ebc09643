/** Two server processes on one Postgres with few places for runs: a user's share is of both together. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { emptyPostgres, type FreshStore } from "../../../../tools/stores-under-test.ts";

const [ANN, BOB, EVE] = ["ann@example.com", "bob@example.com", "eve@example.com"] as const;
const WAITING = 3;

let store: FreshStore;
let llm: ScriptedLlm;
let a: ServerProcess;
let b: ServerProcess;
let listener: pg.Client;
let agentId: string;
const keys = new Map<string, string>();
/** What was asked of the model, in order. */
const asked: string[] = [];
const held = new Map<string, PromiseWithResolvers<void>>();
/** Milliseconds of ann that were told to the other process. */
let told = 0;

beforeAll(async () => {
  llm = await scriptedLlm(({ messages }) => {
    const text = JSON.stringify(messages.at(-1)?.content);
    const name = /(?:ann|bob|eve) at [ab]/.exec(text)?.[0] ?? text;
    asked.push(name);
    return { text: ["Yes", "."], until: held.get(name)?.promise ?? Promise.resolve() };
  });
  store = await emptyPostgres();
  const environment = { ...llmEnvironment(llm), CAPSTAN_RUNS_AT_ONCE: "1" };
  a = await serverProcess(store, environment);
  b = await serverProcess(store, environment);
  agentId = (await a.call("POST", "/v1/agents", { name: "Helper" })).body.id;
  for (const email of [ANN, BOB, EVE]) {
    await a.call("PUT", `/v1/users/${email}`, { scopes: ["*"] });
    const key = { name: email, owner: email, rights: ["admin"] };
    const headers = keys.size === 0 ? undefined : { authorization: `Bearer ${[...keys.values()][0]}` };
    keys.set(email, (await a.call("POST", "/v1/keys", key, headers)).body.key);
  }
  listener = new pg.Client({ connectionString: store.url });
  await listener.connect();
  listener.on("notification", ({ payload = "" }) => {
    for (const word of payload.split(",").filter((each) => each.startsWith("%"))) {
      const { used } = JSON.parse(Buffer.from(word.slice(1), "base64url").toString());
      for (const [, name, ms] of used) if (name === ANN) told += ms;
    }
  });
  await listener.query("listen capstan_runs");
}, 120_000);
afterAll(async () => {
  await listener?.end();
  await Promise.all([a, b].map((server) => server?.end("SIGKILL")));
  await llm?.close();
  await store?.drop();
});

async function send(server: ServerProcess, user: string, content: string): Promise<void> {
  const headers = { authorization: `Bearer ${keys.get(user)}` };
  const { body } = await server.call("POST", "/v1/sessions", { agent_id: agentId }, headers);
  const sent = await server.call("POST", `/v1/sessions/${body.id}/messages`, { content }, headers);
  expect(sent.status).toBe(202);
}

test("who uses another process is not first in the line of this one", { timeout: 60_000 }, async () => {
  for (const name of ["ann at a", "eve at b"]) held.set(name, Promise.withResolvers());
  await send(a, ANN, "ann at a"); // keeps the only place of one process
  await send(b, EVE, "eve at b"); // keeps that of the other until everybody else waits
  await expect.poll(() => asked.toSorted(), { timeout: 20_000 }).toEqual(["ann at a", "eve at b"]);
  for (let at = 0; at < WAITING; at++) await send(b, ANN, "ann at b");
  for (let at = 0; at < WAITING; at++) await send(b, BOB, "bob at b");
  await expect.poll(() => told, { timeout: 20_000 }).toBeGreaterThan(3_000);
  held.get("eve at b")?.resolve();
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(2 + 2 * WAITING);
  const order = asked.slice(2);
  expect(order).toEqual([...Array(WAITING).fill("bob at b"), ...Array(WAITING).fill("ann at b")]);
  held.get("ann at a")?.resolve();
});
