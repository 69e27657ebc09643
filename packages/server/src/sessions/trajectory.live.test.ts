/** A conversation as an ATIF trajectory: complete, in order, and as the format demands. */
import { Trajectory } from "@capstan/client/wire";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { obeyPlan, shop } from "../replays/fixtures/shop.ts";

describe.each(STORES)("a trajectory on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let session: string;
  const runs: string[] = [];
  beforeAll(async () => {
    llm = await scriptedLlm(obeyPlan);
    server = await testServer(await fresh(), llmEnvironment(llm), { config: { capabilities: [shop] } });
    const agent = (await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["shop"] })).body
      .id;
    session = (await server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
    for (const content of ["find_order 1; refund 1 20; say One.", "say Two."]) {
      const { run_id } = (await server.call("POST", `/v1/sessions/${session}/messages`, { content })).body;
      const status = async () => (await server.call("GET", `/v1/runs/${run_id}`)).body.status;
      await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000 });
      runs.push(run_id);
    }
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });
  const read = async (query = "") =>
    (await server.call("GET", `/v1/sessions/${session}/trajectory${query}`)).body;

  test("has every message, call and result, in order, and validates against the format", async () => {
    const told = Trajectory.parse(await read());
    expect(told).toMatchObject({ session_id: session, agent: { name: "Clerk", version: "revision 1" } });
    expect(told.steps.map(({ step_id, source, message }) => [step_id, source, message])).toEqual([
      [1, "user", "find_order 1; refund 1 20; say One."],
      [2, "agent", ""],
      [3, "agent", ""],
      [4, "agent", "One."],
      [5, "user", "say Two."],
      [6, "agent", "Two."],
    ]);
    const [, find] = told.steps;
    expect(find?.tool_calls).toMatchObject([{ function_name: "find_order", arguments: { id: "1" } }]);
    expect(find?.observation?.results).toEqual([
      { source_call_id: find?.tool_calls?.[0]?.tool_call_id, content: '{"order":"1","by":"find_order"}' },
    ]);
  });

  test("keeps the rules between fields: numbered from 1, results of calls of the same step, agent's fields on agent's steps", async () => {
    const { steps, final_metrics } = Trajectory.parse(await read());
    expect(steps.map(({ step_id }) => step_id)).toEqual(steps.map((_, at) => at + 1));
    for (const { source, tool_calls = [], observation, metrics, reasoning_content, model_name } of steps) {
      const calls = tool_calls.map(({ tool_call_id }) => tool_call_id);
      for (const { source_call_id } of observation?.results ?? []) expect(calls).toContain(source_call_id);
      if (source !== "agent")
        expect([tool_calls, metrics, reasoning_content, model_name]).toEqual([
          [],
          undefined,
          undefined,
          undefined,
        ]);
    }
    const used = steps.reduce((sum, { metrics }) => sum + (metrics?.prompt_tokens ?? 0), 0);
    expect(used).toBeGreaterThan(0);
    expect(final_metrics).toMatchObject({ total_prompt_tokens: used, total_steps: steps.length });
  });

  test("of one run has that run alone", async () => {
    const told = Trajectory.parse(await read(`?run_id=${runs[1]}`));
    expect(told.trajectory_id).toBe(runs[1]);
    expect(told.steps.map(({ message }) => message)).toEqual(["say Two.", "Two."]);
  });

  test("is nobody else's, and is printed by the command line", async () => {
    const key = { name: "k", owner: "eve@example.com", rights: ["read"] };
    const eve = { authorization: `Bearer ${(await server.call("POST", "/v1/keys", key)).body.key}` };
    expect((await server.call("GET", `/v1/sessions/${session}/trajectory`, undefined, eve)).status).toBe(404);
    const { out } = await typeCommand(server.url, ["sessions", "trajectory", session]);
    expect(Trajectory.parse(JSON.parse(out)).steps).toHaveLength(6);
  });
});
