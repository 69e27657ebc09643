/** A model that a tool or a task asks is paid by the same people: no way around a budget, by naming another tool or by hurry. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { capabilities } from "../tasks/fixtures/harbour.ts";

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let images: Server;
  let asked = 0;
  let made = 0;
  beforeAll(async () => {
    llm = await scriptedLlm(() => {
      asked++;
      return { text: ['{"rig":"ketch","names":[]}'] };
    });
    images = createServer((_request, response) => {
      made++;
      response.writeHead(400).end("{}");
    });
    await new Promise<void>((done) => images.listen(0, "127.0.0.1", done));
    const openai = `http://127.0.0.1:${(images.address() as AddressInfo).port}/v1`;
    const environment = { ...llmEnvironment(llm), OPENAI_API_KEY: "k", OPENAI_BASE_URL: openai };
    server = await testServer(await fresh(), environment, { config: { capabilities: [...capabilities] } });
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
    images?.closeAllConnections();
    images?.close();
  });

  const tool = (capability: string, name: string, input: object) =>
    server.call("POST", `/v1/capabilities/${capability}/tools/${name}`, { input });
  const chat = () => tool("chat.general", "chat_general", { prompt: "hello" });
  const budget = async (body: object) => {
    const { body: saved } = await server.call("POST", "/v1/budgets", {
      name: "b",
      period: "day",
      at_limit: "deny",
      ...body,
    });
    return () => server.call("DELETE", `/v1/budgets/${saved.id}`);
  };

  test("a budget of tokens would not count what a tool asks a model, or what ten calls at once ask", async () => {
    const remove = await budget({ measure: "tokens", limit: 1, for_each: "user" });
    const before = asked;
    const answers = await Promise.all(Array.from({ length: 10 }, chat));
    expect(asked - before).toBe(1); // a model is asked while anything is left
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await chat()).body.code).toBe("budget_used_up");
    expect((await tool("company.name", "company_name", { description: "tea" })).body.code).toBe(
      "budget_used_up",
    );
    await remove();
    expect((await chat()).status).toBe(200);
    const usage = await server.call("GET", "/v1/usage");
    expect(usage.body.total).toMatchObject({ calls: 2 });
  });

  test("a task would have its gaps filled by a model that nobody may ask any more", async () => {
    const charter = () => server.call("POST", "/api/execute-task", { task: "charter a boat with two masts" });
    const [before] = [asked];
    await charter();
    expect(asked - before).toBeGreaterThan(0); // it asks when it may
    const remove = await budget({ measure: "tokens", limit: 1, for_each: "user" });
    await chat(); // uses it up
    const [then] = [asked];
    await charter();
    expect(asked).toBe(then);
    await remove();
  });

  test("a model without a known price would make pictures where dollars are counted", async () => {
    const remove = await budget({ measure: "cost_usd", limit: 10 });
    const picture = await tool("media.image.generate", "media_image_generate", { prompt: "a cat" });
    expect(picture.body.code).toBe("budget_unpriced");
    expect(made).toBe(0);
    await remove();
  });
});
