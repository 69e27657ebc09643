/** The switch between organisations, in a real browser: not there with one, there with two. */
import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../tools/studio-under-test.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await studioUnderTest({});
});
afterAll(() => studio?.close());

test("a second organisation shows the switch; choosing shows its things and none of the first's", async () => {
  await studio.server.call("POST", "/v1/agents", { name: "Of the first" });
  const page = await studio.open("/agents");
  await page.getByText("Of the first").first().waitFor();
  const chosen = page.getByLabel("Organisation");
  expect(await chosen.count()).toBe(0);
  const { body } = await studio.server.call("POST", "/v1/organisations", { id: "acme", name: "Acme" });
  const acme = { authorization: `Bearer ${body.key}` };
  await studio.server.call("POST", "/v1/agents", { name: "Of Acme" }, acme);
  await page.reload();
  await chosen.first().selectOption({ label: "Acme" });
  await page.waitForURL(`${studio.server.url}/`);
  await page.goto(`${studio.server.url}/agents`);
  await page.getByText("Of Acme").first().waitFor();
  expect(await page.getByText("Of the first").count()).toBe(0);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations).toEqual([]);
  await chosen.first().selectOption({ label: "Default" });
  await page.waitForURL(`${studio.server.url}/`);
  await page.goto(`${studio.server.url}/agents`);
  await page.getByText("Of the first").first().waitFor();
  expect(await page.getByText("Of Acme").count()).toBe(0);
  await page.context().close();
});
