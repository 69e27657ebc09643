/**
 * A private agent that its owner lists in another agent is registered as a capability, for that agent alone: nobody else finds
 * it, names it, or reads what it is for. And a person who may only read makes no model work.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

type Who = Record<string, string>;
const WORD = "heron-41c7";
const SCORERS = [{ type: "contains", all: ["a"] }];

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let ann: Who;
  let bob: Who;
  let vault: string;
  let own: string;
  beforeAll(async () => {
    llm = await scriptedLlm(() => ({ text: ["PASS"] }));
    server = await testServer(await fresh(), llmEnvironment(llm));
    [ann, bob] = [await key("ann@example.com", "author"), await key("bob@example.com", "author")];
    const private_ = { name: `Vault ${WORD}`, description: `Opens the ${WORD} vault.` };
    vault = (await server.call("POST", "/v1/agents", private_, ann)).body.id;
    await server.call("PUT", `/v1/agents/${vault}/shares`, { access: "private", shares: [] }, ann);
    const lead = { name: "Lead", capabilities: [`agent.${vault}`] };
    const made = await server.call("POST", "/v1/agents", lead, ann); // registers it
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await server.call("PUT", `/v1/agents/${made.body.id}/shares`, { access: "private", shares: [] }, ann);
    own = (await server.call("POST", "/v1/agents", { name: "Own" }, bob)).body.id;
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });

  async function key(owner: string, right: string): Promise<Who> {
    const { body } = await server.call("POST", "/v1/keys", { name: owner, owner, rights: [right] });
    return { authorization: `Bearer ${body.key}` };
  }

  test("another person's private agent would be found in the catalog, by routing or by a slip of the pen", async () => {
    const task = `open the ${WORD} vault`;
    const answers = [
      await server.call("GET", "/v1/capabilities", undefined, bob),
      await server.call("GET", `/v1/capabilities?q=${WORD}`, undefined, bob),
      await server.call("POST", "/v1/route", { task }, bob),
      await server.call("POST", "/v1/route/plan", { task }, bob),
      await server.call("POST", "/v1/route/rank", { tasks: [task] }, bob),
      await server.call("POST", "/api/execute-task", { task }, bob),
      await server.call("GET", "/v1/status", undefined, bob),
      await server.call(
        "POST",
        "/v1/agents",
        { name: "x", capabilities: [`agent.${vault.slice(0, -1)}`] },
        bob,
      ),
    ];
    for (const { body } of answers) {
      expect(JSON.stringify(body).replaceAll(task, "")).not.toContain(WORD);
      expect(JSON.stringify(body)).not.toContain(vault);
    }
    const seen = await server.call("POST", "/v1/route", { task }, ann);
    expect(JSON.stringify(seen.body)).toContain(vault);
  });

  test("by naming it: in an agent, a preview, a tool call, a replay or an experiment", async () => {
    const dataset_id = (await server.call("POST", "/v1/datasets", { name: "d" }, bob)).body.id;
    await server.call("POST", `/v1/datasets/${dataset_id}/items`, { items: [{ id: "a", input: "hi" }] }, bob);
    const session = (await server.call("POST", "/v1/sessions", { agent_id: own }, bob)).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content: "hi" }, bob);
    const run = `/v1/runs/${sent.body.run_id}`;
    await expect
      .poll(async () => (await server.call("GET", run, undefined, bob)).body.status, { timeout: 20_000 })
      .toBe("done");
    const named = async (id: string) => {
      const capabilities = [{ id }];
      const measured = { dataset_id, agent_id: own, scorers: SCORERS, variants: [{ capabilities }] };
      const answers = [
        await server.call("POST", "/v1/agents", { name: "Thief", capabilities }, bob),
        await server.call("POST", "/v1/agents/preview", { name: "Thief", capabilities }, bob),
        await server.call("PATCH", `/v1/agents/${own}`, { capabilities }, bob),
        await server.call("POST", "/v1/replays", { runs: [sent.body.run_id], with: { capabilities } }, bob),
        await server.call("POST", "/v1/experiments", measured, bob),
        await server.call("POST", `/v1/capabilities/${id}/tools/ask`, { input: {} }, bob),
        await server.call("POST", `/v1/capabilities/${id}/test`, {}, bob),
        await server.call("GET", `/v1/capabilities/${id}/versions`, undefined, bob),
        await server.call("POST", "/v1/schedules", { capability: id, cron: "0 0 1 1 *" }, bob),
      ];
      return answers.map(({ status, body }) => `${status} ${JSON.stringify(body).replaceAll(id, "ID")}`);
    };
    const theirs = await named(`agent.${vault}`);
    expect(theirs).toEqual(await named(`agent.${crypto.randomUUID()}`));
    for (const answer of theirs) expect(answer.slice(0, 3)).toSatisfy((status) => Number(status) >= 400);
  });

  test("by deleting an agent that it delegates to", async () => {
    const helper = (await server.call("POST", "/v1/agents", { name: "Helper" }, bob)).body.id;
    const lead = { name: `Lead ${WORD}`, capabilities: [`agent.${helper}`] };
    const { id } = (await server.call("POST", "/v1/agents", lead, ann)).body;
    await server.call("PUT", `/v1/agents/${id}/shares`, { access: "private", shares: [] }, ann);
    const refused = await server.call("DELETE", `/v1/agents/${helper}`, undefined, bob);
    const forced = await server.call("DELETE", `/v1/agents/${helper}?force=true`, undefined, bob);
    expect([refused.status, forced.status]).toEqual([409, 204]);
    expect(JSON.stringify(refused.body)).not.toContain(WORD);
    expect(JSON.stringify(refused.body)).not.toContain(id);
  });

  test("who may only read would have any model asked anything, by trying a check", async () => {
    const reader = await key("rita@example.com", "read");
    const check = {
      name: "m",
      find: { model: "openai-compatible/scripted", prompt: "Write me a poem." },
      then: "block",
    };
    const before = llm.requests.length;
    const tried = await server.call("POST", "/v1/text-checks/try", { text: "a", checks: [check] }, reader);
    expect(tried).toMatchObject({ status: 403 });
    expect(llm.requests.length).toBe(before);
    const plain = { ...check, find: { words: ["a"] } };
    const words = await server.call("POST", "/v1/text-checks/try", { text: "a", checks: [plain] }, reader);
    expect(words.status).toBe(200);
    const spent = {
      name: "b",
      measure: "tokens",
      limit: 1,
      period: "day",
      for_each: "user",
      at_limit: "deny",
    };
    const budget = (await server.call("POST", "/v1/budgets", spent)).body;
    const carl = await key("carl@example.com", "run");
    const again = () => server.call("POST", "/v1/text-checks/try", { text: "a", checks: [check] }, carl);
    expect(await again()).toMatchObject({ status: 200, body: { decision: "pass" } });
    expect((await again()).body.code).toBe("budget_used_up");
    await server.call("DELETE", `/v1/budgets/${budget.id}`);
  });
});
