/** A replay keeps to its limits: what it may spend, how much of it runs at once, and which capabilities are on trial. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

/** How many answers are under way, the most there were, and what they wait for. */
let [current, most] = [0, 0];
let held: Promise<void> = Promise.resolve();
const dear = scriptedModel(
  async () => {
    most = Math.max(most, ++current);
    await held;
    current--;
    return [{ text: "Done." }];
  },
  { name: "test/dear", label: "test/dear", prices: { input: 1_000_000, output: 0 } }, // ten dollars an answer
);
const seenTools: string[][] = [];
const curious = scriptedModel(
  ({ tools = [] }) => {
    seenTools.push(tools.map(({ name }) => name));
    return [{ text: "Done." }];
  },
  { name: "test/curious", label: "test/curious" },
);
const capability = (id: string) =>
  defineCapability({
    id,
    name: id,
    description: `The ${id}.`,
    tools: [
      defineTool({ name: `${id}_look`, description: "Looks.", input: z.object({}), run: () => ok("seen") }),
    ],
  });

describe.each(STORES)("a replay on $name", ({ fresh }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(
      await fresh(),
      {},
      {
        config: { capabilities: [capability("garden"), capability("cellar")] },
        models: { "test/dear": dear, "test/curious": curious },
      },
    );
  });
  afterAll(async () => {
    await server?.stop();
  });

  const record = async (model: string, count: number): Promise<string[]> => {
    const agent = { name: "Clerk", model, capabilities: ["garden"] };
    const { id } = (await server.call("POST", "/v1/agents", agent)).body;
    const runs: string[] = [];
    for (let at = 0; at < count; at++) {
      const session = (await server.call("POST", "/v1/sessions", { agent_id: id })).body.id;
      const { run_id } = (await server.call("POST", `/v1/sessions/${session}/messages`, { content: "Hi" }))
        .body;
      const status = async () => (await server.call("GET", `/v1/runs/${run_id}`)).body.status;
      await expect.poll(status, { timeout: 20_000 }).toBe("done");
      runs.push(run_id);
    }
    return runs;
  };
  const replay = async (body: object) => {
    const made = await server.call("POST", "/v1/replays", body);
    expect(made.status).toBe(202);
    const get = async () => (await server.call("GET", `/v1/replays/${made.body.id}`)).body;
    await expect.poll(async () => (await get()).status, { timeout: 20_000 }).not.toBe("running");
    return get();
  };

  test("starts no further run when its budget is spent, and says how many it left out", async () => {
    const runs = await record("test/dear", 5);
    const done = await replay({ runs, with: {}, concurrency: 1, budget_usd: 15 });
    expect(done.progress).toMatchObject({ total: 5, done: 2, skipped: 3 });
    expect(done.cost_usd).toBe(20);
  });

  test.each([1, 2])("replays %d at once when it may, and no more", async (concurrency) => {
    const runs = await record("test/dear", 4);
    let proceed = () => {};
    held = new Promise((resolve) => {
      proceed = resolve;
    });
    [current, most] = [0, 0];
    const replaying = replay({ runs, with: {}, concurrency });
    await expect.poll(() => current, { timeout: 20_000 }).toBe(concurrency);
    proceed();
    expect((await replaying).progress.done).toBe(4);
    expect(most).toBe(concurrency);
  });

  test("gives the model the capabilities on trial beside the agent's own", async () => {
    const runs = await record("test/curious", 1);
    seenTools.length = 0;
    const done = await replay({ runs, with: { capabilities: ["cellar"] } });
    expect(done.verdicts.same).toBe(1);
    expect(seenTools[0]).toEqual(expect.arrayContaining(["garden_look", "cellar_look"]));
    await replay({ runs, with: {} });
    expect(seenTools[1]).not.toContain("cellar_look");
  });
});
