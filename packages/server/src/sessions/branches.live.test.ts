import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type SaidPart, scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const TODO = { content: "Write", activeForm: "Writing", status: "in_progress" };

/** "plan" writes the list of tasks, "add" calls a tool that asks; everything else is answered. */
const says = (step: number, asked: string): SaidPart[] => {
  if (step > 0) return [{ text: "Done." }];
  if (asked.includes("plan")) return [{ call: "write_todos", input: { todos: [TODO] } }];
  return asked.includes("add") ? [{ call: "add", input: { a: 3, b: 4 } }] : [{ text: "Hello." }];
};

describe.each(STORES)("branches and allowances on $name", ({ fresh }) => {
  let server: TestServer;
  let agentId: string;
  beforeAll(async () => {
    const model = scriptedModel((call, step) => says(step, JSON.stringify(call.prompt.findLast(isUser))));
    server = await testServer(await fresh(), {}, { models: { "test/scripted": model } });
    agentId = await newAgent();
  });
  afterAll(() => server.stop());

  const newAgent = async () => {
    const made = await server.call("POST", "/v1/agents", {
      name: "Adder",
      capabilities: ["test_math", "stateless_todo_list"],
      model: "test/scripted",
      tool_policies: { add: "approve" },
    });
    return made.body.id;
  };
  const newSession = async () =>
    (await server.call("POST", "/v1/sessions", { agent_id: agentId })).body.id as string;
  const say = async (session: string, content: string, ends = /done|waiting/): Promise<string> => {
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content });
    await becomes(sent.body.run_id, ends);
    return sent.body.run_id;
  };
  const becomes = (run: string, status: RegExp) =>
    vi.waitFor(
      async () => expect((await server.call("GET", `/v1/runs/${run}`)).body.status).toMatch(status),
      { timeout: 15_000 },
    );
  const messages = async (session: string) =>
    (await server.call("GET", `/v1/sessions/${session}/messages`)).body.items;
  const branches = async (session: string) =>
    (await server.call("GET", `/v1/sessions/${session}/branches`)).body.items;

  test("a message is said otherwise in a fork that leaves before it, and both know of the other way", async () => {
    const first = await newSession();
    await say(first, "hello one");
    await say(first, "hello two");
    const second = (await messages(first))[2];
    const { status, body: fork } = await server.call("POST", `/v1/sessions/${first}/fork`, {
      message_id: second.id,
      before: true,
    });
    expect([status, fork.forked_from, fork.fork_position, fork.conversation_id]).toEqual([
      201,
      first,
      2,
      first,
    ]);
    await say(fork.id, "hello again");
    expect((await messages(fork.id)).map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    const point = [{ position: 2, session_ids: [first, fork.id] }];
    expect([await branches(first), await branches(fork.id)]).toEqual([point, point]);
  });

  test("a fork keeps its title and what capabilities noted, and starts without allowances", async () => {
    const first = await newSession();
    await say(first, "plan it");
    await server.services.database.pool.query(
      "insert into capability_data(capability_id, scope, key, value) values ('notes', $1, 'k', '1')",
      [`session:${first}`],
    );
    const { body: fork } = await server.call("POST", `/v1/sessions/${first}/fork`, {});
    expect([fork.title, fork.allowed_tools]).toEqual(["plan it", []]);
    const { rows } = await server.services.database.pool.query(
      "select key from capability_data where scope = $1",
      [`session:${fork.id}`],
    );
    expect(rows).toEqual([{ key: "k" }]);
  });

  test.each([{ before: true }, { message_id: "m", before: "yes" }])(
    "refuses to fork with %j",
    async (body) => {
      const answer = await server.call("POST", `/v1/sessions/${await newSession()}/fork`, body);
      expect([answer.status, answer.body.code]).toEqual([422, "input_invalid"]);
    },
  );

  test("an AG-UI thread is called by its first words", async () => {
    const threadId = crypto.randomUUID();
    const response = await fetch(`${server.url}/v1/agents/${agentId}/ag-ui`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        threadId,
        runId: "r-1",
        messages: [{ id: "m-1", role: "user", content: "hello harbour\nand more" }],
      }),
    });
    await response.text();
    expect((await server.call("GET", `/v1/sessions/${threadId}`)).body.title).toBe("hello harbour");
  });

  const pendingOf = async (session: string) =>
    (await server.call("GET", `/v1/approvals?status=pending&session_id=${session}`)).body.items;

  test("a tool that was allowed for the session does not ask again there, and asks again once that is taken back", async () => {
    const session = await newSession();
    const run = await say(session, "add them", /waiting/);
    const [asked] = await pendingOf(session);
    expect(asked).toMatchObject({ allowable: true, session_title: "add them", asked: "add them" });
    await server.call("POST", `/v1/approvals/${asked.id}`, { decision: "approve", for_session: true });
    await becomes(run, /done/);
    const allowed = (await server.call("GET", `/v1/sessions/${session}`)).body.allowed_tools;
    expect(allowed).toEqual(["test_math/add"]);
    await say(session, "add once more", /done/);
    const elsewhere = await newSession();
    await say(elsewhere, "add here", /waiting/);
    const gone = await server.call("DELETE", `/v1/sessions/${session}/allowed-tools?tool=test_math/add`);
    expect(gone.body.allowed_tools).toEqual([]);
    await say(session, "add again", /waiting/);
  });

  test("an allowance ends when the agent changes", async () => {
    agentId = await newAgent();
    const session = await newSession();
    const run = await say(session, "add them", /waiting/);
    const [asked] = await pendingOf(session);
    await server.call("POST", `/v1/approvals/${asked.id}`, { decision: "approve", for_session: true });
    await becomes(run, /done/);
    const changed = await server.call("PATCH", `/v1/agents/${agentId}`, { description: "changed" });
    expect(changed.status).toBe(200);
    // A composed agent is kept for half a second.
    await vi.waitFor(
      async () => {
        await say(session, "add again");
        expect(await pendingOf(session)).toHaveLength(1);
      },
      { timeout: 15_000 },
    );
  });

  test("a denial cannot hold for the session", async () => {
    const session = await newSession();
    await say(session, "add them", /waiting/);
    const [asked] = await pendingOf(session);
    const answer = await server.call("POST", `/v1/approvals/${asked.id}`, {
      decision: "deny",
      for_session: true,
    });
    expect([answer.status, answer.body.code]).toEqual([422, "input_invalid"]);
  });
});

const isUser = ({ role }: { role: string }): boolean => role === "user";
