import { type CapabilityStore, ok } from "@capstan/core";
import { whyUnavailable } from "@capstan/core/internal";
import { beforeEach, describe, expect, test } from "vitest";
import { memoryStore, tryTool } from "./fixtures/try-tool.ts";
import { researchCapability } from "./research.ts";
import type { Note } from "./scratchpad.ts";

const research = researchCapability([{ provider: "tavily", apiKey: "key" }]);
let store: CapabilityStore;
let calls = 0;
beforeEach(() => {
  store = memoryStore();
  calls = 0;
});

describe("the scratchpad", () => {
  test("keeps findings by topic, oldest first", async () => {
    await write({ content: "High at noon", topic: "Tides", sources: ["https://a.example/"] });
    await write({ content: "Loose thought" });
    expect(await call("research_notes", {})).toMatchObject({
      notes: [
        { topic: "Tides", content: "High at noon", sources: ["https://a.example/"] },
        { topic: "General", content: "Loose thought", sources: [] },
      ],
      count: 2,
      topics: [
        { topic: "Tides", count: 1 },
        { topic: "General", count: 1 },
      ],
    });
    expect(await call("research_notes", { topic: "Tides" })).toMatchObject({ count: 1 });
    expect(await call("research_notes", { query: "LOOSE" })).toMatchObject({
      count: 1,
      notes: [{ topic: "General" }],
    });
  });

  test("a note is changed by its id, and keeps its topic by default", async () => {
    const { id, created_at } = await write({ content: "first", topic: "Tides" });
    const changed = await call("research_note", { id, content: "second" });
    expect(changed).toMatchObject({
      created: false,
      note_count: 1,
      note: { id, topic: "Tides", content: "second", created_at },
    });
  });

  test("repeating a call writes one note; other calls write others", async () => {
    const once = { store, idempotencyKey: "same" };
    await tryTool(research, "research_note", { content: "x" }, once);
    await tryTool(research, "research_note", { content: "x" }, once);
    await Promise.all(Array.from({ length: 50 }, () => write({ content: "y" })));
    expect(await call("research_notes", {})).toMatchObject({ count: 51 });
  });

  test("notes are moved and deleted together, and unknown ones are named", async () => {
    const [a, b, c] = [
      await write({ content: "a" }),
      await write({ content: "b" }),
      await write({ content: "c" }),
    ];
    expect(await call("research_organize", { ids: [a.id, b.id, "zz"], topic: "New" })).toEqual({
      moved: 2,
      deleted: 0,
      not_found: ["zz"],
      topics: [
        { topic: "New", count: 2 },
        { topic: "General", count: 1 },
      ],
    });
    expect(await call("research_organize", { ids: [a.id, c.id], delete: true })).toMatchObject({
      deleted: 2,
      topics: [{ topic: "New", count: 1 }],
    });
  });

  test("the summary is one document with each source numbered once", async () => {
    await write({
      content: "High at noon\nand midnight",
      topic: "Tides",
      sources: ["https://a.example/", "https://b.example/"],
    });
    await write({ content: "Wind", topic: "Weather" });
    await write({ content: "Low at six", topic: "Tides", sources: ["https://b.example/"] });
    expect(await call("research_summary", {})).toEqual({
      outline: [
        "## Tides\n\n- High at noon\n  and midnight [1][2]\n- Low at six [2]",
        "## Weather\n\n- Wind",
        "## Sources\n\n1. https://a.example/\n2. https://b.example/",
      ].join("\n\n"),
      sources: ["https://a.example/", "https://b.example/"],
      note_count: 3,
    });
  });

  test("reports an unknown id, an empty change and a full pad", async () => {
    const unknown = await tryTool(research, "research_note", { id: "zz", content: "x" }, { store });
    expect(unknown.failure).toMatchObject({
      code: "note_not_found",
      nextStep: expect.stringContaining("research_note"),
    });
    const nothing = await tryTool(research, "research_organize", { ids: ["zz"] }, { store });
    expect(nothing.failure?.message).toContain("give a topic, or delete: true");
    for (let note = 0; note < 500; note++) await write({ content: "x" });
    const again = { store, idempotencyKey: "another call" };
    const full = await tryTool(research, "research_note", { content: "x" }, again);
    expect(full.failure).toMatchObject({
      code: "scratchpad_full",
      nextStep: expect.stringContaining("research_organize"),
    });
  });

  test("every scratchpad tool requires a session", () => {
    const pads = research.tools.filter((tool) => tool.name.startsWith("research_"));
    expect(pads.map((tool) => tool.requiresContext)).toEqual([true, true, true, true]);
  });
});

describe("web_search", () => {
  test("is hidden with the reason without a provider; the other tools stay", () => {
    const hidden = researchCapability().tools.filter((tool) => whyUnavailable(tool) !== undefined);
    expect(hidden.map((tool) => [tool.name, whyUnavailable(tool)])).toEqual([
      ["web_search", "no search provider is configured (SearXNG, Brave or Tavily)"],
    ]);
    expect(research.tools.every((tool) => whyUnavailable(tool) === undefined)).toBe(true);
  });

  test.each([
    ["an agent's own SearXNG needs no server settings", [], { searxng_url: "https://sx.example" }, undefined],
    ["a provider whose key the server has is chosen by name", ["tavily"], { provider: "tavily" }, undefined],
    ["a provider without its key reports what is missing", ["tavily"], { provider: "brave" }, /brave needs/],
    ["a SearXNG without an address reports what is missing", [], { provider: "searxng" }, /searxng needs/],
    [
      "an address does not override a named provider",
      [],
      { provider: "brave", searxng_url: "https://x.example" },
      /brave/,
    ],
  ] as const)("%s", (_, keys, config, why) => {
    const offered = keys.map((provider) => ({ provider, apiKey: "key" }));
    const tool = researchCapability(offered).tools.find(({ name }) => name === "web_search");
    const found = tool && whyUnavailable(tool, config);
    if (why) expect(found).toMatch(why);
    else expect(found).toBeUndefined();
  });

  test("searches with the agent's settings", async () => {
    let body = "";
    const { value } = await tryTool(
      research,
      "web_search",
      { query: "tides" },
      {
        config: { max_results: 7 },
        fetch: async (_, options) => {
          body = String(options?.body);
          return ok(Response.json({ results: [{ title: "A", url: "https://a.example/", content: "x" }] }));
        },
      },
    );
    expect(JSON.parse(body)).toMatchObject({ query: "tides", max_results: 7 });
    expect(value).toEqual({
      query: "tides",
      provider: "tavily",
      results: [{ title: "A", url: "https://a.example/", snippet: "x" }],
      count: 1,
    });
  });
});

async function call(tool: string, input: object) {
  const { value, failure } = await tryTool(research, tool, input, {
    store,
    idempotencyKey: `call-${calls++}`,
  });
  if (failure) throw new Error(failure.message);
  return value;
}

async function write(input: object): Promise<Note> {
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, 0, calls));
  const { value } = await tryTool(research, "research_note", input, {
    store,
    now,
    idempotencyKey: `call-${calls++}`,
  });
  return (value as { note: Note }).note;
}
