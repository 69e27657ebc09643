/** Experiments in the studio: what got worse stands first, every cell opens its trace, people score with keys. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
} from "../../../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

/** Says what the message tells it to, unless the system prompt says otherwise; "perhaps" only every second time. */
let asked = 0;
function obey({ messages }: LlmRequest) {
  const system = JSON.stringify(messages.find(({ role }) => role === "system")?.content ?? "");
  const said = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  if (system.includes("Always say Done.")) return { text: ["Done."] };
  const wanted = /say ([\w ]+\.?)/.exec(said)?.[1] ?? "nothing";
  return { text: [wanted === "perhaps" && asked++ % 2 === 1 ? "never" : wanted] };
}

const TOKEN = `ghp_${"a1B2".repeat(9)}`;
let llm: ScriptedLlm;
let studio: Studio;
let agent: string;
let session: string;
let dataset: string;

beforeAll(async () => {
  llm = await scriptedLlm(obey);
  studio = await studioUnderTest(llmEnvironment(llm));
  agent = (await post("/v1/agents", { name: "Clerk" })).id;
  session = (await post("/v1/sessions", { agent_id: agent })).id;
  const { run_id } = await post(`/v1/sessions/${session}/messages`, { content: "say hello" });
  const status = async () => (await studio.server.call("GET", `/v1/runs/${run_id}`)).body.status;
  await vi.waitFor(async () => expect(await status()).toBe("done"), 20_000);
  dataset = (await post("/v1/datasets", { name: "Greetings" })).id;
  await post(`/v1/datasets/${dataset}/import`, { runs: [run_id], expect: "answer", why: "recorded" });
  const items = [
    { id: "unsure", input: "say perhaps", expected: "perhaps" },
    { id: "steady", input: `say Done. My token is ${TOKEN}`, expected: "Done." },
  ];
  await post(`/v1/datasets/${dataset}/items`, { items, why: "by hand" });
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

async function experiment(body: object): Promise<string> {
  const { id } = await post("/v1/experiments", { dataset_id: dataset, agent_id: agent, ...body });
  const status = async () => (await studio.server.call("GET", `/v1/experiments/${id}`)).body.status;
  await vi.waitFor(async () => expect(await status()).toBe("done"), 20_000);
  return id;
}

/** Nothing for axe, and on a phone nothing wider than the screen. */
async function expectFit(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 860 });
}

test("what got worse stands first, beside it the variants, and a cell opens its trace and the recorded session", async () => {
  const variants = [{}, { name: "curt", system_prompt: "Always say Done." }];
  await experiment({ name: "Curt or not", variants, scorers: [{ type: "exact" }], repeats: 2 });
  const page = await studio.open("/experiments");
  const row = page.getByRole("article", { name: "Curt or not" });
  await row.getByText("12 of 12 cells").waitFor();
  await row.getByText("live (revision 1) · curt").waitFor();
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: "Cells" }).waitFor();
  const panels = page.getByRole("tabpanel").locator("section > header h2");
  expect(await panels.allTextContents()).toEqual(["Regressions (2)", "Variants", "Flaky items (1)", "Cells"]);
  const worse = page.locator("section", { hasText: "Regressions (2)" }).getByRole("listitem");
  expect(await worse.nth(0).textContent()).toMatch(/1 → 0/);
  expect(await worse.nth(1).textContent()).toMatch(/unsure[\s\S]*0\.5 → 0/);
  await page.getByText("unsure passes exact in 1 of 2 repeats with live (revision 1)").waitFor();
  const table = page.getByRole("group", { name: "Variants side by side" });
  await table.getByText("no difference found").waitFor(); // three items prove nothing
  await table.getByText("-0.5 (", { exact: false }).waitFor();
  await expectFit(page);
  await worse
    .nth(0)
    .getByRole("link", { name: /with curt, repeat 1$/ })
    .click();
  const trace = page.getByRole("article", { name: /^Trace of/ });
  await trace.getByText("say hello").first().waitFor();
  await trace.getByText("Done.").first().waitFor();
  await trace.getByRole("heading", { name: "Scores" }).waitFor();
  await expectFit(page);
  await trace.getByRole("link", { name: "Recorded session" }).click();
  await page.waitForURL(`**/sessions/${session}/trace`);
  expect(studio.faults).toEqual([]);
});

test("a dataset shows its items, its versions, and what was redacted in an item", async () => {
  const page = await studio.open("/experiments/datasets");
  await page.getByRole("link", { name: "Greetings" }).click();
  const steady = page.getByRole("article", { name: "steady" });
  await steady.getByText("1 redacted").waitFor();
  await steady.getByText("/input", { exact: true }).waitFor();
  expect(await page.locator("main").textContent()).not.toContain(TOKEN);
  await page.getByText("Version 2: 3 items; 2 added, 0 changed, 0 removed").waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: "Show version 1" }).click();
  await page.getByText("Items of version 1").waitFor();
  await expect.poll(() => steady.count()).toBe(0);
  expect(studio.faults).toEqual([]);
});

test("answers are scored with keys, one by one, and who disagrees is named", async () => {
  const id = await experiment({ name: "Asked", scorers: [{ type: "human", question: "Is it polite?" }] });
  const { items } = (await studio.server.call("GET", `/v1/experiments/${id}/reviews`)).body;
  const key = await post("/v1/keys", { name: "k", owner: "ann@example.com", rights: ["admin"] });
  const ann = { authorization: `Bearer ${key.key}` };
  const at = `/v1/experiments/${id}/cells/${items[1].id}/reviews`;
  expect((await studio.server.call("POST", at, { scorer: "human", score: 0 }, ann)).status).toBe(200);
  const page = await studio.open("/experiments/review");
  await page.getByRole("heading", { name: "Is it polite?" }).waitFor();
  await page.getByText("1 of 3").waitFor();
  expect(await page.locator("main").textContent()).not.toContain("ann@example.com");
  await expectFit(page);
  await page.keyboard.press("j");
  await page.getByText("2 of 3").waitFor();
  await page.keyboard.press("y");
  await page.getByText(/People disagree: .*ann@example.com gave 0/).waitFor();
  await page.getByText("2 of 2").waitFor();
  await page.keyboard.press("k");
  await page.getByText("1 of 2").waitFor();
  await page.keyboard.press("2");
  await page.getByText("1 of 1").waitFor();
  await page.keyboard.press("1");
  await page.getByText("Nothing to review").waitFor();
  const cells = (await studio.server.call("GET", `/v1/experiments/${id}/cells`)).body.items;
  expect(cells.map((cell: { scores: { score: number }[] }) => cell.scores[0]?.score)).toEqual([0, 0.5, 1]);
  await page.goto(`${studio.server.url}/experiments/results/${id}`);
  await page.getByText("People disagree").waitFor();
  expect(studio.faults).toEqual([]);
});
