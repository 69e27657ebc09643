/** Replays in the studio: runs that differ stand first, and each opens beside its recording. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";
import { obeyPlan, shop } from "../../../../server/src/replays/fixtures/shop.ts";

let llm: ScriptedLlm;
let studio: Studio;
let session: string;

beforeAll(async () => {
  llm = await scriptedLlm(obeyPlan);
  studio = await studioUnderTest(llmEnvironment(llm), { config: { capabilities: [shop] } });
  const agent = (await post("/v1/agents", { name: "Clerk", capabilities: ["shop"] })).id;
  const runs: string[] = [];
  for (const content of ["say Hello.", "find_order 17; refund 17 20; say Refunded."]) {
    session = (await post("/v1/sessions", { agent_id: agent })).id;
    const { run_id } = await post(`/v1/sessions/${session}/messages`, { content });
    await ended(`/v1/runs/${run_id}`, "done");
    runs.push(run_id);
  }
  const { id } = await post("/v1/replays", { runs, with: { system_prompt: "skip:refund" } });
  await ended(`/v1/replays/${id}`, "done");
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
});

async function post(path: string, body: object) {
  const made = await studio.server.call("POST", path, body);
  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
  return made.body;
}

const ended = (path: string, status: string) =>
  vi.waitFor(async () => expect((await studio.server.call("GET", path)).body.status).toBe(status), 20_000);

/** Nothing for axe, and on a phone nothing wider than the screen. */
async function expectFit(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 860 });
}

test.each(["light", "dark"] as const)(
  "what differs stands first, and opens beside its recording (%s)",
  async (colorScheme) => {
    const page = await studio.open("/experiments/replays", { colorScheme });
    const row = page.getByRole("article", { name: "With prompt “skip:refund”" });
    await row.getByText("1 same").waitFor();
    await row.getByText("1 changed").waitFor();
    await expectFit(page);
    await row.getByRole("link").click();
    const items = page.getByRole("tabpanel").getByRole("listitem");
    await items.nth(1).waitFor();
    expect(await items.nth(0).textContent()).toMatch(/changed.*Refunded\..*1 other call/);
    expect(await items.nth(1).textContent()).toMatch(/same.*Hello\./);
    await expectFit(page);
    await items.nth(0).getByRole("link").click();
    const run = page.getByRole("article", { name: "Recorded run and replay" });
    await run.getByText("Missing", { exact: true }).waitFor();
    await run.getByText("not called").waitFor();
    await run.getByRole("heading", { name: "Replayed", exact: true }).waitFor();
    await expectFit(page);
    await run.getByRole("link", { name: "Recorded session" }).click();
    await page.waitForURL(`**/sessions/${session}/trace`);
    expect(studio.faults).toEqual([]);
  },
);
