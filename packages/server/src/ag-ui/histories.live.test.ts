/** Histories that say something else than the stored conversation, besides edits of the user's messages (rewinds.live.test.ts). */
import { HttpAgent } from "@ag-ui/client";
import { HttpAgent as OldHttpAgent } from "ag-ui-client-0.0";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, runInput, typesOf, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { lastUserText, toolAnswered } from "../../../../tools/scripted-llm.ts";
import { type AgentUnderTest, agentUnderTest, needsApproval, say } from "./fixtures/agent-under-test.ts";

let rig: AgentUnderTest;
beforeAll(async () => {
  rig = await agentUnderTest();
});
afterAll(() => rig?.close());
beforeEach(() => {
  rig.reset();
  rig.llm.script = (request) => say(`Answer ${rig.llm.requests.length} to ${lastUserText(request)}`);
});

const user = (content: string, id: string = crypto.randomUUID()) => ({ id, role: "user" as const, content });
const assistant = (content: string, id: string) => ({ id, role: "assistant" as const, content });
const post = async (body: object) => eventsIn(await (await rig.post(runInput(body))).text());
const itemsIn = async (threadId: string): Promise<WireEvent[]> =>
  (await rig.server.call("GET", `/v1/sessions/${threadId}/messages`)).body.items;
const textsIn = async (threadId: string): Promise<string[]> =>
  (await itemsIn(threadId)).map(({ content }) => content.map(({ text }: WireEvent) => text ?? "").join(""));
const branches = async (threadId: string): Promise<number> => {
  const { body } = await rig.server.call("GET", "/v1/sessions?limit=200");
  return body.items.filter(({ forked_from }: WireEvent) => forked_from === threadId).length;
};
const warnings = (events: readonly WireEvent[]): string[] =>
  events.filter(({ name }) => name === "capstan.warning").map(({ value }) => value.message);

async function twoTurns() {
  const agent = new HttpAgent({ url: rig.url, threadId: crypto.randomUUID() });
  for (const text of ["one", "two"]) {
    agent.addMessage(user(text));
    await agent.runAgent();
  }
  const [one, first, two, second] = agent.messages as WireEvent[];
  return { agent, threadId: agent.threadId, one, first, two, second };
}

describe("a message that is stored in another form is not an edit", () => {
  test("an attachment that the model cannot read", async () => {
    const agent = new HttpAgent({ url: rig.url, threadId: crypto.randomUUID() });
    const source = { type: "data", value: "UEsgemlw", mimeType: "application/zip" };
    agent.addMessage({
      ...user(""),
      content: [
        { type: "text", text: "read it" },
        { type: "document", source },
      ],
    } as never);
    await agent.runAgent();
    agent.addMessage(user("two"));
    await agent.runAgent();
    const roles = (await itemsIn(agent.threadId)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
    expect(await branches(agent.threadId)).toBe(0);
  });

  test("people see the attachment, the model its path", async () => {
    const source = { type: "data", value: "UEsgemlw", mimeType: "application/zip" };
    const content = [
      { type: "text", text: "read it" },
      { type: "document", source, metadata: { filename: "a.zip" } },
    ];
    const threadId = crypto.randomUUID();
    await post({ threadId, messages: [{ ...user(""), content }] });
    expect((await itemsIn(threadId))[0].content).toEqual([
      { type: "text", text: "read it" },
      {
        type: "file",
        mime_type: "application/zip",
        name: "a.zip",
        path: expect.stringMatching(/^\/uploads\//),
      },
    ]);
    const snapshot = (await post({ threadId, messages: [] })).find(
      ({ type }) => type === "MESSAGES_SNAPSHOT",
    );
    expect(snapshot.messages[0].content[1]).toMatchObject({ type: "document", source: { type: "file" } });
    expect(JSON.stringify(rig.llm.requests[0])).toContain(
      "The attached file (application/zip, 6 bytes) is at",
    );
  });

  test("two new messages, which are stored as one; and the next one can be edited", async () => {
    const threadId = crypto.randomUUID();
    const [one, two, three] = ["one", "two", "three"].map((text) => user(text)) as [
      ReturnType<typeof user>,
      ...ReturnType<typeof user>[],
    ];
    await post({ threadId, messages: [one, two] });
    const answer = assistant("Answer 1 to onetwo", "own-id");
    await post({ threadId, messages: [one, two, answer, three] });
    expect(await branches(threadId)).toBe(0);
    await post({ threadId, messages: [one, two, answer, { ...three, content: "drei" }] });
    expect((await itemsIn(threadId)).map(({ role }) => role)).toHaveLength(4);
    expect((await textsIn(threadId))[2]).toBe("drei");
  });
});

describe("a conversation that began elsewhere", () => {
  const before = [user("earlier", "e1"), assistant("Earlier answer", "e2")];

  test.each([
    ["its messages can be edited", { ...user("uno", "u1") }, "uno"],
    ["its last message can be answered again", user("one", "u1"), "one"],
  ])("%s, and the model still reads what came before", async (_what, again, text) => {
    const threadId = crypto.randomUUID();
    await post({ threadId, messages: [...before, user("one", "u1")] });
    await post({ threadId, messages: [...before, again] });
    expect((await textsIn(threadId))[0]).toBe(text);
    expect(await branches(threadId)).toBe(1);
    expect(JSON.stringify(rig.llm.requests.at(-1))).toContain("Earlier answer");
  });
});

describe("a changed answer", () => {
  test.each([
    ["the present client", () => HttpAgent],
    ["a client of the 0.0.x protocol", () => OldHttpAgent as unknown as typeof HttpAgent],
  ])("is refused, nothing is stored, and %s has the stored one again", async (_what, kind) => {
    const { threadId, agent, first } = await twoTurns();
    const before = await textsIn(threadId);
    const changed = agent.messages.map((each) =>
      each.id === first.id ? { ...each, content: "I promise it." } : each,
    );
    const asked = user("three");
    const client = new (kind())({ url: rig.url, threadId, initialMessages: [...changed, asked] as never });
    const seen: WireEvent[] = [];
    await client.runAgent({}, { onEvent: ({ event }) => void seen.push(event) }).catch(() => undefined);
    expect(seen.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "answer_changed" });
    expect(await textsIn(threadId)).toEqual(before);
    expect(client.messages.map(({ content }) => content)).toEqual([...before, "three"]);
    await client.runAgent();
    expect(await textsIn(threadId)).toEqual([...before, "three", "Answer 3 to three"]);
  });

  test("is restored with a warning where nothing is asked", async () => {
    const { threadId, one, first, two, second } = await twoTurns();
    const events = await post({ threadId, messages: [one, { ...first, content: "Other." }, two, second] });
    expect(warnings(events)).toEqual([
      `the answer "${first.id}" is not the stored one, which stays as it is`,
    ]);
    expect(events.find(({ type }) => type === "MESSAGES_SNAPSHOT").messages[1].content).toBe(first.content);
    expect(rig.llm.requests).toHaveLength(2);
  });

  test.each([
    ["its first part, of a stream that broke", (text: string) => ({ content: text.slice(0, 5) })],
    ["other white space", (text: string) => ({ content: `  ${text.replaceAll(" ", "\n")} ` })],
    ["no text", () => ({ content: "" })],
    ["an id of the client's", () => ({ id: "own-1" })],
  ])("is not %s", async (_what, shape) => {
    const { threadId, one, first, two, second } = await twoTurns();
    const messages = [one, { ...first, ...shape(first.content) }, two, second, user("three")];
    const events = await post({ threadId, messages });
    expect(warnings(events)).toEqual([]);
    expect(await textsIn(threadId)).toHaveLength(6);
  });

  test("nor the texts of a turn joined to one message", async () => {
    rig.llm.script = (request) =>
      toolAnswered(request)
        ? say("It is three.")
        : { text: ["Let me add."], calls: [{ id: "call_add", name: "add", input: { a: 1, b: 2 } }] };
    const { agent } = await rig.client("add 1 and 2");
    const texts = (agent.messages as WireEvent[]).filter(
      ({ role, content }) => role === "assistant" && content,
    );
    const joined = assistant(texts.map(({ content }) => content).join("\n\n"), texts[0].id);
    const [asked] = agent.messages;
    const events = await post({ threadId: agent.threadId, messages: [asked, joined, user("thanks")] });
    expect([warnings(events), events.at(-1).type]).toEqual([[], "RUN_FINISHED"]);
  });
});

test("an answer that the conversation does not have is reported", async () => {
  const { threadId, one, first, two, second } = await twoTurns();
  const messages = [one, first, assistant("Nobody said this.", "x1"), two, second, user("three")];
  const told = 'the answer "x1" is not in the stored conversation, and the model does not read it';
  expect(warnings(await post({ threadId, messages }))).toEqual([told]);
});

test("a history that ends with an earlier answer and asks nothing is read again, and says so", async () => {
  const { threadId, one, first, two } = await twoTurns();
  const before = await textsIn(threadId);
  const events = await post({ threadId, messages: [one, first] });
  expect(warnings(events)).toEqual([expect.stringContaining(`ends before the message "${two.id}"`)]);
  expect(await textsIn(threadId)).toEqual(before);
  expect(typesOf(events)).toContain("MESSAGES_SNAPSHOT");
});

test("an edited history beside an answer to an interrupt is reported, and the answer counts", async () => {
  const { threadId, one, first, two, second } = await twoTurns();
  rig.llm.script = needsApproval;
  const asked = await post({ threadId, messages: [one, first, two, second, user("delete it")] });
  const [{ id }] = asked.at(-1).outcome.interrupts;
  const resume = [{ interruptId: id, status: "resolved", payload: { approved: true } }];
  const events = await post({ threadId, messages: [{ ...one, content: "uno" }], resume });
  expect(warnings(events)).toEqual([expect.stringContaining("beside an answer to an interrupt")]);
  expect((await textsIn(threadId))[0]).toBe("one");
});

describe("a second result of a call", () => {
  const tools = [{ name: "pick_color", description: "", parameters: { type: "object", properties: {} } }];
  const result = (content: string, id: string) => ({ id, role: "tool", toolCallId: "call_c", content });
  const answered = async () => {
    rig.llm.script = (request) =>
      toolAnswered(request) ? say("Nice.") : { calls: [{ id: "call_c", name: "pick_color", input: {} }] };
    const threadId = crypto.randomUUID();
    await post({ threadId, tools });
    await post({ threadId, tools, messages: [result("blue", "r1")] });
    return threadId;
  };
  const kept = 'the call "call_c" has another result, which stays as it is';

  test("alone is refused when it differs, and the first one stays", async () => {
    const threadId = await answered();
    const refused = await rig.post(runInput({ threadId, tools, messages: [result("red", "r2")] }));
    expect([refused.status, (await refused.json()).code]).toEqual([409, "call_not_pending"]);
    expect(JSON.stringify(await itemsIn(threadId))).not.toContain("red");
  });

  test("is the same one sent again when it does not differ", async () => {
    const threadId = await answered();
    const events = await post({ threadId, tools, messages: [result("blue", "r2")] });
    expect([warnings(events), events.at(-1).type]).toEqual([[], "RUN_FINISHED"]);
  });

  test("beside a message is reported", async () => {
    const threadId = await answered();
    expect(warnings(await post({ threadId, tools, messages: [result("red", "r2"), user("and?")] }))).toEqual([
      kept,
    ]);
  });

  test("of the agent's own tool is a note that is reported, also while the run waits for the client", async () => {
    rig.llm.script = (request) =>
      toolAnswered(request)
        ? say("Both done.")
        : {
            calls: [
              { id: "call_del", name: "delete_file", input: { path: "/a.txt" } },
              { id: "call_c", name: "pick_color", input: {} },
            ],
          };
    const threadId = crypto.randomUUID();
    const [{ id }] = (await post({ threadId, tools })).at(-1).outcome.interrupts;
    const note = { id: "n1", role: "tool", toolCallId: "call_del", content: '{"status":"approved"}' };
    const resume = [{ interruptId: id, status: "resolved", payload: { approved: true } }];
    await post({ threadId, tools, messages: [note], resume });
    const events = await post({ threadId, tools, messages: [note, result("blue", "r1")] });
    expect(warnings(events)).toEqual([
      "the call \"call_del\" is of the agent's own tool: the client's result for it has no effect",
    ]);
    expect(JSON.stringify(events)).toContain("Both done.");
  });
});
