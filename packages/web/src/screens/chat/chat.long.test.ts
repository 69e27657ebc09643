/**
 * People and agents in a real browser, with the offline model: first steps, compose, chat, approve, deny, upload, fork.
 * A scripted model is used only where a test must pause an answer: reload, queue and stop.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { lastUserText, type ScriptedLlm, scriptedLlm } from "../../../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let llm: ScriptedLlm;
let studio: Studio;

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["not asked for"] }));
  studio = await studioUnderTest({
    OPENAI_COMPATIBLE_BASE_URL: llm.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: "test",
  });
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
});
afterEach(() => {
  expect(studio.faults).toEqual([]);
});

describe("a chat", () => {
  test("is two clicks away in an empty install, and the model is marked as a demo", async () => {
    const page = await studio.open("/");
    await page.getByRole("button", { name: /First mate/ }).click();
    await page.getByRole("button", { name: "Add 2 and 40" }).click();
    await answer(page).getByText("42").waitFor();
    await page.getByText("capstan/offline (demo)").first().waitFor();
  });

  test("shows in a tour a plan, a file, code that runs as edited, and a stop after which it goes on", async () => {
    const page = await studio.open("/chat");
    await page.getByRole("button", { name: "Take the tour" }).click();
    const card = page.getByRole("region", { name: "Approve execute_code" });
    await card.getByRole("button", { name: "Edit arguments of execute_code" }).click();
    const code = card.getByRole("textbox").filter({ hasText: "captain" });
    await code.fill((await code.inputValue()).replace("captain", "Ada"));
    await card.getByRole("button", { name: /with edits/ }).click();
    await answer(page).getByText("Hello, Ada!").first().waitFor();
    await answer(page).getByText("3 …").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    await say(page, "go on");
    await answer(page).getByText("That was the tour.").waitFor();
    await answer(page).last().getByRole("link", { name: "add a provider key" }).click();
    await page.waitForURL(/settings\/models/);
  });

  test("is held by keyboard alone: what is typed goes into the message from the start, and after it was sent", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({})}`);
    await page.getByRole("heading", { name: "What should Mate do?" }).waitFor();
    for (const [message, result] of [
      ["what is 12 times 9", "108"],
      ["subtract 5 from 20", "15"],
    ] as const) {
      await page.keyboard.type(message);
      await page.keyboard.press("Enter");
      await answer(page).getByText(result).waitFor();
    }
  });

  test("starts from capabilities that were picked, and shows the tool's call, its time and the answer", async () => {
    const page = await studio.open("/agents/new");
    await page.getByLabel("Name", { exact: false }).first().fill("Reckoner");
    await page.getByRole("switch", { name: "Test Math" }).click();
    await page.getByRole("switch", { name: "Current Time" }).click();
    await page.getByRole("complementary", { name: "Preview" }).getByText("get_current_time").waitFor();
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.waitForURL(/\/agents\/[\da-f-]{36}/);
    await page.getByRole("link", { name: "Chat", exact: true }).last().click();
    await page.getByRole("heading", { name: "What should Reckoner do?" }).waitFor();
    await say(page, "Add 2 and 40");
    await answer(page).getByText("42").waitFor();
    const card = page.locator("details").filter({ hasText: "add" });
    await card.getByText(/\d ms$/).waitFor();
    await card.locator("summary").click();
    await card.getByRole("group", { name: "Result" }).getByText("42").waitFor();
    expect(await page.getByRole("article", { name: "You" }).textContent()).toContain("Add 2 and 40");
  });

  test("asks before a call that needs approval, and runs it with the arguments a person puts in", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({ tool_policies: { add: "approve" } })}`);
    await say(page, "Add 2 and 40");
    const card = page.getByRole("region", { name: "Approve add" });
    await card.getByRole("button", { name: "Edit arguments of add" }).click();
    await card.getByRole("spinbutton").last().fill("58");
    await card.getByRole("button", { name: /with edits/ }).click();
    await answer(page).getByText("60").waitFor();
    await page.getByText("edited", { exact: true }).waitFor();
    expect(await pendingApprovals()).toBe(0);
  });

  test("tells the agent a person's word when a call is denied", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({ tool_policies: { add: "approve" } })}`);
    await say(page, "Add 1 and 1");
    const card = page.getByRole("region", { name: "Approve add" });
    await card.getByRole("button", { name: "Deny add" }).click();
    await card.getByLabel("Reason (sent to the agent)").fill("not on a Sunday");
    await card.getByRole("button", { name: "Deny add now" }).click();
    await page.getByRole("paragraph").filter({ hasText: "denied it: not on a Sunday" }).first().waitFor();
    await answer(page).waitFor();
    expect(await pendingApprovals()).toBe(0);
  });

  test("loses and doubles no word when the page is reloaded in mid-stream", async () => {
    const agentId = await agentWith({ model: SCRIPTED });
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
    const page = await studio.open(
      `/chat?agent=${await agentWith({ capabilities: ["session_file_system"] })}`,
    );
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Add a file" }).click();
    await (await chooser).setFiles({
      name: "depth.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("forty fathoms"),
    });
    await say(page, "Read the file /uploads/depth.txt");
    await answer(page).getByText("forty fathoms").waitFor();
    const files = page.getByRole("complementary", { name: "Tasks and files" });
    await files.getByRole("button", { name: "uploads" }).click();
    await files.getByRole("button", { name: "depth.txt" }).click();
    await page.getByRole("dialog").getByText("forty fathoms").waitFor();
    await page.getByRole("tab", { name: "Edit" }).click();
    expect(await page.getByLabel("Content of /uploads/depth.txt").inputValue()).toBe("forty fathoms");
  });

  test("queues what is written while a run is on, and stops a run when asked", async () => {
    const agentId = await agentWith({ model: SCRIPTED });
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
    const said = () => page.getByRole("article", { name: "You" }).allTextContents();
    await expect.poll(said).toEqual(["first", "second"]);
    await expect.poll(() => page.getByRole("region", { name: "Queued messages" }).count()).toBe(0);
    rest.release();
  });

  test("goes on from any message in a copy of its own", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({})}`);
    await say(page, "Add 1 and 2");
    await answer(page).getByText("1 + 2 = 3").waitFor();
    await say(page, "Add 3 and 4");
    await answer(page).getByText("3 + 4 = 7").waitFor();
    const before = page.url();
    const first = answer(page).filter({ hasText: "1 + 2 = 3" });
    await first.hover();
    await first.getByRole("button", { name: "Branch from here" }).click();
    await page.waitForURL((url) => url.href !== before);
    await answer(page).getByText("1 + 2 = 3").waitFor();
    await say(page, "Add 5 and 6");
    await answer(page).getByText("5 + 6 = 11").waitFor();
    expect(await page.getByRole("article", { name: "You" }).allTextContents()).toEqual([
      "Add 1 and 2",
      "Add 5 and 6",
    ]);
  });

  test("says a message otherwise, answers again, and switches between the branches", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({})}`);
    await say(page, "Add 1 and 2");
    await answer(page).getByText("1 + 2 = 3").waitFor();
    const first = page.url();
    const you = page.getByRole("article", { name: "You" });
    await you.hover();
    await you.getByRole("button", { name: "Edit message" }).click();
    await page.getByRole("textbox", { name: "Edit message" }).fill("Add 10 and 20");
    await page.getByRole("button", { name: "Send", exact: true }).first().click();
    await answer(page).getByText("10 + 20 = 30").waitFor();
    const branches = page.getByRole("navigation", { name: "Branches" });
    await branches.getByText("2 / 2").waitFor();
    await answer(page).hover();
    await answer(page).getByRole("button", { name: "Regenerate answer" }).click();
    await branches.getByText("3 / 3").waitFor();
    await page.getByText(/Branch of “Add 1 and 2”/).waitFor();
    for (const place of ["2 / 3", "1 / 3"]) {
      await branches.getByRole("link", { name: "Previous branch" }).click();
      await branches.getByText(place).waitFor();
    }
    expect(page.url()).toBe(first);
    await answer(page).getByText("1 + 2 = 3").waitFor();
  });

  test("does not ask again for a tool that was allowed in this session, until that is revoked", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({ tool_policies: { add: "approve" } })}`, {
      viewport: { width: 1500, height: 860 },
    });
    await say(page, "Add 2 and 40");
    await page.getByRole("button", { name: "Always allow in this session" }).click();
    await answer(page).getByText("42").waitFor();
    await say(page, "Add 3 and 40");
    await answer(page).getByText("43").waitFor();
    await page.getByRole("button", { name: "Ask again before test_math/add" }).click();
    await expect.poll(() => page.getByRole("region", { name: "Allowed tools" }).count()).toBe(0);
    await say(page, "Add 4 and 40");
    await page.getByRole("button", { name: "Approve add", exact: true }).waitFor();
  });

  test.each(["no-preference", "reduce"] as const)(
    "opens at its end, and goes there with every message sent, with motion: %s",
    async (reducedMotion) => {
      const agentId = await agentWith({ model: SCRIPTED });
      const long = Array.from({ length: 60 }, (_, index) => `Line ${index}\n\n`);
      llm.script = (request) => ({ text: [...long, `end of ${lastUserText(request)}`] });
      const session = await studio.server.call("POST", "/v1/sessions", { agent_id: agentId });
      const page = await studio.open(`/chat/${session.body.id}`, { reducedMotion });
      for (const text of ["one", "two", "three"]) {
        await say(page, text);
        await inView(page.getByText(`end of ${text}`));
      }
      await page.reload();
      await inView(page.getByText("end of three"));
      await page.getByRole("group", { name: "Conversation" }).hover();
      await page.mouse.wheel(0, -3_000);
      await page.getByRole("button", { name: "Newest" }).waitFor();
      await say(page, "four");
      await inView(page.getByText("end of four"));
    },
  );

  test("keeps a waiting approval in view, however far one scrolls", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({ tool_policies: { add: "approve" } })}`);
    for (const times of [1, 2, 3, 4, 5, 6]) {
      await say(page, `multiply ${times} by 9`);
      await answer(page)
        .getByText(String(times * 9))
        .waitFor();
    }
    await say(page, "Add 2 and 40");
    const approve = page.getByRole("button", { name: "Approve add", exact: true });
    await approve.waitFor();
    await page.getByRole("group", { name: "Conversation" }).hover();
    await page.mouse.wheel(0, -3_000);
    await page.getByRole("button", { name: "Newest" }).waitFor();
    await inView(approve);
    await approve.click();
    await answer(page).getByText("42").waitFor();
    expect(await page.getByRole("region", { name: "Approve add" }).count()).toBe(0);
  });

  test("says in one line why a run failed and sends the message again when asked", async () => {
    const agentId = await agentWith({ model: SCRIPTED });
    llm.script = () => ({ status: 401, error: "Incorrect API key provided" });
    const page = await studio.open(`/chat?agent=${agentId}`);
    await say(page, "hello there");
    const line = page.getByRole("alert");
    await line.getByText(/refused the key.*Incorrect API key/).waitFor();
    expect(await line.textContent()).not.toContain("PUT /v1");
    expect(await line.getByRole("link", { name: "Open settings" }).getAttribute("href")).toBe(
      "/settings/models",
    );
    llm.script = () => ({ text: ["well met"] });
    await line.getByRole("button", { name: "Retry" }).click();
    await answer(page).getByText("well met").waitFor();
  });

  test("is found by what was said in it, renamed, pinned and deleted beside the chat", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({})}`);
    await say(page, "Add 7001 and 2");
    await answer(page).getByText("7003").waitFor();
    const others = page.getByRole("complementary", { name: "Conversations" });
    await others.getByLabel("Search conversations").fill("7001");
    await others.getByRole("list", { name: "Search results" }).getByText("Add 7001 and 2").first().waitFor();
    await others.getByLabel("Search conversations").fill("");
    const row = others.getByRole("listitem").filter({ hasText: "Add 7001 and 2" });
    await row.getByRole("link").click(); // in its middle, which the buttons of the row must leave free
    await row.hover();
    await row.getByRole("button", { name: /^Rename/ }).click();
    await page.getByRole("dialog").getByLabel("Title").fill("The large sum");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "The large sum" }).waitFor();
    const renamed = others.getByRole("listitem").filter({ hasText: "The large sum" });
    await renamed.hover();
    await renamed.getByRole("button", { name: /^Pin/ }).click();
    await others.getByRole("region", { name: "Pinned" }).getByText("The large sum").waitFor();
    await renamed.hover();
    await renamed.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL((url) => url.pathname === "/chat");
  });

  test("has a trace whose rows open, with the prompt as it was sent and an address of their own", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({ system_prompt: "Reckon well." })}`);
    await say(page, "Add 2 and 40");
    await answer(page).getByText("42").waitFor();
    await page.getByRole("link", { name: "Details" }).click();
    await page.getByRole("heading", { name: /Add 2 and 40/, level: 2 }).waitFor();
    await page.getByRole("button", { name: /tool add/ }).click();
    await page.getByRole("group", { name: "Result" }).first().getByText("42").waitFor();
    await page.reload();
    await page.getByRole("group", { name: "Result" }).first().getByText("42").waitFor();
    await page
      .getByRole("button", { name: /model offline/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Show prompt as sent" }).first().click();
    await page.getByRole("region", { name: "System prompt" }).first().getByText("Reckon well.").waitFor();
  });

  test("is reached by the palette, which finds agents, screens and conversations", async () => {
    const agentId = await agentWith({ name: "Palette Pete" });
    const page = await studio.open("/");
    await page.getByText("Recent sessions").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "New chat" }).waitFor();
    await page.keyboard.type("palette pete");
    await page.getByRole("option", { name: "Chat with Palette Pete" }).click();
    await page.waitForURL((url) => url.search.includes(agentId));
    await page.goto(`${studio.server.url}/approvals`);
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  });

  test("shows the server's words and keeps the message when it is refused", async () => {
    const agentId = await agentWith({ name: "Deserter" });
    const page = await studio.open(`/chat?agent=${agentId}`);
    await page.getByRole("heading", { name: "What should Deserter do?" }).waitFor();
    await studio.server.call("DELETE", `/v1/agents/${agentId}`);
    await say(page, "anyone there?");
    await page.getByRole("alert").getByText(agentId).waitFor();
    expect(await messageBox(page).inputValue()).toBe("anyone there?");
  });
});

describe("programs", () => {
  test("a conversation says why it cannot continue in a program, before anything changes", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({})}`);
    await say(page, "what is 12 times 9");
    await answer(page).getByText("108").first().waitFor();
    await page.getByRole("button", { name: "Continue in" }).click();
    const dialog = page.getByRole("dialog", { name: "Continue in another program" });
    await dialog
      .getByRole("region", { name: "Comes along" })
      .getByText(/messages? of the conversation/)
      .waitFor();
    await dialog.getByLabel("Program", { exact: true }).selectOption("codex");
    await dialog
      .getByRole("alert")
      .getByText(/not installed/)
      .waitFor();
    expect(await dialog.getByRole("button", { name: /^Continue in/ }).isDisabled()).toBe(true);
  });

  test("a message is answered side by side, and one branch is kept", async () => {
    const page = await studio.open(`/chat?agent=${await agentWith({ name: "Twin" })}`);
    await say(page, "what is 12 times 9");
    await answer(page).getByText("108").first().waitFor();
    const before = page.url();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("dialog").getByLabel("Message").fill("subtract 5 from 20");
    await page.getByRole("button", { name: "Send to 2" }).click();
    const branches = page.getByRole("region", { name: /Capstan/ });
    await branches.first().getByText("15").first().waitFor();
    await branches.last().getByText("15").first().waitFor();
    await branches
      .last()
      .getByText(/tokens · 0 files changed/)
      .waitFor();
    await branches.last().getByRole("button", { name: "Keep this one" }).click();
    await answer(page).getByText("15").first().waitFor();
    expect(page.url()).not.toBe(before);
  });
});

const answer = (page: Page): Locator => page.getByRole("article", { name: "Answer" });

const messageBox = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });

/** There, and within what the window shows. */
async function inView(place: Locator): Promise<void> {
  await place.waitFor();
  await expect.poll(() => place.evaluate(isInWindow), { timeout: 30_000 }).toBe(true);
}

function isInWindow(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const seen = document.elementFromPoint(innerWidth / 2, Math.max(0, Math.min(innerHeight - 1, bottom - 2)));
  return top >= 0 && bottom <= innerHeight && seen !== null;
}

async function say(page: Page, text: string): Promise<void> {
  await messageBox(page).fill(text);
  await messageBox(page).press("Enter");
}

const SCRIPTED = "openai-compatible/scripted";

async function agentWith(parts: object): Promise<string> {
  const body = { name: "Mate", capabilities: ["test_math"], ...parts };
  const made = await studio.server.call("POST", "/v1/agents", body);
  expect(made.status).toBe(201);
  return made.body.id;
}

async function pendingApprovals(): Promise<number> {
  return (await studio.server.call("GET", "/v1/approvals?status=pending")).body.items.length;
}

function held(): { done: Promise<void>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { done: promise, release: resolve };
}
