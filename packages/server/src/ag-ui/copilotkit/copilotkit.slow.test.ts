/** CopilotKit's runtime and React page before Capstan, everything that its documentation shows. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LlmRequest, lastUserText, toolAnswered } from "../../../../../tools/scripted-llm.ts";
import { callThenSay, say } from "../fixtures/agent-under-test.ts";
import { type CopilotPage, copilotKit, copilotPage, send } from "./fixtures/copilot-page.ts";

const installed = copilotKit();
const PATIENT = { timeout: 30_000 };
let kit: CopilotPage;
let thread: string;
let page: Page;

const answered = (text: string, on: Page = page) => on.getByText(text, { exact: true }).last().waitFor();
const rolesIn = async () => {
  const { body } = await kit.server.call("GET", `/v1/sessions/${thread}/messages`);
  return body.items.map(({ role }: { role: string }) => role);
};
const lastRequest = () => JSON.stringify((kit.llm.requests.at(-1) as LlmRequest).messages);
const asked = (request: LlmRequest, word: string) => lastUserText(request).includes(word);

describe.skipIf(installed === undefined)("CopilotKit (needs the npm registry once)", () => {
  beforeAll(async () => {
    kit = await copilotPage(`${installed}`);
  });
  afterAll(() => kit?.close());
  beforeEach(async () => {
    thread = crypto.randomUUID();
    kit.llm.requests.length = 0;
    kit.llm.script = (request) => say(`You said ${lastUserText(request)}.`);
    page = await kit.open(thread, { edit: "five" });
  });
  afterEach(async () => {
    await page.context().close();
    expect(kit.faults.splice(0)).toEqual([]);
  });

  test("a conversation of two turns is stored once", async () => {
    await send(page, "one");
    await answered("You said one.");
    await send(page, "two");
    await answered("You said two.");
    expect(await rolesIn()).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("a page that is loaded again shows the conversation and goes on with it", async () => {
    await send(page, "one");
    await answered("You said one.");
    await page.reload();
    await answered("You said one.");
    await send(page, "two");
    await answered("You said two.");
    expect(await rolesIn()).toEqual(["user", "assistant", "user", "assistant"]);
    expect(lastRequest()).toContain("You said one.");
  });

  test("a tool of the page runs in the page, and the model gets its result", async () => {
    kit.llm.script = callThenSay("set_color", { color: "teal" });
    await send(page, "make it teal");
    await answered("Done.");
    expect(await page.getByTestId("color").textContent()).toBe("teal");
    expect(lastRequest()).toContain("The page is teal now.");
    expect(await rolesIn()).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  test.each(["confirmed", "cancelled"])("the model hears that the person %s", async (choice) => {
    kit.llm.script = callThenSay("confirm_order", { item: "tea" });
    await send(page, "order tea");
    await page
      .getByRole("button", { name: choice === "confirmed" ? "Confirm order" : "Cancel order" })
      .click();
    await answered("Done.");
    expect(lastRequest()).toContain(choice);
  });

  describe("a call that needs approval", () => {
    const fileExists = async () =>
      (await kit.server.call("GET", `/v1/sessions/${thread}/files/a.txt`)).status === 200;

    beforeEach(async () => {
      kit.llm.script = callThenSay("write_file", { path: "/a.txt", content: "kept" });
      await send(page, "write a file");
      await answered("Done.");
      kit.llm.script = (request) =>
        asked(request, "delete") && !toolAnswered(request)
          ? { calls: [{ id: `del-${crypto.randomUUID()}`, name: "delete_file", input: { path: "/a.txt" } }] }
          : say(asked(request, "delete") ? "That was it." : "Fine.");
      await send(page, "delete it");
      await page.getByTestId("approval").waitFor();
    });

    test.each([
      ["Cancel", true],
      ["Deny", true],
      ["Approve", false],
    ])("%s leaves the file: %s", async (choice, kept) => {
      expect(await fileExists()).toBe(true);
      await page.getByRole("button", { name: choice, exact: true }).click();
      await answered("That was it.");
      expect(await fileExists()).toBe(kept);
      await send(page, "thank you");
      await answered("Fine.");
    });

    test("another message instead of an answer is refused by the client; the question stays", async () => {
      await send(page, "something else");
      await expect.poll(() => kit.faults.splice(0).join(), PATIENT).toContain("pending interrupt");
      expect(await fileExists()).toBe(true);
      await page.getByRole("button", { name: "Cancel", exact: true }).waitFor();
    });
  });

  test("of two calls that need approval, each gets its own answer", async () => {
    kit.llm.script = (request) =>
      toolAnswered(request)
        ? say("Both answered.")
        : {
            calls: ["/a.txt", "/b.txt"].map((path) => ({
              id: `del-${path}-${thread}`,
              name: "delete_file",
              input: { path },
            })),
          };
    await send(page, "delete both");
    const question = (path: string) => page.locator(`[data-call="del-${path}-${thread}"]`);
    await question("/a.txt").getByRole("button", { name: "Cancel" }).click();
    await question("/b.txt").getByRole("button", { name: "Approve" }).click();
    await answered("Both answered.");
    const { body } = await kit.server.call("GET", `/v1/sessions/${thread}/messages`);
    const results = body.items.filter(({ role }: { role: string }) => role === "tool");
    expect(results.map((result: object) => JSON.stringify(result).includes("tool_denied")).sort()).toEqual([
      false,
      true,
    ]);
  });

  test("a tool of the page and a call that needs approval in one step both count", async () => {
    kit.llm.script = (request) =>
      toolAnswered(request)
        ? say("Both done.")
        : {
            calls: [
              { id: `color-${thread}`, name: "set_color", input: { color: "teal" } },
              { id: `del-${thread}`, name: "delete_file", input: { path: "/a.txt" } },
            ],
          };
    await send(page, "both");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await answered("Both done.");
    expect(await page.getByTestId("color").textContent()).toBe("teal");
    expect(lastRequest()).toContain("The page is teal now.");
    // After a page's tool, CopilotKit goes on by itself; its own client stops that while a question is open.
    expect(kit.faults.splice(0).join()).toMatch(/^[^\n]*pending interrupt[^\n]*$/);
  });

  test("page and agent share a state, and a second page of the thread knows it", async () => {
    await page.getByRole("button", { name: "Set size" }).click();
    kit.llm.script = callThenSay("update_state", { patch: [{ op: "add", path: "/color", value: "red" }] });
    await send(page, "make it red");
    await answered("Done.");
    await expect
      .poll(() => page.getByTestId("state").textContent(), PATIENT)
      .toBe('{"size":3,"color":"red"}');
    expect(lastRequest()).toMatch(/size\\*":3/);
    const second = await kit.open(thread);
    await answered("Done.", second);
    expect(await second.getByTestId("state").textContent()).toBe('{"size":3,"color":"red"}');
    await second.context().close();
  });

  test("a component of the page shows a tool of the agent", async () => {
    kit.llm.script = callThenSay("get_weather", { city: "Oslo" });
    await send(page, "weather in Oslo");
    await answered("Done.");
    expect(await page.getByTestId("weather").textContent()).toMatch(/^Oslo: complete .*temperature/);
  });

  test("a task list without a component on the page does no harm", async () => {
    const todos = [{ content: "Run tests", activeForm: "Running tests", status: "in_progress" }];
    kit.llm.script = callThenSay("write_todos", { todos });
    await send(page, "plan it");
    await answered("Done.");
    await send(page, "and again");
    await expect.poll(() => page.getByText("Done.", { exact: true }).count(), PATIENT).toBe(2);
  });

  test("reasoning is shown as reasoning", async () => {
    kit.llm.script = () => ({ reasoning: ["Let me ", "think."], text: ["Thought."] });
    await send(page, "think");
    await answered("Thought.");
    await send(page, "again");
    await expect.poll(() => page.getByText("Thought.", { exact: true }).count(), PATIENT).toBe(2);
  });

  test("regenerate replaces the answer", async () => {
    let answers = 0;
    kit.llm.script = () => say(`Answer ${++answers}.`);
    await send(page, "one");
    await answered("Answer 1.");
    await page.getByTestId("copilot-regenerate-button").click();
    await answered("Answer 2.");
    expect(await page.getByText("Answer 1.").count()).toBe(0);
    expect(await rolesIn()).toEqual(["user", "assistant"]);
    await send(page, "two");
    await answered("Answer 3.");
    expect(lastRequest()).not.toContain("Answer 1.");
  });

  test("an edited message replaces what followed", async () => {
    await send(page, "one");
    await answered("You said one.");
    await send(page, "two");
    await answered("You said two.");
    await page.getByTestId("copilot-user-message").last().hover();
    await page.getByTestId("copilot-edit-button").last().click();
    await answered("You said five.");
    expect(await rolesIn()).toEqual(["user", "assistant", "user", "assistant"]);
    expect(lastRequest()).not.toContain("two");
  });

  test("stop cancels the run, and the conversation goes on", async () => {
    const held = Promise.withResolvers<void>();
    kit.llm.script = () => ({ text: ["This ", "never ends."], until: held.promise });
    await send(page, "talk");
    await page.getByText("This").waitFor();
    await page.getByTestId("copilot-send-button").click();
    kit.llm.script = () => say("Still here.");
    await send(page, "and now");
    await answered("Still here.");
    const { body } = await kit.server.call("GET", `/v1/sessions/${thread}/runs`);
    expect(body.items.map(({ status }: { status: string }) => status).sort()).toEqual(["cancelled", "done"]);
    held.resolve();
  });

  test("a failing model is reported, and the next message works", async () => {
    kit.llm.script = () => ({ status: 400, error: "scripted failure" });
    await send(page, "fail");
    await expect
      .poll(() => page.getByTestId("copilot-chat").getAttribute("data-copilot-running"), PATIENT)
      .toBe("false");
    kit.faults.length = 0;
    kit.llm.script = () => say("Back.");
    await send(page, "again");
    await answered("Back.");
  });
});
