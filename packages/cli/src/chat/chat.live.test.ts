/** A chat in the terminal against a real server: streamed answers, pipes, approvals by key, and Ctrl-C. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Typed, typeCommand } from "../../../../tools/command-under-test.ts";
import { type ScriptedLlm, scriptedLlm, toolAnswered } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let llm: ScriptedLlm;
let server: TestServer;
beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["not asked for"] }));
  server = await testServer(await freshPglite(), {
    OPENAI_COMPATIBLE_BASE_URL: llm.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: "test",
  });
});
afterAll(async () => {
  await server?.stop();
  await llm?.close();
});
afterEach(async () => {
  const { body } = await server.call("GET", "/v1/agents");
  for (const { id } of body.items) await server.call("DELETE", `/v1/agents/${id}`);
});

const capstan = (args: string[], typed: Typed = {}) => typeCommand(server.url, args, typed);
const agent = (name: string, more: object = {}) =>
  server.call("POST", "/v1/agents", { name, capabilities: ["test_math", "current_time"], ...more });
const sessions = async () => (await server.call("GET", "/v1/sessions?limit=200")).body.items.length;
const approvals = async () => (await server.call("GET", "/v1/approvals?status=pending")).body.items;

describe("messages", () => {
  test("on the command line are answered, with each tool call on its own line", async () => {
    const { code, out } = await capstan(["chat", "--message", "add 2 and 40"]);
    const { body } = await server.call("GET", "/v1/sessions?limit=1");
    expect(body.items[0].title).toBe("add 2 and 40");
    const shown = await capstan(["sessions", "show", body.items[0].id]);
    expect(shown.out).toMatch(/^title +add 2 and 40\n[\s\S]*\n› add 2 and 40\n> add \{/);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^> add \{.*\}\n {2}\{.*42.*\}\n.*42/),
    });
  });

  test("from a pipe are answered one after the other, in one session", async () => {
    await agent("Reckoner");
    const before = await sessions();
    const { code, out } = await capstan(["chat", "reckoner"], {
      lines: ["add 2 and 40", "", "add 3 and 50"],
    });
    expect(code).toBe(0);
    expect(out).toMatch(/42[\s\S]*> add[\s\S]*53/);
    expect(await sessions()).toBe(before + 1);
  });

  test("are typed at the prompt until /exit, and printed as JSON events on request", async () => {
    const { out, questions } = await capstan(["chat", "--json"], { answers: ["add 2 and 40", "/exit"] });
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).event.type);
    expect([events[0], events.at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
    expect(questions).toHaveLength(2);
  });

  test("in an existing session show the new answer, and none of the old ones", async () => {
    await capstan(["chat", "--message", "add 2 and 40", "--message", "add 3 and 50"]);
    const { body } = await server.call("GET", "/v1/sessions?limit=1");
    const { code, out } = await capstan(["chat", "--session", body.items[0].id, "--message", "add 4 and 60"]);
    expect(code).toBe(0);
    expect(out).toMatch(/64/);
    expect(out).not.toMatch(/42|53/);
  });

  test("of an empty pipe leave no session behind", async () => {
    await agent("Reckoner");
    const before = await sessions();
    expect(await capstan(["chat", "reckoner"], { lines: [""] })).toMatchObject({ code: 0, out: "" });
    expect(await sessions()).toBe(before);
  });

  test("whose run fails are reported by the exit code", async () => {
    await agent("Mute", { model: "openai-compatible/scripted" });
    llm.script = () => ({ status: 401 });
    const { code, out } = await capstan(["chat", "mute", "--message", "hello"]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("refused the key (401)") });
  });

  test("to an unknown agent are refused with the next step", async () => {
    expect(await capstan(["chat", "Nobody"])).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no agent "Nobody"'),
    });
  });
});

describe("a call that requires approval", () => {
  const careful = () => agent("Careful", { tool_policies: { add: "approve" } });

  test.each<[string, string[], RegExp]>([
    ["runs on y", ["y"], /42/],
    ["runs with the edited arguments on e", ["e", '{"a":2,"b":58}'], /60/],
    ["is asked about again after invalid JSON", ["e", "{", "y"], /42/],
    ["does not run on n, and the agent gets the reason", ["n", "not today"], /not today/],
  ])("%s", async (_, keys, shown) => {
    await careful();
    const { out, questions } = await capstan(["chat", "Careful"], {
      answers: ["add 2 and 40", ...keys, "/exit"],
    });
    expect(out).toMatch(shown);
    // Editing starts from the model's arguments.
    expect(questions.includes('  arguments as JSON: {"a":2,"b":40}')).toBe(keys.includes("e"));
    expect(await approvals()).toEqual([]);
  });

  test.each([
    ["1", false],
    ["", true],
  ])("is shown in colours unless NO_COLOR says otherwise: %j", async (NO_COLOR, coloured) => {
    await careful();
    const environment = { NO_COLOR };
    const { out } = await capstan(["chat", "Careful"], {
      answers: ["add 2 and 40", "y", "/exit"],
      environment,
    });
    expect(out.includes("\u001b[")).toBe(coloured);
  });

  test("is asked about here, even when a delegated agent makes it", async () => {
    const worker = await agent("Worker", { tool_policies: { add: "approve" } });
    const model = "openai-compatible/scripted";
    const capabilities = [`agent.${worker.body.id}`];
    await agent("Lead", { capabilities, model });
    const input = { task: "add 2 and 40" };
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: ["The worker is done."] }
        : { calls: [{ id: "call_1", name: "delegate_to_worker", input }] };
    const { out } = await capstan(["chat", "Lead"], { answers: ["let it add", "y", "/exit"] });
    expect(out).toMatch(/\? add [\s\S]*42[\s\S]*The worker is done\./);
    expect(await approvals()).toEqual([]);
  });

  test("stays pending on Ctrl-C, neither run nor denied", async () => {
    await careful();
    const { err } = await capstan(["chat", "Careful"], { answers: ["add 2 and 40", undefined, "/exit"] });
    const [{ id }] = await approvals();
    expect(err).toContain(`capstan approvals approve ${id}`);
    expect(await capstan(["approvals", "deny", id])).toMatchObject({ code: 0 });
  });

  test("is not approved by Ctrl-C while its arguments are edited, even if it has none", async () => {
    await agent("Clock", {
      capabilities: ["current_time"],
      tool_policies: { get_current_time: "approve" },
    });
    await capstan(["chat", "Clock"], { answers: ["what time is it", "e", undefined, undefined, "/exit"] });
    const [{ id }] = await approvals();
    expect(await capstan(["approvals", "deny", id])).toMatchObject({ code: 0 });
  });

  test("waits when nobody is there to answer, and says how to", async () => {
    await careful();
    const { code, err } = await capstan(["chat", "Careful", "--message", "add 2 and 40"]);
    const [{ id }] = await approvals();
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining(`capstan approvals approve ${id}`),
    });
    expect(await capstan(["approvals", "approve", id])).toMatchObject({ code: 0 });
  });
});

test("Ctrl-C stops the run and not the program", async () => {
  await agent("Slow", { model: "openai-compatible/scripted" });
  const never = new Promise(() => {});
  llm.script = () => ({ text: ["It was a dark ", "and stormy night"], until: never });
  let stopped = false;
  const { code, out } = await capstan(["chat", "Slow"], {
    answers: ["tell me a story", "/exit"],
    onOutput: (screen, interrupt) => {
      if (stopped || !screen.includes("dark")) return;
      stopped = true;
      interrupt();
    },
  });
  expect(code).toBe(0);
  expect(out).toMatch(/It was a dark[\s\S]*\(stopped\)/);
});
