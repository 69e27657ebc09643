/** A server that is killed while it scores live runs: another one scores the rest, each run once, and raises the alert once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LlmRequest, llmEnvironment, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { serverProcess } from "../../../../tools/server-process.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";

const RUNS = 6; // of each revision

const systemOf = ({ messages }: LlmRequest): string =>
  String(messages.find(({ role }) => role === "system")?.content ?? "");

describe.each(STORES)("a monitor on $name", ({ fresh }) => {
  test("kill -9 loses no run and scores none twice; the run itself waits for nobody", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHolding = true;
    let judged = 0;
    // Two runs are judged; then judges are silent until the process is killed.
    const llm = await scriptedLlm((request) => {
      const system = systemOf(request);
      if (!system.startsWith("You judge"))
        return { text: [system.includes("rude") ? "No." : "Yes, gladly."] };
      const isKind = JSON.stringify(request.messages.at(-1)).includes("gladly");
      const reply = { text: [`{"score": ${isKind ? 1 : 0}}`] };
      if (!isHolding) return reply;
      judged++;
      return judged <= 2 ? reply : { text: ["never", " said"], until: held };
    });
    const folder = mkdtempSync(join(tmpdir(), "capstan-monitor-"));
    const store = await fresh();
    const environment = { HOME: folder, PATH: dirname(process.execPath), ...llmEnvironment(llm) };
    const first = await serverProcess(store, environment, folder);
    onTestFinished(async () => {
      release();
      await first.end("SIGKILL");
      await llm.close();
      await store.drop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    });
    const agent = await first.call("POST", "/v1/agents", { name: "Clerk", system_prompt: "Be kind." });
    const made = await first.call("POST", "/v1/monitors", {
      name: "kind",
      agent_id: agent.body.id,
      scorers: [{ type: "judge", prompt: "Is it kind?" }],
      share: 100,
      budget_usd: null,
      every_runs: 5,
    });
    expect(made.status).toBe(201);
    const runs = async () => {
      for (let at = 0; at < RUNS; at++) {
        const { body } = await first.call("POST", "/v1/sessions", { agent_id: agent.body.id });
        const sent = await first.call("POST", `/v1/sessions/${body.id}/messages`, { content: "May I?" });
        const status = async () => (await first.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
        await expect.poll(status, { timeout: 30_000 }).toBe("done"); // also while every judge hangs
      }
    };
    await runs();
    const at = `/v1/monitors/${made.body.id}`;
    await expect.poll(() => judged, { timeout: 30_000 }).toBe(4); // two more wait for their judge
    await expect.poll(async () => (await first.call("GET", at)).body.runs.done).toBe(2);
    await first.call("PATCH", `/v1/agents/${agent.body.id}`, { system_prompt: "Be rude." });
    await runs();
    await first.end("SIGKILL");
    isHolding = false;
    release();
    const second = await serverProcess(store, environment, folder);
    onTestFinished(() => second.end());
    const monitor = async () => (await second.call("GET", at)).body;
    await expect.poll(async () => (await monitor()).runs.done, { timeout: 90_000 }).toBe(2 * RUNS);
    await expect.poll(async () => (await monitor()).open_alerts, { timeout: 30_000 }).toBe(1);
    expect(await monitor()).toMatchObject({
      runs: { queued: 0, running: 0, failed: 0, skipped: 0 },
      revisions: [
        { revision: 2, runs: RUNS, scorers: [{ mean: 0, items: RUNS }] },
        { revision: 1, runs: RUNS, scorers: [{ mean: 1, items: RUNS }] },
      ],
    });
    const scores = (await second.call("GET", `${at}/scores`)).body.items;
    expect(new Set(scores.map(({ run_id }: { run_id: string }) => run_id)).size).toBe(2 * RUNS);
  }, 180_000);
});
