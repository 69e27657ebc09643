/** A simulation and an explanation decide a recorded call on the path it took: of a sub-agent, not of the loop. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("recorded calls on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  beforeAll(async () => {
    llm = await scriptedLlm(({ messages, tools = [] }) => {
      if (messages.at(-1)?.role === "tool") return { text: ["done"] };
      const delegate = tools
        .map(({ function: { name } }) => name)
        .find((name) => name.startsWith("delegate_to"));
      if (delegate) return { calls: [{ id: "c1", name: delegate, input: { task: "add" } }] };
      return { calls: [{ id: "c2", name: "add", input: { a: 1, b: 2 } }] };
    });
    server = await testServer(await fresh(), llmEnvironment(llm));
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });

  test("are decided on the path of their run", async () => {
    const clerk = (await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["test_math"] }))
      .body.id;
    const boss = (await server.call("POST", "/v1/agents", { name: "Boss", capabilities: [`agent.${clerk}`] }))
      .body.id;
    const deny = {
      name: "Sub-agents do not add",
      tools: ["add"],
      when: [{ path: "subagent" }],
      then: "deny",
    };
    for (const agent of [clerk, boss]) {
      const session = (await server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
      const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content: "add" });
      const status = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
      await expect.poll(status, { timeout: 20_000 }).toBe("done");
    }
    const { body } = await server.call("POST", "/v1/rules/simulate", { rules: [deny] });
    expect(body.newly_denied).toMatchObject([{ tool: "add", agent_id: clerk }]);
    expect((await server.call("POST", "/v1/rules", deny)).status).toBe(201);
    const explained = await server.call("GET", `/v1/rules/explain/${body.newly_denied[0].call_id}`);
    expect(explained.body).toMatchObject({
      path: "subagent",
      decisions: [{ decision: "allow" }],
      now: { decision: "deny" },
      session_id: body.newly_denied[0].session_id,
    });
  });
});
