/** Monitors in the studio: started, watched, an alert acknowledged, paused and deleted. */
import AxeBuilder from "@axe-core/playwright";
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

beforeAll(async () => {
  llm = await scriptedLlm(obey);
  studio = await studioUnderTest(llmEnvironment(llm));
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
});

test("a monitor is started, shows the mean of each revision, and its alert is acknowledged", async () => {
  const fields = { name: "Teller", system_prompt: "Confirm what was paid." };
  const teller = (await studio.server.call("POST", "/v1/agents", fields)).body.id;
  const send = async () => {
    const { id } = (await studio.server.call("POST", "/v1/sessions", { agent_id: teller })).body;
    const sent = await studio.server.call("POST", `/v1/sessions/${id}/messages`, { content: "Refund 17" });
    const status = async () => (await studio.server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("done");
  };
  const page = await studio.open("/experiments/live");
  await page.getByRole("button", { name: "New monitor" }).click();
  await page.getByLabel("Name").fill("Amounts");
  await page.getByLabel("Agent", { exact: true }).selectOption("Teller");
  await page.getByLabel("A run is good when").selectOption("contains");
  await page.getByLabel("Text").fill("20");
  await page.getByLabel("Percent of its runs").fill("100");
  await page.getByRole("button", { name: "Start" }).click();
  const row = page.getByRole("article", { name: "Amounts" });
  await row.getByText("No scores yet.").waitFor();
  const [monitor] = (await studio.server.call("GET", "/v1/monitors")).body.items;
  await studio.server.call("PATCH", `/v1/monitors/${monitor.id}`, { every_runs: 5 });
  for (let at = 0; at < 5; at++) await send();
  await row.getByText("Revision 1").waitFor();
  await studio.server.call("PATCH", `/v1/agents/${teller}`, { system_prompt: "Be short." });
  for (let at = 0; at < 5; at++) await send();
  await row.getByText(/contains fell from 1 \(revision 1, 5 runs\) to 0 \(revision 2, 5 runs\)/).waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  await page.reload();
  await page.getByRole("link", { name: /Experiments.*1/ }).waitFor();
  await row.getByRole("button", { name: "Acknowledge" }).click();
  await expect.poll(() => row.getByRole("alert").count()).toBe(0);
  await row.getByRole("button", { name: /^Pause/ }).click();
  await row.getByText("paused", { exact: true }).waitFor();
  await row.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No monitors").waitFor();
  expect(studio.faults).toEqual([]);
});
