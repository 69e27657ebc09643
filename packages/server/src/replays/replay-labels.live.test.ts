/** What a recorded run had read by recalled facts and by other agents counts again in its replay, and a replay leaves none of it behind. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const world = defineCapability({
  id: "world",
  name: "World",
  description: "Reads pages and sends mail.",
  tools: [
    defineTool({
      name: "read_page",
      description: "Reads a page.",
      reads: "untrusted",
      risk: "read",
      input: z.object({}),
      run: () => ok("Zebra tea is best."),
    }),
    defineTool({
      name: "send_out",
      description: "Sends a text out.",
      writes: "external",
      input: z.object({}),
      run: () => ok("sent"),
    }),
  ],
});

describe.each(STORES)("labels in a replay, on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  /** The names of the tools to call, one after the other, by the user's text and the system prompt. */
  const steps = (text: string) =>
    [...text.matchAll(/call (\w+) (\{.*\})/g)].map(([, name = "", input = ""]) => ({ name, input }));
  beforeAll(async () => {
    llm = await scriptedLlm(({ messages }) => {
      const at = messages.findLastIndex(({ role }) => role === "user");
      const system = messages.filter(({ role }) => role === "system").map(({ content }) => String(content));
      const plan = [...steps(String(messages[at]?.content)), ...steps(system.join("\n"))];
      const turn = messages.slice(at).filter(({ role }) => role === "assistant").length;
      const step = plan[turn];
      return step
        ? { calls: [{ id: `call_${at}_${turn}`, name: step.name, input: JSON.parse(step.input) }] }
        : { text: ["Done."] };
    });
    server = await testServer(await fresh(), llmEnvironment(llm), { config: { capabilities: [world] } });
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
  const agent = async (name: string, capabilities: string[]): Promise<string> =>
    (await made("/v1/agents", { name, capabilities })).id;
  /** Whatever is asked on the way is approved. */
  const say = async (agentId: string, content: string) => {
    const session = (await made("/v1/sessions", { agent_id: agentId })).id;
    const { run_id: run } = await made(`/v1/sessions/${session}/messages`, { content });
    const status = async () => {
      const { items } = (await server.call("GET", "/v1/approvals?status=pending")).body;
      for (const { id } of items) await made(`/v1/approvals/${id}`, { decision: "approve" });
      return (await server.call("GET", `/v1/runs/${run}`)).body.status;
    };
    await expect.poll(status, { timeout: 20_000 }).toBe("done");
    return { run, session };
  };
  const labels = async (session: string) =>
    Object.keys((await server.call("GET", `/v1/sessions/${session}`)).body.labels);
  const replay = async (run: string, change: object = {}, more: object = {}) => {
    const { id } = await made("/v1/replays", { runs: [run], with: change, ...more });
    const get = async () => (await server.call("GET", `/v1/replays/${id}`)).body;
    await expect.poll(async () => (await get()).status, { timeout: 20_000 }).toBe("done");
    return (await get()).comparisons[0];
  };
  const recall = 'call recall_facts {"query":"zebra tea"}';

  test("a recalled fact brings its label again, and a new recall leaves none in the recorded session", async () => {
    const clerk = await agent("Clerk", ["world", "memory"]);
    await say(clerk, 'call read_page {}\ncall remember_fact {"text":"Zebra tea is best."}');
    const { run, session } = await say(clerk, recall);
    expect(await labels(session)).toEqual(expect.arrayContaining(["untrusted", "private"]));
    const denied = { verdict: "changed", gate: [{ tool: "send_out", before: null, after: "denied" }] };
    const sends = { system_prompt: "call send_out {}" };
    expect(await replay(run)).toMatchObject({ verdict: "same", gate: [] });
    expect(await replay(run, sends)).toMatchObject(denied);

    const empty = await say(clerk, "Hello");
    const asked = { system_prompt: `${recall}\ncall send_out {}` };
    expect(await replay(empty.run, asked, { live_reads: true })).toMatchObject(denied);
    expect(await labels(empty.session)).toEqual([]);
  });

  test("what another agent has read counts again", async () => {
    const reader = await agent("Reader", ["world"]);
    const lead = await agent("Lead", [`agent.${reader}`, "world"]);
    const task = JSON.stringify({ task: "call read_page {}" });
    const { run, session } = await say(lead, `call delegate_to_reader ${task}\ncall send_out {}`);
    expect(await labels(session)).toEqual(["untrusted"]);
    expect(await replay(run)).toMatchObject({ verdict: "same", gate: [] });
  });
});
