/** Budgets in the studio: written, watched, changed and deleted; and what an admin reads and answers at the limit. */
import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;
let agent: string;

beforeAll(async () => {
  studio = await studioUnderTest();
  const made = await studio.server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["test_math"] });
  agent = made.body.id;
});
afterAll(() => studio?.close());

async function say(content: string) {
  const session = (await studio.server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
  const sent = await studio.server.call("POST", `/v1/sessions/${session}/messages`, { content });
  const status = async () => (await studio.server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
  await expect.poll(status, { timeout: 20_000 }).toMatch(/done|waiting|failed/);
  return status;
}

test("a budget is written as a sentence, shows what was spent and where it leads, is changed and deleted", async () => {
  const page = await studio.open("/budgets");
  await page.getByText("No budgets").waitFor();
  await page.getByRole("button", { name: "New budget" }).click();
  const editor = page.getByRole("dialog", { name: "New budget" });
  await editor.getByLabel("Name").fill("Calls of everybody");
  await editor.getByLabel("Limit", { exact: true }).fill("4");
  await editor.getByLabel("Of", { exact: true }).selectOption("calls");
  await editor.getByLabel("At the limit").selectOption("deny");
  await editor.getByText("4 calls a day, then refuse.").waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  await editor.getByRole("button", { name: "Save" }).click();
  const row = page.getByRole("article", { name: "Calls of everybody" });
  await row.getByText("0 calls of 4 calls").waitFor();
  expect(await (await say("add 2 and 3"))()).toBe("done");
  expect(await (await say("add 2 and 4"))()).toBe("done");
  await page.reload();
  await row.getByText("2 calls of 4 calls").waitFor();
  await row.getByText("50 % reached").waitFor();
  await row.getByText(/At this pace \d+ calls by the end|Too early for a forecast/).waitFor();
  await row.getByRole("button", { name: /^Change/ }).click();
  const change = page.getByRole("dialog", { name: "Change this budget" });
  await change.getByLabel("Limit", { exact: true }).fill("8");
  await change.getByRole("button", { name: "Save" }).click();
  await row.getByText("2 calls of 8 calls").waitFor();
  await row.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No budgets").waitFor();
  expect(studio.faults).toEqual([]);
});

test("at the limit an admin reads what is used up, allows an amount more, and the run goes on", async () => {
  const fields = { name: "Tokens", measure: "tokens", limit: 1, period: "day", agent_id: agent };
  const made = await studio.server.call("POST", "/v1/budgets", fields);
  const status = await say("add 2 and 5");
  expect(await status()).toBe("waiting");
  const page = await studio.open("/approvals");
  const card = page.getByRole("article").filter({ hasText: "Clerk needs more of a budget" });
  await card.getByText(/The budget "Tokens" is used up/).waitFor();
  expect(await card.getByRole("button", { name: "Always allow like this…" }).count()).toBe(0);
  await card.getByLabel("How much more, in this period").fill("100000");
  await card.getByRole("button", { name: "Allow more" }).click();
  await expect.poll(status, { timeout: 20_000 }).toBe("done");
  const { body } = await studio.server.call("GET", `/v1/budgets/${made.body.id}`);
  expect(body.spending[0]).toMatchObject({ extra: 100_000 });
  await studio.server.call("DELETE", `/v1/budgets/${made.body.id}`);
  expect(studio.faults).toEqual([]);
});

test("an answer that a check holds is read, rewritten and sent", async () => {
  const check = { name: "Sums", find: { pattern: "5" }, then: "ask" };
  const made = await studio.server.call("POST", "/v1/text-checks", check);
  const status = await say("add 2 and 3");
  expect(await status()).toBe("waiting");
  const page = await studio.open("/approvals");
  const card = page.getByRole("article").filter({ hasText: "Clerk wants to say something" });
  await card.getByText('The check "Sums" asks before this is sent.').waitFor();
  const text = card.getByLabel("What is sent");
  expect(await text.inputValue()).toContain("5");
  await text.fill("It is a small number.");
  await card.getByRole("button", { name: "Send" }).click();
  await expect.poll(status, { timeout: 20_000 }).toBe("done");
  await studio.server.call("DELETE", `/v1/text-checks/${made.body.id}`);
  expect(studio.faults).toEqual([]);
});
