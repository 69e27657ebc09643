/** Versions of a capability in a real browser: the panel says who is on which, and an agent is put on one and back. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;
let pinned: string;
let floating: string;

const tides = (version: string) => ({
  id: "tides",
  name: "Tides",
  description: "Tide times of a harbour.",
  version,
  prompt: `These are tides ${version}.`,
  base_url: "https://example.com",
  tools: [{ name: "tide_times", description: "Tide times.", method: "GET", path: "/" }],
});

beforeAll(async () => {
  studio = await studioUnderTest();
  await post("/v1/capabilities", tides("1.0.0"));
  await post("/v1/capabilities", tides("2.0.0"));
  pinned = (await post("/v1/agents", { name: "Stays", capabilities: [{ id: "tides", version: "1.0.0" }] }))
    .id;
  floating = (await post("/v1/agents", { name: "Follows", capabilities: ["tides"] })).id;
});
afterAll(async () => studio?.close());

async function post(path: string, body: object) {
  const made = await studio.server.call("POST", path, body);
  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
  return made.body;
}

/** Nothing serious for axe, and on a phone nothing wider than the screen. */
async function expectFit(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 860 });
}

test.each(["light", "dark"] as const)(
  "the panel names each version and the agents on it (%s)",
  async (colorScheme) => {
    const page = await studio.open("/capabilities/tides", { colorScheme });
    const items = page.getByRole("listitem").filter({ hasText: /Registered|Kept/ });
    await items.nth(1).waitFor();
    expect(await items.allTextContents()).toEqual([
      expect.stringMatching(/2\.0\.0.*Registered.*Follows/),
      expect.stringMatching(/1\.0\.0.*Kept.*Stays/),
    ]);
    await expectFit(page);
    await items.nth(1).getByRole("link", { name: "Stays" }).click();
    await page.waitForURL(`**/agents/${pinned}`);
    expect(studio.faults).toEqual([]);
  },
);

test.each(["light", "dark"] as const)(
  "an agent is put on an earlier version and back on the newest (%s)",
  async (colorScheme) => {
    const page = await studio.open(`/agents/${floating}`, { colorScheme });
    const listed = async () =>
      (await studio.server.call("GET", `/v1/agents/${floating}`)).body.capabilities as unknown;
    const choose = async (version: string, prompt: RegExp, expected: unknown) => {
      const field = page.getByLabel("Version", { exact: true });
      const options = page.getByRole("button", { name: "Options of Tides" });
      if ((await options.getAttribute("aria-expanded")) !== "true") await options.click();
      await field.selectOption(version);
      await page.getByText(prompt).first().waitFor();
      await expectFit(page);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await expect.poll(listed, { timeout: 10_000 }).toEqual([expected]);
    };
    await choose("1.0.0", /These are tides 1\.0\.0/, { id: "tides", version: "1.0.0" });
    await choose("", /These are tides 2\.0\.0/, "tides");
    expect(studio.faults).toEqual([]);
  },
);
