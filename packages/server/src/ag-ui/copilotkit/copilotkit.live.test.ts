/** CopilotKit before Capstan, in short; `copilotkit.slow.test.ts` is the whole. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolAnswered } from "../../../../../tools/scripted-llm.ts";
import { callThenSay, say } from "../fixtures/agent-under-test.ts";
import { type CopilotPage, copilotKit, copilotPage, send } from "./fixtures/copilot-page.ts";

const installed = copilotKit();
let kit: CopilotPage;

describe.skipIf(installed === undefined)("CopilotKit (needs the npm registry once)", () => {
  beforeAll(async () => {
    kit = await copilotPage(`${installed}`);
  });
  afterAll(() => kit?.close());

  test("chats, runs a tool of the page, and Cancel keeps the agent's tool from running", async () => {
    const thread = crypto.randomUUID();
    const page = await kit.open(thread);
    await send(page, "hi");
    await page.getByText("Hello there.").waitFor();

    kit.llm.script = callThenSay("set_color", { color: "teal" });
    await send(page, "make it teal");
    await page.getByText("Done.").waitFor();
    expect(await page.getByTestId("color").textContent()).toBe("teal");

    kit.llm.script = (request) =>
      toolAnswered(request)
        ? say("Not deleted.")
        : { calls: [{ id: "call_delete", name: "delete_file", input: { path: "/a.txt" } }] };
    await send(page, "delete it");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByText("Not deleted.").waitFor();
    const { body } = await kit.server.call("GET", `/v1/sessions/${thread}/messages`);
    expect(JSON.stringify(body.items)).toContain("tool_denied");
    expect(kit.faults).toEqual([]);
  });
});
