/** Organisations in the studio's settings: there with two, for admins of the first, with weights that can be changed. */
import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await studioUnderTest();
});
afterAll(() => studio?.close());

const PHONE = { viewport: { width: 390, height: 780 } };

test("the tab is there once there are two, and a weight is changed, shown and stored", async () => {
  const page = await studio.open("/settings/organisations", PHONE);
  await page.getByRole("tab", { name: "Users" }).waitFor();
  expect(await page.getByRole("tab", { name: "Organisations" }).count()).toBe(0);
  const acme = { id: "acme", name: "Acme", requests_per_minute: 600 };
  await studio.server.call("POST", "/v1/organisations", acme);
  await page.reload();
  await page.getByText("600 requests a minute").waitFor();
  await page.getByRole("button", { name: "Change the weight of Acme" }).click();
  const field = page.getByLabel("Weight of Acme", { exact: true });
  await field.fill("101");
  expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await field.fill("3");
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("weight 3").waitFor();
  const beyond = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect(beyond).toBe(0);
  const { items } = (await studio.server.call("GET", "/v1/organisations")).body;
  const stored = items.find(({ id }: { id: string }) => id === "acme");
  expect(stored).toMatchObject({ weight: 3, requests_per_minute: 600, name: "Acme" });
  expect(await page.getByRole("button", { name: /Change the weight of/ }).count()).toBe(1); // not of the first
});
