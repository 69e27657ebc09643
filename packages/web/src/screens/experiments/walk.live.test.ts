/** The walk of docs/prove.md in the studio: a thumbs-down becomes a case, a fixed revision is measured on it and promoted. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
} from "../../../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

/** Says what its prompt tells it to. */
function obey({ messages }: LlmRequest) {
  const system = JSON.stringify(messages.find(({ role }) => role === "system")?.content ?? "");
  return { text: [system.includes("Confirm") ? "Refunded 20." : "Done."] };
}

let llm: ScriptedLlm;
let studio: Studio;
let agent: string;

beforeAll(async () => {
  llm = await scriptedLlm(obey);
  studio = await studioUnderTest(llmEnvironment(llm));
  const made = await studio.server.call("POST", "/v1/agents", { name: "Clerk", system_prompt: "Be short." });
  agent = made.body.id;
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
});

test("from a thumbs-down to a fixed, measured, promoted revision, without leaving the studio", async () => {
  const page = await studio.open(`/chat?agent=${agent}`);
  await page.getByRole("textbox", { name: /message/i }).fill("Refund order 17");
  await page.keyboard.press("Enter");
  const answer = page
    .getByRole("article", { name: "Clerk" })
    .or(page.getByText("Done.", { exact: true }))
    .first();
  await answer.waitFor();
  await answer.hover();
  await page.getByRole("button", { name: "Pin message" }).last().click();
  await page.getByRole("button", { name: "Unpin message" }).waitFor();
  await page.getByRole("button", { name: "Bad answer" }).click();
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  const session = new URL(page.url()).pathname.split("/").at(-1);
  const stored = async () => (await studio.server.call("GET", `/v1/sessions/${session}/messages`)).body.items;
  await expect
    .poll(async () => (await stored()).at(-1))
    .toMatchObject({ feedback: { value: "down" }, pinned: true });

  // The run becomes a case, by a click in the trace.
  await page.goto(`${studio.server.url}/sessions/${session}/trace`);
  await page.getByRole("button", { name: "Add to dataset" }).click();
  await page.getByLabel("Name of the dataset").fill("Disliked");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("link", { name: "the dataset" }).click();

  // What should have been said.
  await page.getByRole("button", { name: /^Expected answer of/ }).click();
  await page.getByRole("textbox", { name: /^Expected answer of/ }).fill("Refunded 20.");
  await page.getByRole("button", { name: "Save as a new version" }).click();
  await page.getByText("Items of version 2").waitFor();
  const dataset = page.url();

  // A better prompt, as a draft: nobody gets it yet.
  await page.goto(`${studio.server.url}/agents/${agent}`);
  await page.getByLabel(/system prompt/i).fill("Confirm what was refunded.");
  await page.getByRole("button", { name: "Save as draft" }).click();
  await page.getByRole("link", { name: "Compare it or make it live" }).click();
  const second = page.getByRole("article", { name: "Revision 2" });
  await second.getByText("draft", { exact: true }).waitFor();
  const live = async () => (await studio.server.call("GET", `/v1/agents/${agent}`)).body.system_prompt;
  expect(await live()).toBe("Be short.");
  await second.getByRole("button", { name: "Compare" }).click();
  await second.getByText("+ Confirm what was refunded.").waitFor();

  // Measured beside the live one.
  await page.goto(dataset);
  await page.getByRole("button", { name: "Measure an agent" }).click();
  await page.getByLabel("Beside live").selectOption("2");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL("**/experiments/results/**");
  const table = page.getByRole("group", { name: "Variants side by side" });
  const exact = table.getByRole("row", { name: /^exact/ });
  await expect.poll(() => exact.getByRole("cell").allTextContents(), { timeout: 30_000 }).toHaveLength(2);
  await expect
    .poll(async () => (await exact.getByRole("cell").allTextContents()).map((text) => text.trim()[0]))
    .toEqual(["0", "1"]);

  // Promoted with one click and a yes; and back.
  await page.goto(`${studio.server.url}/agents/${agent}/history`);
  await second.getByRole("button", { name: "Make live" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make live" }).click();
  await second.getByText("live", { exact: true }).waitFor();
  expect(await live()).toBe("Confirm what was refunded.");
  const first = page.getByRole("article", { name: "Revision 1" });
  await first.getByRole("button", { name: "Canary" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start canary" }).click();
  await page.getByRole("columnheader", { name: "canary, revision 1" }).waitFor();
  await page.getByRole("button", { name: "End the canary" }).click();
  await expect.poll(() => page.getByRole("columnheader", { name: /canary/ }).count()).toBe(0);
  const audit = (await studio.server.call("GET", "/v1/audit?limit=20")).body.items;
  expect(audit.map(({ action }: { action: string }) => action)).toContain("agent.promoted");
  expect(studio.faults).toEqual([]);
});
