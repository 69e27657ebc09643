/** One conversation in several programs: continued in another, and sent to several side by side. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventsIn, postRun, runInput } from "../../../../tools/ag-ui-wire.ts";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { results, spoken } from "../../../../tools/engine-under-test.ts";
import { type HarnessUnderTest, harnessUnderTest } from "./fixtures/harness-under-test.ts";
import { scriptedAdapter } from "./fixtures/scripted-adapter.ts";

let bench: HarnessUnderTest;
beforeAll(async () => {
  bench = await harnessUnderTest({
    adapters: [
      scriptedAdapter(),
      scriptedAdapter({ name: "second" }),
      scriptedAdapter({ name: "toolless", supportsMCP: false }),
      scriptedAdapter({ name: "absent", command: "/nowhere/absent" }),
    ],
  });
});
afterAll(() => bench.stop());

const scripted = (more: object = {}) => bench.session({ harness: "scripted", ...more });
const call = (method: string, path: string, body?: object) => bench.server.call(method, path, body);
const continueIn = (session: string, continue_in: unknown) =>
  call("PATCH", `/v1/sessions/${session}`, { continue_in });

describe("a session that continues in another program", () => {
  test("brings its history, tool results, files and tasks along", async () => {
    const session = await scripted({ capabilities: ["bench", "stateless_todo_list"] });
    const todos = [{ content: "Feed it", activeForm: "Feeding it", status: "in_progress" }];
    await bench.turn(session, `call write_todos ${JSON.stringify({ todos })}`);
    await bench.turn(session, 'call add {"a":2,"b":3}');
    await call("PUT", `/v1/sessions/${session}/files/notes.txt`, { word: "heron" });
    const moved = await continueIn(session, "second");
    expect(moved.body).toMatchObject({ continue_in: { harness: "second" } });
    const events = await bench.turn(session, "Please:\nread notes.txt\nrecall");
    expect(spoken(events)).toContain("heron");
    expect(spoken(events)).toMatch(
      /The conversation so far[\s\S]*Feed it[\s\S]*add[\s\S]*\{"sum":5\}[\s\S]*End of it/,
    );
  });

  test("is run by its agent's own program again once the setting is removed", async () => {
    const session = await scripted();
    await continueIn(session, "second");
    expect((await bench.turn(session, "say a\nusage 1")).at(-1)).toMatchObject({
      usage: [{ provider: "second" }],
    });
    expect((await continueIn(session, null)).body).toMatchObject({ continue_in: null });
    expect((await bench.turn(session, "say b\nusage 1")).at(-1)).toMatchObject({
      usage: [{ provider: "scripted" }],
    });
  });

  test("continues in the native loop too, and from there in a program", async () => {
    const session = await scripted();
    await bench.turn(session, "say The word is heron.");
    expect((await continueIn(session, "native")).body).toMatchObject({ continue_in: { harness: "native" } });
    const native = await bench.turn(session, "Hello there.");
    expect(spoken(native)).not.toBe("");
    await continueIn(session, "second");
    expect(spoken(await bench.turn(session, "prompt"))).toContain("You are on the bench.");
  });

  test.each([
    ["a program that is not installed", "absent", "coding_agent_not_installed"],
    ["a program that cannot be given the agent's tools", "toolless", "CAPABILITY_ERROR"],
    ["a program that nobody knows", "nonsense", "coding_agent_unknown"],
  ])("is refused %s, before anything changes", async (_, program, code) => {
    const session = await scripted();
    expect((await continueIn(session, program)).body).toMatchObject({ code, nextStep: expect.any(String) });
    expect((await call("GET", `/v1/sessions/${session}`)).body.continue_in).toBeNull();
    const report = await call("GET", `/v1/sessions/${session}/compatibility?in=${program}`);
    expect(report.body.refusal).toMatchObject({ code });
  });

  test("is refused for what stays wrong without the agent's model, which another program need not have", async () => {
    const session = await scripted({ model: "scripted-1" });
    const { body } = await continueIn(session, "copilot");
    expect(body).toMatchObject({ code: "coding_agent_not_installed" });
  });

  test("shows in advance what is carried over and what is not", async () => {
    const session = await scripted({ model: "scripted-1", thinking_effort: null });
    await bench.turn(session, `think hm\ncall add {"a":2,"b":3}\nsay ${"long ".repeat(10)}`);
    await call("PUT", `/v1/sessions/${session}/files/notes.txt`, { kept: true });
    const { body } = await call("GET", `/v1/sessions/${session}/compatibility?in=second`);
    expect(body).toMatchObject({ from: { harness: "scripted" }, to: { harness: "second" }, refusal: null });
    const names = (lines: { what: string }[]) => lines.map(({ what }) => what);
    expect(names(body.comes_along)).toEqual(["history", "tool results", "files", "tools", "prompt"]);
    expect(names(body.left_behind)).toEqual(["thoughts", "program's session"]);
    expect((await call("GET", `/v1/sessions/${session}`)).body.continue_in).toBeNull(); // nothing changed
  });

  test("finishes a run that waits for a person in the program that asked", async () => {
    const session = await scripted();
    await bench.turn(session, 'call send {"to":"a@b.c"}\nusage 1');
    await continueIn(session, "second");
    const events = await bench.answer(session, { decision: "approve" });
    expect(results(events)).toEqual(["sent to a@b.c"]);
    expect(events.at(-1)).toMatchObject({ usage: [{ provider: "scripted" }] });
  });

  test("runs in another agent's own program once it has another agent", async () => {
    const session = await scripted();
    await continueIn(session, "second");
    const other = await call("POST", "/v1/agents", { name: "Other", harness: "scripted" });
    const moved = await call("PATCH", `/v1/sessions/${session}`, { agent_id: other.body.id });
    expect(moved.body.continue_in).toBeNull();
  });
});

describe("a message to several programs side by side", () => {
  const ended = async (session: string, id: string) => {
    const read = async () => (await call("GET", `/v1/sessions/${session}/comparisons/${id}`)).body;
    const states = async () => (await read()).branches.map(({ status }: { status: string }) => status);
    await expect.poll(states, { timeout: 20_000 }).toEqual(["done", "done", "done"]);
    return read();
  };
  const compare = (session: string, content: string, programs: unknown[]) =>
    call("POST", `/v1/sessions/${session}/comparisons`, { content, in: programs });

  test("is answered by each in a branch with its own copy of the files, and one is kept", async () => {
    const session = await scripted({ allow_native_tools: true });
    await call("PATCH", `/v1/sessions/${session}`, { title: "Herons" });
    await bench.turn(session, "write notes.txt before");
    const programs = ["scripted", { harness: "second" }, "native"];
    const started = await compare(session, "Please:\nwrite notes.txt after\nusage 9\nsay Done.", programs);
    expect(started.status).toBe(201);
    const { id, branches } = await ended(session, started.body.id);
    expect(branches).toMatchObject([
      {
        continue_in: { harness: "scripted" },
        answer: expect.stringContaining("Done."),
        usage: { input_tokens: 9 },
      },
      { continue_in: { harness: "second" }, answer: expect.stringContaining("Done."), error: null },
      { continue_in: { harness: "native" }, changes: [] },
    ]);
    expect(branches[1].changes).toMatchObject([
      { path: "/notes.txt", change: "changed", diff: expect.stringMatching(/-before[\s\S]*\+after/) },
    ]);
    expect(branches[1].seconds).toBeGreaterThan(0);
    const untouched = await call("GET", `/v1/sessions/${session}/files/notes.txt`);
    expect(JSON.stringify(untouched.body)).toContain("before");
    const kept = await call("POST", `/v1/sessions/${session}/comparisons/${id}/keep`, {
      session_id: branches[1].session_id,
    });
    expect(kept.body).toMatchObject({ title: "Herons", archived: false, comparison_id: null });
    for (const gone of [session, branches[0].session_id, branches[2].session_id])
      expect((await call("GET", `/v1/sessions/${gone}`)).body.archived).toBe(true);
    const another = await call("POST", `/v1/sessions/${session}/comparisons/${id}/keep`, {
      session_id: branches[0].session_id,
    });
    expect(another.body).toMatchObject({ archived: false, comparison_id: null });
  });

  test("makes no branch when one of the programs cannot answer", async () => {
    const session = await scripted();
    const refused = await compare(session, "say hello", ["second", "absent"]);
    expect(refused.body).toMatchObject({ code: "coding_agent_not_installed" });
    const { body } = await call("GET", "/v1/sessions?limit=100");
    expect(body.items.filter((each: { forked_from: string }) => each.forked_from === session)).toEqual([]);
  });
});

describe("on the command line", () => {
  const capstan = (args: readonly string[], answers: readonly string[] = []) =>
    typeCommand(bench.server.url, args, { answers });

  test("a session continues in another program once a person has read what is not carried over", async () => {
    const session = await scripted();
    await bench.turn(session, "say Hello.");
    const refused = await capstan(["sessions", "continue", session, "--in", "second"], ["n"]);
    expect(refused.out).toMatch(/Comes along:[\s\S]*history[\s\S]*Does not:[\s\S]*program's session/);
    expect((await call("GET", `/v1/sessions/${session}`)).body.continue_in).toBeNull();
    const moved = await capstan(["sessions", "continue", session, "--in", "second"], ["y"]);
    expect(moved).toMatchObject({
      code: 0,
      out: expect.stringContaining("second answers messages in this session"),
    });
    expect((await call("GET", `/v1/sessions/${session}`)).body.continue_in).toEqual({ harness: "second" });
  });

  test("a program that cannot continue it says why", async () => {
    const { code, err } = await capstan(["sessions", "continue", await scripted(), "--in", "absent"]);
    expect(code).not.toBe(0);
    expect(err).toMatch(/absent[\s\S]*not installed|not installed[\s\S]*absent/);
  });

  test("a comparison shows answers, time and cost, and one branch is kept", async () => {
    const session = await scripted();
    const compared = await capstan([
      ...["sessions", "compare", session, "say Hello from here.", "--in", "scripted,second", "--json"],
    ]);
    const { id, branches } = JSON.parse(compared.out);
    expect(branches).toMatchObject([
      { continue_in: { harness: "scripted" }, answer: "Hello from here. " },
      { continue_in: { harness: "second" }, answer: "Hello from here. " },
    ]);
    const kept = await capstan(["sessions", "keep", session, id, branches[0].session_id]);
    expect(kept).toMatchObject({ code: 0, out: expect.stringContaining(branches[0].session_id) });
  });
});

describe("an agent whose program takes no tools", () => {
  const agent = async (harness: string) =>
    (await call("POST", "/v1/agents", { name: `In ${harness}`, harness, capabilities: [] })).body.id;
  const post = async (id: string, more: object) =>
    postRun(`${bench.server.url}/v1/agents/${id}/ag-ui`, runInput(more));
  const tool = { name: "paint", description: "Paints.", parameters: { type: "object", properties: {} } };
  const say = [{ id: "1", role: "user", content: "say hi" }];

  test("declares none, and none of the page's; one that takes them declares both", async () => {
    const tools = async (harness: string) =>
      (await call("GET", `/v1/agents/${await agent(harness)}/ag-ui/capabilities`)).body.tools;
    expect(await tools("toolless")).toEqual({ supported: false, items: [] });
    expect(await tools("scripted")).toMatchObject({
      supported: true,
      clientProvided: true,
      items: [{ name: "update_state" }],
    });
  });

  test("answers AG-UI clients, also those with a state", async () => {
    const answered = await post(await agent("toolless"), { messages: say, state: { page: 1 } });
    const events = eventsIn(await answered.text());
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
    expect(spoken(events)).toBe("hi ");
  });

  test("refuses a page's tools before anything is stored; one that takes them gets them", async () => {
    const refused = await post(await agent("toolless"), { messages: say, tools: [tool] });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ code: "CAPABILITY_ERROR" });
    const list = [{ id: "1", role: "user", content: "list" }];
    const taken = await post(await agent("scripted"), { messages: list, tools: [tool] });
    expect(spoken(eventsIn(await taken.text()))).toContain("paint");
  });
});
