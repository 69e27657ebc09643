/** A capability's recorded calls, made again by a newer version: what breaks is named, and nothing with side effects runs. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { obeyPlan } from "../replays/fixtures/shop.ts";

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF";

describe.each(STORES)("the test of a capability, on $name", ({ fresh }) => {
  let harbour: Server;
  let llm: ScriptedLlm;
  let server: TestServer;
  const requests: string[] = [];
  let tide = "high";
  beforeAll(async () => {
    harbour = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.statusCode = request.url?.includes("/lost") ? 404 : 200;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ asked: request.url, tide, password: SECRET }));
    });
    await new Promise<void>((resolve) => harbour.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(harbour.address() as AddressInfo).port}`;
    llm = await scriptedLlm(obeyPlan);
    server = await testServer(await fresh(), { ...llmEnvironment(llm), CAPSTAN_ALLOW_HOSTS: host });
    expect((await register("1.0.0")).status).toBe(201);
    const made = await server.call("POST", "/v1/agents", {
      name: "Pilot",
      capabilities: [{ id: "tides", version: "1.0.0" }],
    });
    expect(made).toMatchObject({ status: 201 });
    const session = await server.call("POST", "/v1/sessions", { agent_id: made.body.id });
    const content = "times 17; times lost; book 17; say Done.";
    const sent = await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content });
    const status = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    const wait = { timeout: 20_000 };
    await vi.waitFor(async () => expect(await status()).toBe("waiting"), wait); // a booking needs a yes
    const { body } = await server.call("GET", "/v1/approvals?status=pending");
    await server.call("POST", `/v1/approvals/${body.items[0].id}`, { decision: "approve" });
    await vi.waitFor(async () => expect(await status()).toBe("done"), wait);
    expect(requests).toEqual(["GET /times/17", "GET /times/lost", "POST /book/17"]);
    // The history of calls is written in batches.
    await vi.waitFor(async () => expect((await tested()).body.calls).toHaveLength(3), wait);
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
    harbour?.close();
  });

  const tool = (name: string, method: string, parameters: object = {}, path = `/${name}/{id}`) => ({
    name,
    description: `The harbour's ${name}.`,
    method,
    path,
    parameters: { id: { in: "path", type: "string", required: true }, ...parameters },
  });
  const TIMES = tool("times", "GET");
  const BOOK = tool("book", "POST");
  const register = (version: string, tools: object[] = [TIMES, BOOK]) =>
    server.call("POST", "/v1/capabilities?force=true", {
      id: "tides",
      name: "Tides",
      description: "Tide times of a harbour.",
      version,
      base_url: `http://127.0.0.1:${(harbour.address() as AddressInfo).port}`,
      tools,
    });
  const tested = (body: object = {}) => server.call("POST", "/v1/capabilities/tides/test", body);
  const verdicts = ({ calls }: { calls: { tool: string; verdict: string }[] }) =>
    calls.map((call) => `${call.tool} ${call.verdict}`);

  test("an equal version has the same outputs and failures, and a writing tool is never called", async () => {
    expect((await register("1.1.0")).status).toBe(200);
    requests.length = 0;
    const { status, body } = await tested();
    expect({ status, verdict: body.verdict, version: body.version }).toEqual({
      status: 200,
      verdict: "same",
      version: "1.1.0",
    });
    expect(verdicts(body)).toEqual(["times same", "times same", "book checked"]);
    expect(body.calls[2]).toMatchObject({
      live: false,
      why: expect.stringContaining("may change something"),
    });
    expect(requests).toEqual(["GET /times/17", "GET /times/lost"]);
    const said = await typeCommand(server.url, ["capability", "test", "tides"]);
    expect([said.code, said.err]).toEqual([0, ""]);
    expect(said.out).toContain("tides 1.1.0: nothing breaks (2 same, 1 checked)");
    expect(said.out).toContain("book: Not called: it may change something.");
  });

  test("another output is named, without the secrets in it", async () => {
    tide = "low";
    const { body } = await tested();
    const said = await typeCommand(server.url, ["capability", "test", "tides", "--limit", "1"]);
    const printed = await typeCommand(server.url, ["capability", "test", "tides", "--limit", "1", "--json"]);
    tide = "high";
    expect([said.code, printed.code]).toEqual([1, 1]);
    expect(said.out).toContain("tides 1.1.0: a breaking change (1 other output)");
    expect(JSON.parse(printed.out)).toMatchObject({ verdict: "breaking", counts: { other_output: 1 } });
    expect(body.verdict).toBe("breaking");
    expect(verdicts(body)[0]).toBe("times other_output");
    expect(body.calls[0].before).toContain("high");
    expect(body.calls[0].after).toContain("low");
    expect(JSON.stringify(body)).not.toContain(SECRET);
  });

  test.each<[string, object[], string[]]>([
    [
      "another path",
      [tool("times", "GET", {}, "/tide/{id}"), BOOK],
      ["times other_output", "times same", "book checked"],
    ],
    [
      "a failure",
      [tool("times", "GET", {}, "/lost/{id}"), BOOK],
      ["times other_failure", "times same", "book checked"],
    ],
    ["a tool that is gone", [TIMES], ["times same", "times same", "book tool_gone"]],
    [
      "arguments that are refused",
      [TIMES, tool("book", "POST", { berth: { in: "query", type: "string", required: true } })],
      ["times same", "times same", "book input_refused"],
    ],
  ])("a version with %s is named", async (_what, tools, expected) => {
    const [major = 0] = [
      (await server.call("GET", "/v1/capabilities/tides")).body.version.split(".").map(Number)[0],
    ];
    expect((await register(`${major + 1}.0.0`, tools)).status).toBe(200);
    requests.length = 0;
    const { body } = await tested();
    expect(verdicts(body)).toEqual(expected);
    expect(body.verdict).toBe("breaking");
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  test("is bounded, and refuses a capability that does not exist", async () => {
    expect((await tested({ limit: 1 })).body.calls).toHaveLength(1);
    expect((await tested({ limit: 0 })).status).toBe(422);
    expect((await server.call("POST", "/v1/capabilities/tidse/test", {})).status).toBe(404);
  });

  test("another person's calls are tested by nobody but an admin", async () => {
    const { body } = await server.call("POST", "/v1/keys", {
      name: "Author",
      owner: "ada@example.com",
      rights: ["author"],
    });
    const theirs = await server.call(
      "POST",
      "/v1/capabilities/tides/test",
      {},
      { authorization: `Bearer ${body.key}` },
    );
    expect(theirs).toMatchObject({ status: 200, body: { verdict: "untested", calls: [] } });
  });
});
