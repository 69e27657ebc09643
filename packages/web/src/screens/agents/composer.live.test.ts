/** The composer in a real browser: order by keyboard, config by form, conflicts resolved by a prefix, hidden tools explained. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;

const beacon = (id: string, name: string, more: object = {}) =>
  defineCapability({
    id,
    name,
    description: `The ${name} light.`,
    category: "Lights",
    systemPrompt: `You keep the ${name} light.`,
    tools: [defineTool({ name: "blink", description: "Blink.", input: z.object({}), run: () => ok({}) })],
    ...more,
  });

beforeAll(async () => {
  studio = await studioUnderTest();
  const { registry } = studio.server.services;
  registry.register(beacon("north_light", "North"));
  registry.register(
    beacon("south_light", "South", {
      config: z.object({ colour: z.enum(["red", "green"]).describe("Of the lamp.") }),
    }),
  );
  registry.register(
    beacon("mail", "Mail", {
      tools: [
        defineTool({
          name: "read_mail",
          description: "Read.",
          input: z.object({}),
          scopes: ["Mail.Read"],
          run: () => ok({}),
        }),
      ],
    }),
  );
});
afterAll(async () => studio?.close());

describe("the composer", () => {
  test("puts capabilities in another order by keyboard alone, and the merged prompt follows", async () => {
    const page = await studio.open("/agents/new");
    await pick(page, "North");
    await pick(page, "Mail");
    await prompt(page)
      .getByText(/North light[\s\S]*Mail light/)
      .waitFor();
    const handle = page.getByRole("button", { name: "Move North", exact: true });
    await handle.focus();
    await page.keyboard.press("Space");
    await page.getByText("Picked up North.").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowDown");
    await page.getByText("North is now at the position of Mail.").waitFor({ state: "attached" });
    await page.keyboard.press("Space");
    await prompt(page)
      .getByText(/Mail light[\s\S]*North light/)
      .waitFor();
  });

  test("drags a capability to another place with the mouse", async () => {
    const page = await studio.open("/agents/new");
    await pick(page, "North");
    await pick(page, "Mail");
    await prompt(page)
      .getByText(/North light[\s\S]*Mail light/)
      .waitFor();
    await page.getByRole("button", { name: "Move North", exact: true }).hover();
    await page.mouse.down();
    const target = await page.getByRole("button", { name: "Move Mail", exact: true }).boundingBox();
    await page.mouse.move((target?.x ?? 0) + 8, (target?.y ?? 0) + 16, { steps: 8 });
    await page.getByText("North is now at the position of Mail.").waitFor({ state: "attached" });
    await page.mouse.up();
    await prompt(page)
      .getByText(/Mail light[\s\S]*North light/)
      .waitFor();
  });

  test("names both capabilities of a conflict, and a prefix resolves it", async () => {
    const page = await studio.open("/agents/new");
    await page.getByLabel("Name", { exact: false }).first().fill("Keeper");
    await pick(page, "North");
    await pick(page, "South");
    const preview = page.getByRole("complementary", { name: "Preview" });
    await preview.getByText('The config of "south_light" is not valid').waitFor();
    await page.getByLabel("Colour", { exact: false }).selectOption({ label: "green" });
    await preview.getByText('"north_light" and "south_light" both define a tool named "blink".').waitFor();
    await page.getByRole("button", { name: "Use “light_”" }).last().click();
    await preview.getByText("light_blink").waitFor();
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("button", { name: "Save changes" }).waitFor();
    const { body } = await studio.server.call("GET", "/v1/agents");
    expect(body.items[0]).toMatchObject({
      name: "Keeper",
      capabilities: ["north_light", { id: "south_light", prefix: "light_", config: { colour: "green" } }],
    });
  });

  test("offers a program's own models and takes thinking for it", async () => {
    const page = await studio.open("/agents/new");
    await page.getByLabel("Name", { exact: false }).first().fill("Thinker");
    await page.getByLabel("Thinking effort").selectOption("high");
    expect(await page.getByLabel("Thinking budget (tokens)").count()).toBe(0); // the native loop takes no number
    await page.getByLabel("Harness").selectOption("claude");
    await page.getByLabel("Thinking budget (tokens)").fill("4096");
    await page.getByLabel("Model", { exact: true }).selectOption("claude-sonnet-4-5");
    await page.getByLabel("Harness").selectOption("native");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("button", { name: "Save changes" }).waitFor();
    const { body } = await studio.server.call("GET", "/v1/agents");
    const made = body.items.find(({ name }: { name: string }) => name === "Thinker");
    expect(made).toMatchObject({ thinking_effort: "high", thinking_budget: null, model: null });
  });

  test("names the scope that hides a tool, and shows the tool once it is granted", async () => {
    const page = await studio.open("/agents/new");
    await pick(page, "Mail");
    const preview = page.getByRole("complementary", { name: "Preview" });
    await preview.getByText("1 tool hidden").waitFor();
    await preview.getByText("Mail.Read").first().waitFor();
    await page.getByText("Permissions, approvals and limits").click();
    await page.getByLabel("Granted scopes").fill("Mail.Read");
    await preview.getByText("1 tool", { exact: true }).waitFor();
    await preview.getByText("read_mail").waitFor();
    await preview.getByLabel("Policy of read_mail").selectOption("approve");
    await preview.getByText("approve", { exact: true }).waitFor();
  });

  test("asks before unsaved changes are left, by link and by Back", async () => {
    const page = await studio.open("/agents");
    await page
      .getByRole("link", { name: /New agent|Create an agent/ })
      .first()
      .click();
    await page.getByLabel("Name", { exact: false }).first().fill("Draft");
    const ask = page.getByRole("dialog", { name: "Leave without saving?" });
    await page.getByRole("link", { name: "Sessions" }).first().click();
    await ask.getByRole("button", { name: "Keep editing" }).click();
    await page.goBack();
    await ask.waitFor();
    expect(new URL(page.url()).pathname).toBe("/agents/new");
    await ask.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("heading", { name: "Agents", exact: true }).waitFor();
  });

  test("runs a single tool, with a form built from its schema", async () => {
    const page = await studio.open("/capabilities/test_math");
    const panel = page
      .locator("section")
      .filter({ has: page.locator("code", { hasText: /^multiply$/ }) })
      .first();
    await panel.getByRole("button", { name: "Try it" }).click();
    await panel.getByRole("spinbutton").first().fill("6");
    await panel.getByRole("spinbutton").last().fill("7");
    await panel.getByRole("button", { name: "Run multiply" }).click();
    await panel.getByRole("group", { name: "Output" }).getByText("42").waitFor();
    expect(studio.faults).toEqual([]);
  });
});

const pick = (page: Page, name: string) => page.getByRole("switch", { name, exact: true }).click();
const prompt = (page: Page) => page.getByRole("group", { name: "Merged prompt" });
