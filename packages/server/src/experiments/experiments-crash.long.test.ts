/** A server that is killed in the middle of an experiment: the next one finishes it, each cell once, by its own scores. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LlmRequest, llmEnvironment, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { serverProcess } from "../../../../tools/server-process.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { obeyPlan } from "../replays/fixtures/shop.ts";

const ITEMS = 6;
const VARIANTS = 2;
const CELLS = ITEMS * VARIANTS;

const isJudge = ({ messages }: LlmRequest): boolean =>
  String(messages.find(({ role }) => role === "system")?.content ?? "").startsWith("You judge");

describe.each(STORES)("an experiment on $name", ({ fresh }) => {
  test("kill -9 loses no cell and counts none twice, also one that waits for its judge", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHolding = true;
    let judged = 0;
    // Three cells are judged; then judges are silent until the process is killed.
    const llm = await scriptedLlm((request) => {
      if (!isJudge(request)) return obeyPlan(request);
      const reply = { text: ['{"score": 1}'], usage: { prompt_tokens: 100, completion_tokens: 5 } };
      if (!isHolding) return reply;
      judged++;
      return judged <= 3 ? reply : { text: ["never", " said"], until: held };
    });
    const folder = mkdtempSync(join(tmpdir(), "capstan-experiment-"));
    const fixture = fileURLToPath(new URL("../replays/fixtures/shop.ts", import.meta.url));
    const config = `import { shop } from ${JSON.stringify(fixture)};\nexport default { capabilities: [shop] };\n`;
    writeFileSync(join(folder, "capstan.config.ts"), config);
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
    const agent = await first.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["shop"] });
    const dataset = await first.call("POST", "/v1/datasets", { name: "cases" });
    const items = Array.from({ length: ITEMS }, (_, at) => ({
      id: `case ${at}`,
      input: `refund ${at}; say Refunded ${at}.`,
      expected: `Refunded ${at}.`,
      stubs: [{ tool: "refund", output: "ok" }],
    }));
    await first.call("POST", `/v1/datasets/${dataset.body.id}/items`, { items });
    const made = await first.call("POST", "/v1/experiments", {
      dataset_id: dataset.body.id,
      agent_id: agent.body.id,
      variants: [{}, { name: "worse", system_prompt: "say:Done." }],
      scorers: [{ type: "exact" }, { type: "judge", prompt: "Good?" }],
      concurrency: 2,
    });
    const at = `/v1/experiments/${made.body.id}`;
    const progress = async () => (await first.call("GET", at)).body.progress;
    await expect.poll(async () => (await progress()).done, { timeout: 30_000 }).toBe(3);
    await expect.poll(() => judged, { timeout: 30_000 }).toBe(5); // two more wait for their judge
    await first.end("SIGKILL");
    isHolding = false;
    release();
    const second = await serverProcess(store, environment, folder);
    onTestFinished(() => second.end());
    const report = async () => (await second.call("GET", at)).body;
    await expect.poll(async () => (await report()).status, { timeout: 90_000 }).toBe("done");
    const { progress: counts, figures } = await report();
    expect(counts).toMatchObject({ total: CELLS, done: CELLS, failed: 0 });
    expect(figures.variants).toMatchObject([
      {
        cells: ITEMS,
        scorers: [
          { scorer: "exact", mean: 1, items: ITEMS },
          { mean: 1, items: ITEMS },
        ],
      },
      {
        cells: ITEMS,
        scorers: [
          { scorer: "exact", mean: 0 },
          { scorer: "judge", mean: 1 },
        ],
      },
    ]);
    const cells = (await second.call("GET", `${at}/cells`)).body.items;
    const keys = cells.map(
      ({ item_id, variant, repeat }: Record<string, unknown>) => `${item_id} ${variant} ${repeat}`,
    );
    expect(new Set(keys).size).toBe(CELLS);
    expect(keys).toHaveLength(CELLS);
  }, 180_000);
});
