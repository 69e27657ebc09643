/** Tasks in a real browser: ranked with reasons, tried dry, executed, measured; and a chat message that the router takes. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;

/** A capability a task finds by its words, and a chat by its pattern. It needs no network and no model. */
const tides = defineCapability({
  id: "tides",
  name: "Tide Tables",
  description: "Tells when the tide is high in a port.",
  category: "Sea",
  tools: [
    defineTool({
      name: "high_tide",
      description: "When the tide is high in a port.",
      input: z.object({ query: z.string().optional().describe("The port, or the question.") }),
      run: () => ok({ high_tide: "04:12" }),
    }),
  ],
  routing: {
    triggers: ["when is high tide", "tide table", "high tide in lisbon"],
    tags: ["tide", "sea", "port"],
    domain: "sea",
    actions: ["fetch"],
    chatPatterns: ["^when is high tide\\b"],
  },
});

const registered: string[] = [];

/** Changes something, so that a plan with guessed arguments is proposed first. */
const harbour = defineCapability({
  id: "harbour",
  name: "Harbour Office",
  description: "Registers ships with the harbour office.",
  category: "Sea",
  tools: [
    defineTool({
      name: "register_ship",
      description: "Register a ship with the harbour office.",
      risk: "write",
      input: z.object({ body: z.string() }),
      run: ({ body }) => {
        registered.push(body);
        return ok({ registered: body });
      },
    }),
  ],
  routing: {
    triggers: ["register a ship", "register the ship", "add a ship to the harbour"],
    tags: ["ship", "harbour"],
    domain: "sea",
    actions: ["create"],
    chatPatterns: ["^register a ship\\b"],
  },
});

beforeAll(async () => {
  studio = await studioUnderTest();
  studio.server.services.registry.register(tides);
  studio.server.services.registry.register(harbour);
});
afterAll(async () => studio?.close());

describe("a task", () => {
  test("is ranked with reasons and what was rejected, tried dry, executed and measured", async () => {
    const page = await studio.open("/route");
    const box = page.getByRole("textbox", { name: "Task" });
    await box.fill("When is high tide in Lisbon?");
    await box.press("Enter");
    const first = page.getByRole("list", { name: "Matches" }).getByRole("listitem").first();
    await first.getByText("1. Tide Tables").waitFor();
    await first
      .getByText(/^matches the trigger “/)
      .first()
      .waitFor();
    await page
      .getByRole("region", { name: "Plan" })
      .getByText('{"query":"When is high tide in Lisbon"}')
      .waitFor();
    await page.getByText(/\d+ rejected/).click();
    await page
      .getByText(/below the floor|context:/)
      .first()
      .waitFor();

    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("Preview: nothing was called").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("group", { name: "Result of step 1" }).getByText("04:12").waitFor();

    await page.getByRole("tab", { name: "Telemetry" }).click();
    await page.getByText("Used a fallback").waitFor();
    await page.getByRole("cell", { name: "tides" }).waitFor();
    const latency = page.getByRole("figure", { name: /Latency/ }).getByText(/^p95\s*\d/);
    await latency.waitFor();

    // As after a restart: the records of the process are gone, the history is not.
    const gone = { summary: { total: 0, byCapability: {} }, records: [] };
    await page.route("**/api/execution-telemetry*", (route) => route.fulfill({ json: gone }));
    await page.reload();
    await page.getByText("No calls since the server started").waitFor();
    await latency.waitFor();
    expect(studio.faults).toEqual([]);
  });

  test("said in a chat goes to the router when a pattern matches, and to the agent when asked to", async () => {
    const agent = await studio.server.call("POST", "/v1/agents", {
      name: "Mate",
      capabilities: ["test_math"],
    });
    const page = await studio.open(`/chat?agent=${agent.body.id}`);
    const box = page.getByRole("textbox", { name: "Message", exact: true });
    await box.fill("When is high tide in Lisbon?");
    await box.press("Enter");
    const card = page.getByRole("region", { name: "Routed task" });
    await card.getByText("tides").first().waitFor();
    await card.getByText("ok", { exact: true }).first().waitFor();
    await card.getByRole("group", { name: "Result of step 1" }).getByText("04:12").waitFor();
    await card.getByRole("button", { name: "Ask the agent instead" }).click();
    await page.getByRole("article", { name: "Answer" }).waitFor();
    expect(await page.getByRole("article", { name: "You" }).textContent()).toContain("high tide");
    expect(await card.count()).toBe(0);
    expect(studio.faults).toEqual([]);
  });

  test("that changes something on a guess is proposed with the reason, on its screen and in a chat, and runs once confirmed", async () => {
    const page = await studio.open("/route");
    const box = page.getByRole("textbox", { name: "Task" });
    await box.fill("register a ship that sails on Sundays");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const proposal = page.getByRole("region", { name: "Confirm this plan" });
    await proposal.getByRole("listitem").first().waitFor();
    expect(registered).toEqual([]);
    await proposal.getByRole("button", { name: "Confirm and run" }).click();
    await page.getByRole("group", { name: "Result of step 1" }).getByText("registered").waitFor();
    expect(registered).toHaveLength(1);

    const agent = await studio.server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["noop"] });
    await page.goto(`${studio.server.url}/chat?agent=${agent.body.id}`);
    const message = page.getByRole("textbox", { name: "Message", exact: true });
    await message.fill("Register a ship that sails in winter");
    await message.press("Enter");
    const card = page.getByRole("region", { name: "Routed task" });
    await card.getByText("Nothing has run yet.", { exact: false }).waitFor();
    expect(registered).toHaveLength(1);
    await card.getByRole("button", { name: "Confirm and run" }).click();
    await card.getByRole("group", { name: "Result of step 1" }).getByText("registered").waitFor();
    expect(registered).toHaveLength(2);
    expect(studio.faults).toEqual([]);
  });
});
