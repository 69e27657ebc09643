/** What a replay leaves as it was recorded: arguments that a person changed, summaries, versions of capabilities and failures. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
} from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { obeyPlan, shop } from "./fixtures/shop.ts";

describe.each(STORES)("a replay leaves as recorded, on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  beforeAll(async () => {
    llm = await scriptedLlm(obeyPlan);
    server = await testServer(await fresh(), llmEnvironment(llm), { config: { capabilities: [shop] } });
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });

  const made = async (path: string, body: object) => {
    const answer = await server.call("POST", path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const session = async (capabilities: unknown[] = ["shop"]): Promise<string> => {
    const agent = await made("/v1/agents", { name: "Clerk", capabilities });
    return (await made("/v1/sessions", { agent_id: agent.id })).id;
  };
  const say = async (id: string, content: string): Promise<string> => {
    const { run_id } = await made(`/v1/sessions/${id}/messages`, { content });
    await ended(run_id);
    return run_id;
  };
  const ended = (id: string) => {
    const status = async () => (await server.call("GET", `/v1/runs/${id}`)).body.status;
    return expect.poll(status, { timeout: 20_000 }).toMatch(/done|failed|waiting|cancelled/);
  };
  const replay = async (run: string, change: object = {}) => {
    const { id } = await made("/v1/replays", { runs: [run], with: change });
    const get = async () => (await server.call("GET", `/v1/replays/${id}`)).body;
    await expect.poll(async () => (await get()).status, { timeout: 20_000 }).not.toBe("running");
    return (await get()).comparisons[0];
  };
  const conversation = ({ messages }: LlmRequest) =>
    JSON.stringify(messages.filter(({ role }) => role !== "system"));
  const lastSent = () => llm.requests.at(-1) as LlmRequest;

  test("the arguments that a person changed: the model reads them again, and may have learned them", async () => {
    const run = await say(await session(), "close_account 5 100; say Closed.");
    const { body } = await server.call("GET", `/v1/approvals?status=pending`);
    await made(`/v1/approvals/${body.items[0].id}`, {
      decision: "approve",
      edited_args: { id: "6", amount: 40 },
    });
    await ended(run);
    const sent = conversation(lastSent());
    expect(sent).toContain("40");
    expect((await replay(run)).verdict).toBe("same");
    expect(conversation(lastSent())).toBe(sent);
    const learned = await replay(run, { system_prompt: "as:close_account 6 40" });
    expect(learned).toMatchObject({
      verdict: "changed",
      calls: [{ change: "other_arguments", source: "exact" }],
    });
    // Nobody is asked any more: the changed arguments' result is not what these would have had.
    const allowed = { rules: [{ name: "free", tools: ["close_account"], then: "allow" }] };
    expect((await replay(run, allowed)).verdict).toBe("diverged");
  });

  test("the conversation of then, though it was summarised later", async () => {
    const id = await session();
    await say(id, "say I am called Ann.");
    const run = await say(id, "find_order 17; say Found.");
    const sent = conversation(lastSent());
    await say(id, "say Next.");
    await made(`/v1/sessions/${id}/compact`, {});
    expect((await replay(run)).verdict).toBe("same");
    expect(conversation(lastSent())).toBe(sent);
    const after = await say(id, "say Last.");
    const summarised = conversation(lastSent());
    expect(summarised).toContain("[Summary of messages 0 to 5");
    expect((await replay(after)).verdict).toBe("same");
    expect(conversation(lastSent())).toBe(summarised);
  });

  test("the versions of capabilities that the run had, unless another is asked for", async () => {
    const publish = (version: string) =>
      made("/v1/capabilities", {
        id: "tides",
        name: "Tides",
        description: "High and low water.",
        version,
        prompt: `say:Tides by ${version}.`,
        base_url: "http://127.0.0.1:9",
        tools: [{ name: "tide", description: "The tide.", path: "/tide" }],
      });
    await publish("1.0.0");
    const id = await session(["tides"]);
    const first = await say(id, "Hello");
    await publish("2.0.0");
    const second = await say(id, "Hello"); // by the same revision of the agent
    await publish("3.0.0");
    const answers = async (run: string, change?: object) => (await replay(run, change)).answer.after;
    expect(await answers(first)).toBe("Tides by 1.0.0.");
    expect(await answers(first, { model: "openai-compatible/other" })).toBe("Tides by 1.0.0.");
    expect(await answers(second)).toBe("Tides by 2.0.0.");
    expect(await answers(first, { capabilities: [{ id: "tides", version: "2.0.0" }] })).toBe(
      "Tides by 2.0.0.",
    );
    expect(await answers(first, { revision: "live" })).toBe("Tides by 3.0.0.");
  });

  test("or says what is otherwise: a version that is gone, and content replaced under its version", async () => {
    const publish = (version: string, more: object = {}) =>
      made("/v1/capabilities", {
        id: "moons",
        name: "Moons",
        description: "Phases of the moon.",
        version,
        prompt: "Be brief.",
        base_url: "http://127.0.0.1:9",
        tools: [{ name: "moon", description: "The phase.", path: "/moon" }],
        ...more,
      });
    const told = async (run: string, change?: object) => (await replay(run, change)).not_as_recorded;
    await publish("1.0.0");
    const id = await session(["moons", "shop"]);
    const run = await say(id, "find_order 17; say Found.");
    expect(await told(run)).toEqual([]);
    expect(await told(run, { system_prompt: "Be kind.", model: "openai-compatible/other" })).toEqual([]);

    await publish("1.0.0", { prompt: "Be verbose." });
    const noted = (why: RegExp, more: object = {}) => [
      { capability: "moons", recorded: "1.0.0", used: "1.0.0", why: expect.stringMatching(why), ...more },
    ];
    expect(await told(run)).toEqual(noted(/instructions/, { capability: null, recorded: null, used: null }));
    await publish("1.0.0", { tools: [{ name: "moon", description: "Its age.", path: "/moon" }] });
    expect(await told(run)).toEqual(noted(/moon/));
    expect(await told(run, { system_prompt: "Be kind." })).toEqual(noted(/moon/));
    expect(await told(run, { capabilities: ["moons"] })).toEqual([]);
    expect(await told(run, { revision: "live" })).toEqual([]);

    await publish("2.0.0");
    const gone = await server.call("DELETE", "/v1/capabilities/moons/versions/1.0.0");
    expect(gone.status).toBe(204);
    expect(await told(run)).toEqual(noted(/no longer kept/, { used: "2.0.0" }));
  });

  test("a model that failed, where the recorded answers are given again", async () => {
    llm.script = (request) =>
      conversation(request).includes("tool_calls") ? { status: 400, error: "down" } : obeyPlan(request);
    const run = await say(await session(), "find_order 17; say Found.");
    llm.script = obeyPlan;
    expect(await replay(run, { model: "recorded" })).toMatchObject({
      verdict: "same",
      outcome: { before: "provider_request_refused", after: "provider_request_refused" },
    });
    expect(await replay(run)).toMatchObject({ verdict: "changed", outcome: { after: "done" } });
  });

  test("no run that was cancelled, and says so", async () => {
    const id = await session();
    const { run_id } = await made(`/v1/sessions/${id}/messages`, { content: "close_account 5; say Closed." });
    await ended(run_id);
    await made(`/v1/sessions/${id}/cancel`, {});
    await ended(run_id);
    const refused = await server.call("POST", "/v1/replays", { runs: [run_id], with: {} });
    expect(refused).toMatchObject({ status: 422, body: { code: "not_found" } });
    expect(refused.body.message).toContain("no run that is done or failed");
    expect(refused.body.nextStep).toContain("were cancelled cannot be replayed");
  });
});
