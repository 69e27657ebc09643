/** A server that is killed in the middle of a replay: after the next start each run is compared, and each once. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { llmEnvironment, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { serverProcess } from "../../../../tools/server-process.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { obeyPlan } from "./fixtures/shop.ts";

const RUNS = 8;

test("kill -9 in the middle of a replay loses no run and counts none twice", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let replayed = 0;
  let isReplaying = false;
  // The first answers of the replay come; then the model is silent until the process is killed.
  const llm = await scriptedLlm((request) => {
    const reply = obeyPlan(request);
    if (!isReplaying || !reply.text) return reply;
    replayed++;
    return replayed <= 3 ? reply : { text: ["never", " said"], until: held };
  });
  const folder = mkdtempSync(join(tmpdir(), "capstan-replay-"));
  const fixture = fileURLToPath(new URL("./fixtures/shop.ts", import.meta.url));
  const config = `import { shop } from ${JSON.stringify(fixture)};\nexport default { capabilities: [shop] };\n`;
  writeFileSync(join(folder, "capstan.config.ts"), config);
  const store = await freshPglite();
  const environment = { HOME: folder, PATH: dirname(process.execPath), ...llmEnvironment(llm) };
  const first = await serverProcess(store, environment, folder);
  onTestFinished(async () => {
    release();
    await first.end("SIGKILL");
    await llm.close();
    await store.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const agent = await first.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["shop"] });
  const runIds: string[] = [];
  for (let id = 1; id <= RUNS; id++) {
    const { body } = await first.call("POST", "/v1/sessions", { agent_id: agent.body.id });
    const content = `refund ${id}; say Refunded ${id}.`;
    const sent = await first.call("POST", `/v1/sessions/${body.id}/messages`, { content });
    runIds.push(sent.body.run_id);
    const status = async () => (await first.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    await expect.poll(status, { timeout: 30_000 }).toBe("done");
  }
  isReplaying = true;
  const made = await first.call("POST", "/v1/replays", { runs: runIds, with: {}, concurrency: 2 });
  const at = `/v1/replays/${made.body.id}`;
  const done = async () => (await first.call("GET", at)).body.progress;
  await expect.poll(async () => (await done()).done, { timeout: 30_000 }).toBe(3);
  await expect.poll(() => replayed, { timeout: 30_000 }).toBe(5); // two more are under way
  await first.end("SIGKILL");
  isReplaying = false;
  release();
  const second = await serverProcess(store, environment, folder);
  onTestFinished(() => second.end());
  const report = async () => (await second.call("GET", at)).body;
  await expect.poll(async () => (await report()).status, { timeout: 40_000 }).toBe("done");
  const { progress, verdicts, comparisons } = await report();
  expect(progress).toMatchObject({ total: RUNS, done: RUNS, failed: 0 });
  expect(verdicts).toEqual({ same: RUNS, changed: 0, diverged: 0 });
  expect(comparisons.map(({ run_id }: { run_id: string }) => run_id)).toEqual([...runIds].sort());
}, 120_000);
