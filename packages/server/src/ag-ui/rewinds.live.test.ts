/** Edit and regenerate: a history that differs from the stored one rewinds the thread, and what it said stays in a branch. */
import { HttpAgent, type Message } from "@ag-ui/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runInput, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { type LlmRequest, lastUserText } from "../../../../tools/scripted-llm.ts";
import { type AgentUnderTest, agentUnderTest, say } from "./fixtures/agent-under-test.ts";

let rig: AgentUnderTest;
beforeAll(async () => {
  rig = await agentUnderTest();
});
afterAll(() => rig?.close());
beforeEach(() => {
  rig.reset();
  rig.llm.script = (request: LlmRequest) =>
    say(`Answer ${rig.llm.requests.length} to ${lastUserText(request)}`);
});

const user = (content: string, id: string = crypto.randomUUID()) => ({ id, role: "user" as const, content });
const read = async (path: string): Promise<WireEvent> => (await rig.server.call("GET", path)).body;
const textsIn = async (sessionId: string): Promise<string[]> =>
  (await read(`/v1/sessions/${sessionId}/messages`)).items.map(({ content }: WireEvent) =>
    content.map(({ text }: WireEvent) => text ?? "").join(""),
  );
const branchesOf = async (sessionId: string): Promise<WireEvent[]> =>
  (await read("/v1/sessions?limit=100")).items.filter(
    ({ forked_from }: WireEvent) => forked_from === sessionId,
  );

async function agentWith(...texts: string[]): Promise<HttpAgent> {
  const agent = new HttpAgent({ url: rig.url, threadId: crypto.randomUUID() });
  for (const text of texts) {
    agent.addMessage(user(text));
    await agent.runAgent();
  }
  return agent;
}
const spokenBy = (agent: HttpAgent) => agent.messages.map(({ content }) => content);

const WAYS: readonly [string, (history: Message[]) => Message[], string[], number][] = [
  [
    "the last message sent again is answered again",
    (history) => history.slice(0, 5),
    ["one", "Answer 1 to one", "two", "Answer 2 to two", "three", "Answer 4 to three"],
    4,
  ],
  [
    "a new message after a shorter history replaces what followed",
    (history) => [...history.slice(0, 2), user("other")],
    ["one", "Answer 1 to one", "other", "Answer 4 to other"],
    2,
  ],
  [
    "a known message with another text replaces the stored one",
    (history) => [user("uno", history[0]?.id)],
    ["uno", "Answer 4 to uno"],
    0,
  ],
];

describe.each(WAYS)("%s", (_what, rewritten, expected, position) => {
  test("and the model, the client and the server have the same new history", async () => {
    const agent = await agentWith("one", "two", "three");
    agent.setMessages(rewritten(agent.messages));
    await agent.runAgent();
    expect(spokenBy(agent)).toEqual(expected);
    expect(await textsIn(agent.threadId)).toEqual(expected);
    const { messages } = rig.llm.requests.at(-1) as LlmRequest;
    const heard = messages.filter(({ role }) => role === "user" || role === "assistant");
    expect(heard).toHaveLength(expected.length - 1);
  });

  test("and what followed is in a branch that the list of sessions shows", async () => {
    const agent = await agentWith("one", "two", "three");
    const before = spokenBy(agent);
    agent.setMessages(rewritten(agent.messages));
    await agent.runAgent();
    const branches = await branchesOf(agent.threadId);
    expect(branches).toHaveLength(1);
    const [branch] = branches;
    const session = await read(`/v1/sessions/${agent.threadId}`);
    expect(branch).toMatchObject({
      agent_id: rig.agentId,
      owner: session.owner,
      archived: false,
      fork_position: position,
      conversation_id: session.conversation_id,
    });
    expect(session.conversation_id).not.toBeNull();
    expect(await textsIn(branch.id)).toEqual(before);
  });

  test("and the journal keeps every run with its answer", async () => {
    const agent = await agentWith("one", "two", "three");
    agent.setMessages(rewritten(agent.messages));
    await agent.runAgent();
    const { items } = await read(`/v1/sessions/${agent.threadId}/runs`);
    expect(items.map(({ status }: WireEvent) => status)).toEqual(["done", "done", "done", "done"]);
  });

  test("and the branch can be continued on its own", async () => {
    const agent = await agentWith("one", "two", "three");
    agent.setMessages(rewritten(agent.messages));
    await agent.runAgent();
    const [branch] = await branchesOf(agent.threadId);
    const other = new HttpAgent({ url: rig.url, threadId: branch.id, initialMessages: [user("four")] });
    await other.runAgent();
    expect((await textsIn(branch.id)).slice(-3)).toEqual(["Answer 3 to three", "four", "Answer 5 to four"]);
    expect(await textsIn(agent.threadId)).toEqual(expected);
  });
});

test("repeating a request does not start another run", async () => {
  const body = runInput({ messages: [user("one")] });
  await (await rig.post(body)).text();
  await (await rig.post(body)).text();
  expect(rig.llm.requests).toHaveLength(1);
  expect(await branchesOf(body.threadId)).toEqual([]);
});

test("a client that sends only its newest message continues the thread", async () => {
  const agent = await agentWith("one");
  agent.setMessages([user("two")]);
  await agent.runAgent();
  expect(await textsIn(agent.threadId)).toEqual(["one", "Answer 1 to one", "two", "Answer 2 to two"]);
  expect(await branchesOf(agent.threadId)).toEqual([]);
});
