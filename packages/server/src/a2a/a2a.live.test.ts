/** A2A with the SDK's own client, of 1.0 and of 0.3. */
import { type Message, Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type LlmReply,
  type LlmRequest,
  lastUserText,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let llm: ScriptedLlm;
let agentId: string;
let client: Client;

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Hello."] }));
  server = await testServer(await freshPglite(), llmEnvironment(llm));
  const { body: helper } = await server.call("POST", "/v1/agents", {
    name: "Helper",
    capabilities: ["session_file_system"],
    tool_policies: { delete_file: "approve" },
  });
  const { body } = await server.call("POST", "/v1/agents", {
    name: "Teller",
    description: "Tells things.",
    capabilities: ["test_math", "session_file_system", `agent.${helper.id}`],
    tool_policies: { delete_file: "approve" },
  });
  agentId = body.id;
  client = await new ClientFactory().createFromUrl(
    `${server.url}/v1/agents/${agentId}/a2a/agent-card.json`,
    "",
  );
});
afterAll(async () => {
  await server.stop();
  await llm.close();
});
beforeEach(() => {
  llm.script = () => ({ text: ["Hello ", "there."] });
  llm.requests.length = 0;
});

const message = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: crypto.randomUUID(),
  contextId: "",
  taskId: "",
  role: Role.ROLE_USER,
  parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
});
const send = async (text: string, more: Partial<Message> = {}, configuration = {}): Promise<Task> =>
  (await client.sendMessage({
    tenant: "",
    message: message(text, more),
    metadata: undefined,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
  })) as Task;

async function stream(text: string, more: Partial<Message> = {}): Promise<StreamResponse[]> {
  const got: StreamResponse[] = [];
  const params = { tenant: "", message: message(text, more), metadata: undefined, configuration: undefined };
  for await (const update of client.sendMessageStream(params)) got.push(update);
  return got;
}

const words = (task: Task | undefined): string =>
  (task?.artifacts ?? [])
    .flatMap(({ parts }) => parts)
    .map(({ content }) => (content?.$case === "text" ? content.value : ""))
    .join("");
const once =
  (reply: LlmReply, then: LlmReply = { text: ["Done."] }) =>
  (request: LlmRequest): LlmReply =>
    toolAnswered(request) ? then : reply;
const asksToDelete = () =>
  once({ calls: [{ id: `d-${crypto.randomUUID()}`, name: "delete_file", input: { path: "/a.txt" } }] });

describe("the agent card", () => {
  test("describes the agent, its address, and what it can do", async () => {
    const { body } = await server.call("GET", `/.well-known/agent-card.json?agent=${agentId}`);
    expect(body).toMatchObject({
      name: "Teller",
      description: "Tells things.",
      capabilities: { streaming: true },
      supportedInterfaces: [
        { url: `${server.url}/v1/agents/${agentId}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { protocolVersion: "0.3" },
      ],
    });
    expect(body.skills.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(["test_math", "session_file_system"]),
    );
    expect(body.defaultInputModes).toContain("application/octet-stream");
    expect(body.defaultInputModes).not.toContain("image/png"); // nobody knows what this model reads
  });

  test("matches the capabilities document, and changes with it", async () => {
    const { body: agent } = await server.call("POST", "/v1/agents", {
      name: "Grower",
      capabilities: ["test_math"],
    });
    const both = async () => {
      const { body: card } = await server.call("GET", `/v1/agents/${agent.id}/a2a/agent-card.json`);
      const { body: declared } = await server.call("GET", `/v1/agents/${agent.id}/ag-ui/capabilities`);
      return { card, declared };
    };
    const before = await both();
    await server.call("PATCH", `/v1/agents/${agent.id}`, { capabilities: ["test_math", "current_time"] });
    const after = await both();
    for (const { card, declared } of [before, after]) {
      const ids = (list: { id: string }[]) => list.map(({ id }) => id);
      expect(ids(card.skills)).toEqual(ids(declared.custom.capabilities));
      expect(card.version).toBe(declared.identity.version);
      expect(card.defaultOutputModes).toEqual(declared.output.supportedMimeTypes);
    }
    expect(after.card.skills).toHaveLength(before.card.skills.length + 1);
  });

  test("of a server with several agents must be requested by name", async () => {
    expect((await server.call("GET", "/.well-known/agent-card.json")).status).toBe(404);
    expect((await server.call("GET", "/v1/agents/nobody/a2a/agent-card.json")).status).toBe(404);
  });
});

describe("a task", () => {
  test("is a run: a message starts it, and it ends with the answer", async () => {
    const task = await send("hi");
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(words(task)).toBe("Hello there.");
    expect(task.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT]);
    const { body } = await server.call("GET", `/v1/runs/${task.id}`);
    expect(body).toMatchObject({ status: "done", session_id: task.contextId });
  });

  test("streams: the task, its text, its end", async () => {
    const updates = await stream("hi");
    expect(updates[0]?.payload?.$case).toBe("task");
    const said = updates.flatMap(({ payload }) =>
      payload?.$case === "artifactUpdate" ? (payload.value.artifact?.parts ?? []) : [],
    );
    expect(said.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("")).toBe(
      "Hello there.",
    );
    const last = updates.at(-1)?.payload;
    expect(last).toMatchObject({
      $case: "statusUpdate",
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
  });

  test("continues in its context: the agent remembers", async () => {
    const first = await send("my name is Ann");
    await send("who am I?", { contextId: first.contextId });
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain("my name is Ann");
  });

  test("can be read, listed, and started without waiting for its end", async () => {
    let release: (value?: unknown) => void = () => {};
    const until = new Promise((resolve) => {
      release = resolve;
    });
    llm.script = () => ({ text: ["slow ", "answer"], until });
    const started = await send("hi", {}, { returnImmediately: true });
    expect(started.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    const followed: StreamResponse[] = [];
    for await (const update of client.resubscribeTask({ tenant: "", id: started.id })) {
      followed.push(update);
      release();
    }
    expect(followed.at(-1)?.payload?.$case).toBe("statusUpdate");
    const got = await client.getTask({ tenant: "", id: started.id });
    expect(words(got)).toBe("slow answer");
    const list = {
      tenant: "",
      contextId: started.contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: "",
      statusTimestampAfter: undefined,
    };
    expect((await client.listTasks(list)).tasks.map(({ id }) => id)).toEqual([started.id]);
  });

  test("can be cancelled, and only once", async () => {
    llm.script = () => ({ text: ["never ", "ends"], until: new Promise(() => {}) });
    const started = await send("hi", {}, { returnImmediately: true });
    const cancel = () => client.cancelTask({ tenant: "", id: started.id, metadata: undefined });
    expect((await cancel()).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(cancel()).rejects.toThrow(/over/);
  });

  test("that fails says why", async () => {
    llm.script = () => ({ status: 401 });
    const task = await send("hi");
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(JSON.stringify(task.status?.message)).toContain("provider_key_refused");
  });

  test("of another user, and an unknown one, are not found", async () => {
    await expect(client.getTask({ tenant: "", id: crypto.randomUUID() })).rejects.toThrow();
    const { body: other } = await server.call("POST", "/v1/agents", { name: "Other" });
    const { body: session } = await server.call("POST", "/v1/sessions", { agent_id: other.id });
    const { body: sent } = await server.call("POST", `/v1/sessions/${session.id}/messages`, {
      content: "hi",
    });
    await expect(client.getTask({ tenant: "", id: sent.run_id })).rejects.toThrow();
  });

  test("accepts files and data", async () => {
    const data = {
      content: { $case: "data" as const, value: { a: 1 } },
      metadata: undefined,
      filename: "",
      mediaType: "",
    };
    const raw = {
      content: { $case: "raw" as const, value: Buffer.from("x") },
      metadata: undefined,
      filename: "all.zip",
      mediaType: "application/zip",
    };
    await send("look", { parts: [...message("look").parts, data, raw] });
    const told = lastUserText(llm.requests.at(-1) as LlmRequest);
    expect(told).toContain('a\\":1');
    expect(told).toContain("all.zip");
  });
});

describe("options without effect are refused", () => {
  const part = (content: Message["parts"][number]["content"]) => ({
    parts: [...message("look").parts, { content, metadata: undefined, filename: "", mediaType: "image/png" }],
  });
  const push = {
    id: "",
    taskId: "",
    tenant: "",
    url: "https://a.example",
    token: "",
    authentication: undefined,
  };
  test.each<[what: string, said: RegExp, more: Partial<Message>, configuration: object]>([
    ["a push notification", /webhook/, {}, { taskPushNotificationConfig: push }],
    ["another kind of answer", /text\/plain/, {}, { acceptedOutputModes: ["image/png"] }],
    ["a history of less than nothing", /historyLength/, {}, { historyLength: -1 }],
    ["an agent's own words", /message.role/, { role: Role.ROLE_AGENT }, {}],
    ["a file that is nowhere", /parts\[1\].*not a URL/, part({ $case: "url", value: "nowhere" }), {}],
    ["a part without content", /parts\[1\]/, part(undefined), {}],
  ])("%s", async (_what, said, more, configuration) => {
    await expect(send("hi", more, configuration)).rejects.toThrow(said);
    expect(llm.requests).toEqual([]);
  });

  test("any kind of text is accepted", async () => {
    const task = await send("hi", {}, { acceptedOutputModes: ["image/png", "text/*;q=0.5"] });
    expect(words(task)).toBe("Hello there.");
  });

  const list = (more: object) =>
    client.listTasks({
      tenant: "",
      contextId: "",
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: "",
      statusTimestampAfter: undefined,
      ...more,
    });
  test.each([
    [{ pageToken: "garbage" }, /nextPageToken/],
    [{ pageSize: 0 }, /pageSize/],
    [{ statusTimestampAfter: "yesterday" }, /ISO 8601/],
  ])("a list of tasks with %j", async (more, said) => {
    await expect(list(more)).rejects.toThrow(said);
  });

  test("a list contains what its filters select", async () => {
    const task = await send("hi");
    const ids = async (more: object) => (await list(more)).tasks.map(({ id }) => id);
    expect(await ids({ status: TaskState.TASK_STATE_REJECTED })).toEqual([]);
    expect(await ids({ status: TaskState.TASK_STATE_COMPLETED, pageSize: 1 })).toEqual([task.id]);
    const { timestamp = "" } = task.status ?? {};
    expect(await ids({ statusTimestampAfter: new Date(Date.parse(timestamp) + 1).toISOString() })).toEqual(
      [],
    );
    expect(await ids({ statusTimestampAfter: "2020-01-01T00:00:00Z" })).toContain(task.id);
  });

  test("an unknown task is named", async () => {
    const unknown = client.getTask({ tenant: "", id: "nope" });
    await expect(unknown).rejects.toThrow(/no task "nope"/);
  });
});

describe("a task that asks a person", () => {
  const answer = (value: object) => ({
    parts: [{ content: { $case: "data" as const, value }, metadata: undefined, filename: "", mediaType: "" }],
  });

  test("stops with the question, and continues with the answer", async () => {
    llm.script = asksToDelete();
    const asked = await send("delete it");
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(JSON.stringify(asked.status?.message)).toContain("delete_file");
    const done = await send("", {
      taskId: asked.id,
      contextId: asked.contextId,
      ...answer({ approved: true }),
    });
    expect(done).toMatchObject({ id: asked.id, status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(words(done)).toBe("Done.");
  });

  test("treats anything but a clear yes as a denial", async () => {
    llm.script = asksToDelete();
    const asked = await send("delete it");
    await send("maybe, but keep a copy", { taskId: asked.id, contextId: asked.contextId });
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain("maybe, but keep a copy");
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain("tool_denied");
  });

  test("passes on the questions of an agent it delegated to", async () => {
    const delegate = {
      id: `h-${crypto.randomUUID()}`,
      name: "delegate_to_helper",
      input: { task: "the helper's task" },
    };
    const own = once({ calls: [delegate] }, { text: ["All done."] });
    const helpers = asksToDelete();
    llm.script = (request) =>
      request.messages.some(
        ({ role, content }) => role === "user" && JSON.stringify(content).includes("the helper's task"),
      )
        ? helpers(request)
        : own(request);
    const asked = await send("let the helper do it");
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = await send("yes", { taskId: asked.id, contextId: asked.contextId });
    expect(words(done)).toBe("All done.");
  });

  test("runs the edited call, and no other", async () => {
    llm.script = asksToDelete();
    const asked = await send("delete it");
    const edited = answer({ approved: true, editedArgs: { path: "/b.txt" } });
    await send("", { taskId: asked.id, contextId: asked.contextId, ...edited });
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain("/b.txt");
  });

  test.each([
    ["a misspelt edit", { approved: true, edited_args: { path: "/b.txt" } }, 'use \\"editedArgs\\"'],
    ["a misspelt no", { aproved: false }, 'did you mean \\"approved\\"'],
    ["a yes as text", { approved: "true" }, "approved: expected boolean"],
    [
      "a no with an edit",
      { approved: false, editedArgs: { path: "/b.txt" } },
      "only a call that is approved",
    ],
    ["nothing", {}, "approved: missing"],
    ["a yes beside other words", { approved: true }, "belongs in its `reason`"],
  ])("stays pending after %s, which is refused", async (_what, value, said) => {
    llm.script = asksToDelete();
    const asked = await send("delete it");
    const yes = "editedArgs" in value ? [] : message("yes").parts;
    const parts = [...yes, ...answer(value).parts];
    const refused = await send("", { taskId: asked.id, contextId: asked.contextId, parts }).catch(String);
    expect(JSON.stringify(refused)).toContain(said);
    const { body } = await server.call("GET", `/v1/approvals?status=pending&session_id=${asked.contextId}`);
    expect(body.items).toHaveLength(1);
  });

  test("refuses one edit for two calls", async () => {
    const calls = ["/a.txt", "/b.txt"].map((path) => ({
      id: `d-${crypto.randomUUID()}`,
      name: "delete_file",
      input: { path },
    }));
    llm.script = once({ calls });
    const asked = await send("delete both");
    const place = { taskId: asked.id, contextId: asked.contextId };
    const edited = answer({ approved: true, editedArgs: { path: "/c.txt" } });
    await expect(send("", { ...place, ...edited })).rejects.toThrow(/asks about 2 calls/);
    expect(words(await send("", { ...place, ...answer({ approved: true }) }))).toBe("Done.");
  });

  test("refuses a message to a finished task", async () => {
    const done = await send("hi");
    await expect(send("more", { taskId: done.id, contextId: done.contextId })).rejects.toThrow(
      /without a task/,
    );
  });
});

test("a client of 0.3 sends, streams, gets and cancels", async () => {
  const legacyCompat = { enabled: true };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  });
  const { body: card } = await server.call("GET", `/v1/agents/${agentId}/a2a/agent-card.json`);
  const { supportedInterfaces: _, ...old } = card;
  const legacy = await new ClientFactory(options).createFromAgentCard(old);
  const params = { tenant: "", message: message("hi"), metadata: undefined, configuration: undefined };
  const task = (await legacy.sendMessage(params)) as Task;
  expect(words(task)).toBe("Hello there.");
  const kinds: (string | undefined)[] = [];
  for await (const { payload } of legacy.sendMessageStream({ ...params, message: message("again") }))
    kinds.push(payload?.$case);
  expect(kinds[0]).toBe("task");
  expect(kinds.at(-1)).toBe("statusUpdate");
  expect((await legacy.getTask({ tenant: "", id: task.id })).id).toBe(task.id);
  const raw = await server.call("POST", `/v1/agents/${agentId}/a2a`, {
    jsonrpc: "2.0",
    id: 1,
    method: "message/send",
    params: {
      message: {
        kind: "message",
        messageId: crypto.randomUUID(),
        role: "user",
        parts: [{ kind: "text", text: "hi" }],
      },
    },
  });
  expect(raw.body.result).toMatchObject({ kind: "task", status: { state: "completed" } });
});
