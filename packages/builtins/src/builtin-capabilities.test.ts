import { readdirSync, readFileSync } from "node:fs";
import { CapabilityRegistry } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { builtinCapabilities } from "./builtin-capabilities.ts";
import { CAPABILITY_IDS } from "./capability-ids.ts";

const all = builtinCapabilities();
const byId = new Map(all.map((capability) => [capability.id, capability]));

describe("the built-in capabilities", () => {
  test("begin with the nine of the specification, in its order, all available", () => {
    const nine = all.slice(0, 9);
    expect(nine.map((capability) => capability.id)).toEqual([
      CAPABILITY_IDS.NOOP,
      CAPABILITY_IDS.CURRENT_TIME,
      CAPABILITY_IDS.TEST_MATH,
      CAPABILITY_IDS.TEST_WEATHER,
      CAPABILITY_IDS.RESEARCH,
      CAPABILITY_IDS.SANDBOX,
      CAPABILITY_IDS.FILE_SYSTEM,
      CAPABILITY_IDS.WEB_FETCH,
      CAPABILITY_IDS.STATELESS_TODO_LIST,
    ]);
    expect(new Set(Object.values(CAPABILITY_IDS))).toEqual(new Set(nine.map(({ id }) => id)));
    expect(nine.map((capability) => capability.status)).toEqual(Array(9).fill("available"));
  });

  test("are all that lie in capabilities/", () => {
    const folder = new URL("./capabilities/", import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    const defining = files.filter((file) =>
      /\bdefineCapability\(/.test(readFileSync(new URL(file, folder), "utf8")),
    );
    expect(defining).toHaveLength(all.length);
  });

  test("can all be registered, and the registry then holds each as it was declared", () => {
    const registry = CapabilityRegistry.of(all);
    expect(registry.list()).toHaveLength(all.length);
    for (const capability of all)
      expect(registry.get(capability.id)).toEqual({ ok: true, value: capability });
  });

  test.each([
    [
      "current_time",
      "Current Time",
      "Tool to get current date and time in various formats and timezones.",
      "clock",
      "Utilities",
    ],
    [
      "web_fetch",
      "Web Fetch",
      "Fetch content from URLs and convert HTML responses to markdown or plain text.",
      "globe",
      "Network",
    ],
    [
      "stateless_todo_list",
      "Task Management",
      "Enables agents to create and manage structured task lists for tracking multi-step work progress. State is maintained in conversation history.",
      "list-checks",
      "Productivity",
    ],
    ["research", "Research", "Deep research capability with organized scratchpad.", "search", "AI"],
  ])(
    "%s has the specification's name, description, icon and category",
    (id, name, description, icon, category) => {
      expect(byId.get(id)).toMatchObject({ name, description, icon, category });
    },
  );

  test.each([
    ["test_math", "calculator", "Testing"],
    ["test_weather", "cloud-sun", "Testing"],
    ["sandbox", "box", "Execution"],
    ["session_file_system", "folder", "File Operations"],
  ])("%s has the specification's icon and category", (id, icon, category) => {
    expect(byId.get(id)).toMatchObject({ icon, category });
  });

  test.each([
    ["noop", undefined],
    ["current_time", undefined],
    ["web_fetch", undefined],
    [
      "test_math",
      "You have access to math tools. Use them for calculations: add, subtract, multiply, divide.",
    ],
    [
      "test_weather",
      "You have access to weather tools. Use get_weather for current conditions and get_forecast for multi-day forecasts.",
    ],
    ["research", "You have access to a research scratchpad. Use it to organize your thoughts and findings."],
    [
      "sandbox",
      "You can execute code in a sandboxed environment. Use the execute_code tool to run code safely.",
    ],
  ])("%s adds the specification's prompt", (id, prompt) => {
    expect([byId.has(id), byId.get(id)?.systemPrompt]).toEqual([true, prompt]);
  });

  test.each([
    ["noop", ""],
    ["current_time", "get_current_time"],
    ["test_math", "add subtract multiply divide"],
    ["test_weather", "get_weather get_forecast"],
    ["sandbox", "execute_code"],
    ["session_file_system", "read_file write_file list_directory grep_files delete_file stat_file"],
    ["web_fetch", "web_fetch"],
    ["stateless_todo_list", "write_todos"],
  ])("%s has the tools %s, which run without approval", (id, names) => {
    const tools = byId.get(id)?.tools ?? [];
    expect(tools.map((tool) => tool.name).join(" ")).toBe(names);
    expect(tools.every((tool) => tool.policy === "auto")).toBe(true);
  });

  test.each([
    ["get_current_time", "timezone format", ""],
    ["read_file", "path", "path"],
    ["write_file", "path content encoding", "path content"],
    ["list_directory", "path", ""],
    ["grep_files", "pattern path_pattern", "pattern"],
    ["delete_file", "path recursive", "path"],
    ["stat_file", "path", "path"],
    ["web_fetch", "url method as_markdown as_text", "url"],
    ["write_todos", "todos", "todos"],
  ])("%s takes %s", (name, parameters, required) => {
    const tool = all.flatMap((capability) => capability.tools).find((candidate) => candidate.name === name);
    const schema = tool?.input.jsonSchema as {
      properties: Record<string, { description?: string }>;
      required?: string[];
    };
    expect(Object.keys(schema.properties).join(" ")).toBe(parameters);
    expect((schema.required ?? []).join(" ")).toBe(required);
    expect(Object.values(schema.properties).every((property) => property.description)).toBe(true);
  });

  test("research depends on web_fetch", () => {
    expect(byId.get("research")?.dependencies).toEqual(["web_fetch"]);
  });

  test("every tool has a description, validates its output and declares whether it may be repeated", () => {
    for (const tool of all.flatMap((capability) => capability.tools)) {
      expect(tool.description.length, tool.name).toBeGreaterThan(10);
      expect(tool.output, tool.name).toBeDefined();
    }
  });

  test("every capability with tools is found by everyday phrases", () => {
    for (const { id, tools, routing } of all) {
      if (tools.length === 0) continue;
      expect(routing?.triggers?.length, id).toBeGreaterThanOrEqual(5);
      expect(routing?.triggers?.length, id).toBeLessThanOrEqual(10);
      expect(routing, id).toMatchObject({
        domain: expect.any(String),
        tags: expect.any(Array),
        actions: expect.any(Array),
      });
    }
    expect(byId.get("web_fetch")?.routing?.needsUrl).toBe(true);
  });
});
