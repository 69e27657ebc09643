/** An agent behind `useChat`: AI SDK's own `Chat` and `DefaultChatTransport`, as a page uses them. */
import { Chat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WireEvent } from "../../../../tools/ag-ui-wire.ts";
import {
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

const TOOLS = [
  { name: "pick_color", description: "Asks the user for a color.", parameters: { type: "object" } },
];
const call = (name: string, input: object) => ({ id: crypto.randomUUID(), name, input });

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Hello."] }));
  server = await testServer(await freshPglite(), llmEnvironment(llm));
  const { body } = await server.call("POST", "/v1/agents", {
    name: "Painter",
    capabilities: ["test_math", "session_file_system"],
    tool_policies: { divide: "approve" },
  });
  agentId = body.id;
});
afterAll(async () => {
  await server.stop();
  await llm.close();
});
beforeEach(() => {
  llm.script = () => ({ reasoning: ["Hm."], text: ["Hello ", "there."] });
  llm.requests.length = 0;
});

function newChat(more: Partial<ConstructorParameters<typeof Chat<UIMessage>>[0]> = {}) {
  const errors: Error[] = [];
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${server.url}/v1/agents/${agentId}/ai-sdk`,
    body: { tools: TOOLS },
  });
  const chat = new Chat<UIMessage>({ transport, onError: (error) => errors.push(error), ...more });
  return { chat, errors };
}

const partsOf = (chat: Chat<UIMessage>) => chat.messages.at(-1)?.parts ?? [];
const textOf = (chat: Chat<UIMessage>) =>
  partsOf(chat)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("");

describe("useChat", () => {
  test("shows reasoning and text, and the next message continues in the same session", async () => {
    const { chat, errors } = newChat();
    await chat.sendMessage({ text: "Hi" });
    expect(textOf(chat)).toBe("Hello there.");
    expect(partsOf(chat).map(({ type }) => type)).toContain("reasoning");
    await chat.sendMessage({ text: "And again" });
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(llm.requests.at(-1)?.messages.filter(({ role }) => role === "user")).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  test("shows the agent's own tools with their results, and does not run them", async () => {
    llm.script = (request) =>
      toolAnswered(request) ? { text: ["42"] } : { calls: [call("add", { a: 2, b: 40 })] };
    const asked: string[] = [];
    const { chat, errors } = newChat({ onToolCall: ({ toolCall }) => void asked.push(toolCall.toolName) });
    await chat.sendMessage({ text: "2 + 40?" });
    const shown = partsOf(chat).find(({ type }) => type === "dynamic-tool");
    expect(shown).toMatchObject({ toolName: "add", state: "output-available", input: { a: 2, b: 40 } });
    expect(textOf(chat)).toBe("42");
    expect(errors).toEqual([]);
  });

  test("runs the page's own tool and returns its result", async () => {
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: [`You like ${request.messages.findLast(({ role }) => role === "tool")?.content}.`] }
        : { calls: [call("pick_color", {})] };
    const { chat, errors } = newChat({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        if (toolCall.toolName === "pick_color")
          chat.addToolOutput({ tool: "pick_color", toolCallId: toolCall.toolCallId, output: "blue" });
      },
    });
    await chat.sendMessage({ text: "Paint it." });
    await expect.poll(() => textOf(chat)).toBe("You like blue.");
    expect(chat.messages).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  test.each([
    [true, "output-available", "4"],
    [false, "output-error", "Then not."],
  ])("an approval answered with %s leaves the call %s", async (approved, state, said) => {
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: [approved ? "4" : "Then not."] }
        : { calls: [call("divide", { a: 8, b: 2 })] };
    const { chat, errors } = newChat({
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "8 / 2?" });
    expect(errors).toEqual([]);
    const asked = partsOf(chat).find((part) => part.type === "dynamic-tool");
    expect(asked?.state).toBe("approval-requested");
    await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved });
    await expect.poll(() => textOf(chat)).toBe(said);
    expect(partsOf(chat).find((part) => part.type === "dynamic-tool")?.state).toBe(state);
    expect(errors).toEqual([]);
  });

  test.each<[string, (part: WireEvent) => object, number]>([
    ["the call has another input", (part) => ({ ...part, input: { a: 9, b: 3 } }), 409],
    ["edits beside it", (part) => ({ ...part, editedArgs: { a: 9, b: 3 } }), 422],
    ["edits in it", (part) => ({ ...part, approval: { ...part.approval, editedArgs: { a: 9, b: 3 } } }), 422],
  ])("an approval is refused and stays pending when %s", async (_what, change, status) => {
    llm.script = () => ({ calls: [call("divide", { a: 8, b: 2 })] });
    const { chat } = newChat();
    await chat.sendMessage({ text: "8 / 2?" });
    const [asked, answer] = JSON.parse(JSON.stringify(chat.messages)) as WireEvent[];
    const parts = answer.parts.map((part: WireEvent) =>
      part.type === "dynamic-tool"
        ? change({ ...part, state: "approval-responded", approval: { ...part.approval, approved: true } })
        : part,
    );
    const body = { id: chat.id, messages: [asked, { ...answer, parts }] };
    expect((await server.call("POST", `/v1/agents/${agentId}/ai-sdk`, body)).status).toBe(status);
    const { body: found } = await server.call("GET", "/v1/approvals?status=pending&limit=1");
    expect(found.items[0]).toMatchObject({ tool: "divide", input: { a: 8, b: 2 } });
  });

  test("gets the reason why a run failed", async () => {
    llm.script = () => ({ status: 401 });
    const { chat, errors } = newChat();
    await chat.sendMessage({ text: "Hi" });
    expect(chat.status).toBe("error");
    expect(errors.map(({ message }) => message).join()).toMatch(/401/);
  });

  test("an unknown field is refused by name, and nothing runs", async () => {
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${server.url}/v1/agents/${agentId}/ai-sdk`,
      body: { dryRun: true },
    });
    const { chat, errors } = newChat({ transport });
    await chat.sendMessage({ text: "Hi" });
    expect(errors.map(({ message }) => message).join()).toContain("dryRun");
    expect(llm.requests).toEqual([]);
  });

  test("a reloaded page joins the answer being written, and gets nothing when there is none", async () => {
    const { chat } = newChat();
    await chat.resumeStream();
    expect(chat.messages).toEqual([]);
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    llm.script = () => ({ text: ["Slowly ", "done."], until });
    const sent = chat.sendMessage({ text: "Hi" });
    await expect.poll(() => textOf(chat)).toBe("Slowly ");
    const { chat: reloaded } = newChat({ id: chat.id, messages: chat.messages.slice(0, 1) });
    const joined = reloaded.resumeStream();
    await expect.poll(() => textOf(reloaded)).toContain("Slowly");
    release();
    await Promise.all([sent, joined]);
    expect(textOf(reloaded)).toBe("Slowly done.");
  });
});

describe("a request that nobody can answer", () => {
  const asked = { id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] };
  const answered = (part: object) => ({ id: "m2", role: "assistant", parts: [part] });
  const file = { type: "file", mediaType: "image/png", url: "nowhere" };
  const result = {
    type: "tool-pick_color",
    toolCallId: "nope",
    state: "output-available",
    input: {},
    output: 1,
  };
  test.each([
    ["ends with an answer", [asked, answered({ type: "text", text: "Ho" })], 422, "nothing to answer"],
    ["has the result of a call that nobody made", [asked, answered(result)], 409, '"nope"'],
    ["has a file that is nowhere", [{ ...asked, parts: [...asked.parts, file] }], 422, "parts[1].url"],
  ])("%s: it is refused, not answered with nothing", async (_what, messages, status, said) => {
    const body = { id: crypto.randomUUID(), messages, tools: TOOLS };
    const refused = await server.call("POST", `/v1/agents/${agentId}/ai-sdk`, body);
    expect(refused).toMatchObject({ status, body: { message: expect.stringContaining(said) } });
    expect(llm.requests).toEqual([]);
  });
});
