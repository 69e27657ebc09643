/** Rules in the studio: written as a sentence, tried on what happened, saved; and saved from an approval. */
import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;
let agent: string;

beforeAll(async () => {
  studio = await studioUnderTest();
  const made = await studio.server.call("POST", "/v1/agents", {
    name: "Clerk",
    capabilities: ["test_math"],
    tool_policies: { multiply: "approve" },
  });
  agent = made.body.id;
});
afterAll(() => studio?.close());

async function say(content: string): Promise<string> {
  const session = (await studio.server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
  const sent = await studio.server.call("POST", `/v1/sessions/${session}/messages`, { content });
  const status = async () => (await studio.server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
  await expect.poll(status, { timeout: 20_000 }).toMatch(/done|waiting|failed/);
  return status();
}
const rules = async () => (await studio.server.call("GET", "/v1/rules")).body.items;

test("a rule is written as a sentence, tried on recorded calls, saved, changed and deleted", async () => {
  await say("add 2 and 400");
  const page = await studio.open("/rules");
  await page.getByText("No rules of your own").waitFor();
  await page.getByRole("button", { name: "New rule" }).click();
  const editor = page.getByRole("dialog", { name: "New rule" });
  await editor.getByLabel("Tools of").selectOption("test_math");
  await editor.getByLabel("Add a tool").selectOption("add");
  await editor.getByRole("button", { name: "Add a condition" }).click();
  await editor.getByLabel("Condition 1: argument").selectOption("b");
  await editor.getByLabel("Condition 1: operator").selectOption("above");
  await editor.getByLabel("Condition 1: value").fill("100");
  await editor.getByText("Ask before add when b is above 100.").waitFor();
  await editor.getByRole("button", { name: "Simulate" }).click();
  await editor.getByText("1 newly asked for").waitFor();
  expect(await editor.getByRole("link").first().getAttribute("href")).toMatch(/^\/sessions\//);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  await editor.getByRole("button", { name: "Save" }).click();
  await page.getByRole("article").getByText("Ask before add when b is above 100.").first().waitFor();
  expect(await say("add 2 and 400")).toBe("waiting");

  await page.getByRole("button", { name: /^Change/ }).click();
  const change = page.getByRole("dialog", { name: "Change this rule" });
  await change.getByLabel("Effect").selectOption("deny");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByText("Deny add when b is above 100.").waitFor();
  expect(await rules()).toMatchObject([{ then: "deny", when: [{ arg: "b", op: "above", value: 100 }] }]);
  await page.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No rules of your own").waitFor();
  expect(studio.faults).toEqual([]);
});

test("a simulation that takes long says so and can be cancelled; saving says so too", async () => {
  const page = await studio.open("/rules");
  await page.getByRole("button", { name: "New rule" }).click();
  const editor = page.getByRole("dialog", { name: "New rule" });
  await editor.getByLabel("Tools of").selectOption("test_math");
  await editor.getByLabel("Add a tool").selectOption("divide");
  await page.route("**/v1/rules/simulate", () => {}); // never answered
  await editor.getByRole("button", { name: "Simulate" }).click();
  await editor.getByRole("button", { name: "Simulating…" }).waitFor();
  await editor.getByRole("button", { name: "Cancel" }).click();
  await editor.getByRole("button", { name: "Simulate", exact: true }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/\/v1\/rules(\/[0-9a-f-]+)?$/, async (route) => {
    if (route.request().method() !== "GET") await held.promise;
    await route.continue();
  });
  await editor.getByRole("button", { name: "Save" }).click();
  await editor.getByRole("button", { name: "Saving…" }).waitFor();
  held.resolve();
  await page.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No rules of your own").waitFor();
  await page.close();
});

test("days and several ways of a rule are shown, kept and changed", async () => {
  const time = { from: "18:00", to: "08:00", days: ["mon", "tue"] };
  const when = [{ time }, { path: ["mcp", "task"] }];
  await studio.server.call("POST", "/v1/rules", { name: "Nights", tools: ["add"], when, then: "deny" });
  const page = await studio.open("/rules");
  await page.getByRole("button", { name: /^Change/ }).click();
  const editor = page.getByRole("dialog", { name: "Change this rule" });
  const days = editor.getByRole("group", { name: "Condition 1: days" });
  expect(await days.getByRole("checkbox", { checked: true }).count()).toBe(2);
  await days.getByLabel("fri").check();
  const ways = editor.getByRole("group", { name: "Condition 2: way" });
  await ways.getByLabel("mcp").uncheck();
  await ways.getByLabel("task").click();
  expect(await ways.getByLabel("task").isChecked()).toBe(true);
  await editor.getByRole("button", { name: "Save" }).click();
  await editor.waitFor({ state: "hidden" });
  expect(await rules()).toMatchObject([
    { when: [{ time: { ...time, days: ["mon", "tue", "fri"] } }, { path: ["task"] }] },
  ]);
  await page.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No rules of your own").waitFor();
});

test("a limit and whom to ask are written as sentences too", async () => {
  const page = await studio.open("/rules");
  await page.getByRole("button", { name: "New rule" }).click();
  const editor = page.getByRole("dialog", { name: "New rule" });
  await editor.getByLabel("Tools of").selectOption("test_math");
  await editor.getByLabel("Add a tool").selectOption("subtract");
  await editor.getByLabel("Effect").selectOption("limit");
  await editor.getByLabel("Limit: calls").fill("1");
  await editor.getByLabel("Limit: per").selectOption("day");
  await editor.getByLabel("Limit: above it").selectOption("ask");
  await editor.getByRole("textbox", { name: "Ask" }).fill("admin");
  await editor.getByRole("button", { name: "Add a condition" }).click();
  await editor.getByLabel("Condition 1: about").selectOption("not_group");
  await editor.getByLabel("Condition 1: group").fill("finance");
  const sentence =
    "Ask an admin before more than 1 call a day for each user of subtract when the user is not in finance.";
  await editor.getByText(sentence).waitFor();
  await editor.getByRole("button", { name: "Save" }).click();
  await page.getByRole("article").getByText(sentence).first().waitFor();
  expect(await say("subtract 3 from 9")).toBe("done");
  expect(await say("subtract 4 from 9")).toBe("waiting");
  const [{ id }] = await rules();
  await studio.server.call("DELETE", `/v1/rules/${id}`);
  expect(studio.faults).toEqual([]);
});

test("always allow like this proposes the narrowest rule, shows what it covers, saves it and approves", async () => {
  expect(await say("multiply 4 and 5")).toBe("waiting");
  const page = await studio.open("/approvals");
  const card = page.getByRole("article").filter({ hasText: "multiply" });
  await card.getByRole("button", { name: "Always allow like this…" }).click();
  const dialog = page.getByRole("dialog", { name: "Always allow like this" });
  await dialog.getByText("Allow multiply when a is at most 4 and b is at most 5.").waitFor();
  await dialog.getByText("1 calls of the last 30 days it covers").waitFor();
  expect(await dialog.getByLabel("Ends after").inputValue()).toMatch(/^\d{4}-\d\d-\d\d$/);
  await dialog.getByRole("button", { name: "Save the rule and approve" }).click();
  await card.waitFor({ state: "detached" });
  expect(await rules()).toMatchObject([{ then: "allow", tools: ["multiply"], agent_id: agent }]);
  expect(await say("multiply 4 and 5")).toBe("done");
  expect(await say("multiply 4 and 6")).toBe("waiting");
  expect(studio.faults).toEqual([]);
});
