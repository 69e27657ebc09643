import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { serverProcess } from "../../../../tools/server-process.ts";
import { freshPostgres } from "../../../../tools/stores-under-test.ts";

const TAKEN_OVER_MS = 90_000; // a lease of 15 s, a look every 5 s, and a start of the server on a busy machine

test("a task whose server is killed is finished by the next one, under the same key", async () => {
  let hits = 0;
  const site = createServer((_request, response) => {
    hits++;
    response.setHeader("content-type", "text/html");
    if (hits > 1) response.end("<p>High water at noon is what every sailor waits for today.</p>");
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const store = await freshPostgres();
  const task = { task: `fetch this url http://${host}/tides` };
  const key = { "idempotency-key": "killed-in-the-middle" };

  const first = await serverProcess(store, { CAPSTAN_ALLOW_HOSTS: host });
  const answer = first.call("POST", "/api/execute-task", task, key).catch(() => "gone");
  await expect.poll(() => hits, { timeout: 20_000 }).toBe(1);
  await first.end("SIGKILL");
  expect(await answer).toBe("gone");

  const second = await serverProcess(store, { CAPSTAN_ALLOW_HOSTS: host });
  const ask = () => second.call("POST", "/api/execute-task", task, key);
  await expect.poll(async () => (await ask()).status, { timeout: TAKEN_OVER_MS, interval: 1000 }).toBe(200);
  const { body } = await ask();
  expect(body).toMatchObject({ status: "ok", diagnostics: { failures: [] } });
  expect(JSON.stringify(body.execution.steps[0].data)).toContain("High water");
  expect(hits).toBe(2);
  await second.end();
  site.closeAllConnections();
  site.close();
  await store.drop();
}, 180_000);
