/** People and agents in a real browser: compose, chat, approve, deny, upload, queue, stop, fork, and reload in mid-stream. */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type LlmReply,
  lastUserText,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let llm: ScriptedLlm;
let studio: Studio;

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["not asked for"] }));
  studio = await studioUnderTest(llmEnvironment(llm));
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
});
afterEach(() => {
  expect(studio.faults).toEqual([]);
});

describe("a chat", () => {
  test("starts from capabilities that were picked, and shows the tool's call and the answer", async () => {
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: ["It is ", "**42**", "."] }
        : { calls: [{ id: "call-1", name: "add", input: { a: 2, b: 40 } }] };
    const page = await studio.open("/agents/new");
    await page.getByLabel("Name", { exact: false }).first().fill("Reckoner");
    await page.getByRole("switch", { name: "Test Math" }).click();
    await page.getByRole("switch", { name: "Current Time" }).click();
    await page.getByRole("complementary", { name: "Preview" }).getByText("get_current_time").waitFor();
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("link", { name: "Chat", exact: true }).last().click();
    await say(page, "Add 2 and 40");
    await page.getByRole("article", { name: "Answer" }).getByText("42", { exact: true }).waitFor();
    const card = page.locator("details").filter({ hasText: "add" });
    await card.locator("summary").click();
    await card.getByRole("region", { name: "Result" }).getByText("42").waitFor();
    expect(await page.getByRole("article", { name: "You" }).textContent()).toContain("Add 2 and 40");
  });

  test("asks before a call that needs approval, and runs it with the arguments a person puts in", async () => {
    const { agentId } = await agentWith({ add: "approve" });
    const seen = recordTool();
    const page = await studio.open(`/chat?agent=${agentId}`);
    await say(page, "Add 2 and 40");
    const card = page.getByRole("region", { name: "Approve add" });
    await card.getByRole("button", { name: "Edit the arguments of add" }).click();
    await card.getByLabel("B", { exact: false }).last().fill("58");
    await card.getByRole("button", { name: /with these arguments/ }).click();
    await answer(page).getByText("The tool said 60").waitFor();
    expect(seen).toEqual([60]);
    await page.getByText("edited").waitFor();
    expect(await pendingApprovals()).toBe(0);
  });

  test("tells the agent a person's word when a call is denied", async () => {
    const { agentId } = await agentWith({ add: "approve" });
    llm.script = (request) =>
      toolAnswered(request)
        ? {
            text: [
              /not on a Sunday/.test(JSON.stringify(request.messages)) ? "I heard: not on a Sunday" : "?",
            ],
          }
        : { calls: [{ id: "call-1", name: "add", input: { a: 1, b: 1 } }] };
    const page = await studio.open(`/chat?agent=${agentId}`);
    await say(page, "Add 1 and 1");
    const card = page.getByRole("region", { name: "Approve add" });
    await card.getByRole("button", { name: "Deny add" }).click();
    await card.getByLabel("A word to the agent").fill("not on a Sunday");
    await card.getByRole("button", { name: "Deny add now" }).click();
    await answer(page).getByText("I heard: not on a Sunday").waitFor();
    await page.getByRole("paragraph").filter({ hasText: "said no" }).waitFor();
  });

  test("loses and doubles no word when the page is reloaded in mid-stream", async () => {
    const { agentId } = await agentWith({});
    const words = Array.from({ length: 120 }, (_, index) => `word${index} `);
    const rest = held();
    llm.script = () => ({ text: [...words, "the-end"], until: rest.done });
    const page = await studio.open(`/chat?agent=${agentId}`);
    await say(page, "Speak");
    await answer(page).getByText("word119").waitFor();
    await page.reload();
    await answer(page).getByText("word119").waitFor();
    rest.release();
    await answer(page).getByText("the-end").waitFor();
    expect(await answer(page).textContent()).toContain(`${words.join("")}the-end`);
    expect(await answer(page).count()).toBe(1);
  });

  test("uploads a file, which the agent reads", async () => {
    const { agentId } = await agentWith({}, ["session_file_system"]);
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: [/forty fathoms/.test(JSON.stringify(request.messages)) ? "It says forty fathoms" : "?"] }
        : { calls: [{ id: "call-1", name: "read_file", input: { path: "/uploads/depth.txt" } }] };
    const page = await studio.open(`/chat?agent=${agentId}`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Add a file" }).click();
    await (await chooser).setFiles({
      name: "depth.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("forty fathoms"),
    });
    await say(page, "What does it say?");
    await answer(page).getByText("It says forty fathoms").waitFor();
    const files = page.getByRole("complementary", { name: "Tasks and files" });
    await files.getByRole("button", { name: "uploads" }).click();
    await files.getByRole("button", { name: "depth.txt" }).click();
    expect(await page.getByLabel("Content of /uploads/depth.txt").inputValue()).toBe("forty fathoms");
  });

  test("queues what is written while a run is on, and stops a run when asked", async () => {
    const { agentId } = await agentWith({});
    const rest = held();
    llm.script = (request) =>
      lastUserText(request).includes("first")
        ? { text: ["slow ", "answer"], until: rest.done }
        : { text: ["second answer"] };
    const page = await studio.open(`/chat?agent=${agentId}`);
    await say(page, "first");
    await answer(page).getByText("slow").waitFor();
    await say(page, "second");
    await page.getByRole("region", { name: "Queued messages" }).getByText("second").waitFor();
    await page.reload();
    await page.getByRole("region", { name: "Queued messages" }).getByText("second").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    await answer(page).getByText("second answer").waitFor();
    expect(await page.getByRole("article", { name: "You" }).allTextContents()).toEqual(["first", "second"]);
    expect(await page.getByRole("region", { name: "Queued messages" }).count()).toBe(0);
    rest.release();
  });

  test("goes on from any message in a copy of its own", async () => {
    const { agentId } = await agentWith({});
    llm.script = (request) => ({ text: [`You said ${lastUserText(request)}`] });
    const page = await studio.open(`/chat?agent=${agentId}`);
    await say(page, "one");
    await answer(page).getByText("You said one").waitFor();
    await say(page, "two");
    await answer(page).getByText("You said two").waitFor();
    const before = page.url();
    const first = answer(page).filter({ hasText: "You said one" });
    await first.hover();
    await first.getByRole("button", { name: "Fork from here" }).click();
    await page.waitForURL((url) => url.href !== before);
    await answer(page).getByText("You said one").waitFor();
    await say(page, "three");
    await answer(page).getByText("You said three").waitFor();
    expect(await page.getByRole("article", { name: "You" }).allTextContents()).toEqual(["one", "three"]);
  });

  test("shows the server's words and keeps the message when it is refused", async () => {
    const { agentId } = await agentWith({}, ["noop"], "Deserter");
    const page = await studio.open(`/chat?agent=${agentId}`);
    await page.getByRole("heading", { name: "What shall Deserter do?" }).waitFor();
    await studio.server.call("DELETE", `/v1/agents/${agentId}`);
    await say(page, "anyone there?");
    await page.getByRole("alert").getByText(agentId).waitFor();
    expect(await messageBox(page).inputValue()).toBe("anyone there?");
  });
});

const answer = (page: Page): Locator => page.getByRole("article", { name: "Answer" });

const messageBox = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });

async function say(page: Page, text: string): Promise<void> {
  await messageBox(page).fill(text);
  await messageBox(page).press("Enter");
}

async function agentWith(
  tool_policies: object,
  capabilities: string[] = ["test_math"],
  name = "Mate",
): Promise<{ agentId: string }> {
  const made = await studio.server.call("POST", "/v1/agents", { name, capabilities, tool_policies });
  expect(made.status).toBe(201);
  return { agentId: made.body.id };
}

async function pendingApprovals(): Promise<number> {
  return (await studio.server.call("GET", "/v1/approvals?status=pending")).body.items.length;
}

/** The model asks for one addition and then repeats what the tool told it. */
function recordTool(): number[] {
  const seen: number[] = [];
  llm.script = (request): LlmReply => {
    if (!toolAnswered(request)) return { calls: [{ id: "call-1", name: "add", input: { a: 2, b: 40 } }] };
    const said = JSON.parse(String(request.messages.at(-1)?.content)) as { result: number };
    seen.push(said.result);
    return { text: [`The tool said ${said.result}`] };
  };
  return seen;
}

function held(): { done: Promise<void>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { done: promise, release: resolve };
}
