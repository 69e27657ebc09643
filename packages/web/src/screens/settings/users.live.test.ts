/** Users in the studio: their weights, which are seen, changed and refused where they mean nothing; and the audit log. */
import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

const ANN = "ann@example.com";
const LOOKS = [
  { name: "light", options: { colorScheme: "light" } },
  { name: "dark", options: { colorScheme: "dark" } },
  { name: "phone", options: { viewport: { width: 390, height: 780 } } },
] as const;
let studio: Studio;

beforeAll(async () => {
  studio = await studioUnderTest();
  const scopes = ["files:read", "files:write", "mail:send"];
  await studio.server.call("PUT", `/v1/users/${ANN}`, { scopes });
});
afterAll(() => studio?.close());

const annAsStored = async () => (await studio.server.call("GET", `/v1/users?q=${ANN}`)).body.items[0];

test("a weight is changed, shown beside the user and stored, and the scopes stay as they were", async () => {
  const page = await studio.open("/settings/users");
  await page.getByRole("button", { name: `Change the weight of ${ANN}` }).click();
  const field = page.getByLabel(`Weight of ${ANN}`, { exact: true });
  expect(await field.inputValue()).toBe("1");
  await field.fill("2.5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("weight 2.5").waitFor();
  expect(await field.count()).toBe(0);
  const stored = await annAsStored();
  expect(stored).toMatchObject({ weight: 2.5, own_scopes: ["files:read", "files:write", "mail:send"] });
  expect(studio.faults).toEqual([]);
});

test("a weight outside of 0.1 to 100 cannot be saved, and the field says so", async () => {
  const before = (await annAsStored()).weight;
  const page = await studio.open("/settings/users");
  await page.getByRole("button", { name: `Change the weight of ${ANN}` }).click();
  for (const refused of ["0", "-3", "100.5", ""]) {
    await page.getByLabel(`Weight of ${ANN}`, { exact: true }).fill(refused);
    await page.getByText("A number from 0.1 to 100.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  }
  await page.getByLabel(`Weight of ${ANN}`, { exact: true }).press("Enter");
  expect((await annAsStored()).weight).toBe(before);
});

test.each(LOOKS)(
  "in $name the open field is readable, and the buttons stand side by side, and nothing is wider than the page",
  async (look) => {
    const page = await studio.open("/settings/users", look.options);
    await page.getByRole("button", { name: `Change the weight of ${ANN}` }).click();
    await page.getByLabel(`Weight of ${ANN}`, { exact: true }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    const beyond = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(beyond).toBe(0);
    const tops = ["Change the weight of", "Scopes of"].map(async (name) => {
      const box = await page.getByRole("button", { name: `${name} ${ANN}` }).boundingBox();
      return box?.y;
    });
    const [weight, scopes] = await Promise.all(tops);
    expect(weight).toBeDefined();
    expect(weight).toBe(scopes);
  },
);

test("the audit log goes back to its first entry, page by page", async () => {
  for (let at = 0; at < 101; at++)
    await studio.server.call("PUT", `/v1/users/${ANN}`, { scopes: at % 2 === 0 ? ["mail:send"] : [] });
  const page = await studio.open("/settings/audit");
  const entries = page.locator("summary");
  await expect.poll(() => entries.count()).toBe(100);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => entries.count()).toBeGreaterThan(101);
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  expect(studio.faults).toEqual([]);
});
