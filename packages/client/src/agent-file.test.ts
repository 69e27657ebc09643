import { fail, ok } from "@capstan/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AgentFile,
  agentDifferences,
  agentFields,
  agentFile,
  parseAgentFile,
  servedFields,
} from "./agent-file.ts";
import { agentDefaults } from "./wire/agent-defaults.ts";
import type { Agent, AgentFields, CapabilityEntry } from "./wire/agents.ts";

const served = (parts: Partial<Agent> = {}): AgentFields & { id: string } => ({
  ...agentDefaults(),
  id: "a1",
  name: "Helper",
  ...parts,
});
const noAgent = (id: string) => fail("not_found", { what: "agent", id });
const fieldsOf = (file: AgentFile, names: Record<string, string> = {}) => {
  const made = agentFields(file, (name) => (names[name] === undefined ? noAgent(name) : ok(names[name])));
  if (!made.ok) throw new Error(made.failure.message);
  return made.value;
};

describe("an agent as a file", () => {
  test("leaves out fields at their default, and lists other agents by name", () => {
    const agent = served({
      model: "openai/gpt-5",
      capabilities: ["noop", { id: "web_fetch", prefix: "w" }, "agent.b2"],
    });
    expect(agentFile(agent, (id) => (id === "b2" ? "Writer" : undefined))).toEqual({
      id: "a1",
      name: "Helper",
      model: "openai/gpt-5",
      capabilities: ["noop", { id: "web_fetch", prefix: "w" }, { agent: "Writer" }],
    });
  });

  test("round-trips any agent", () => {
    const word = fc.string({ minLength: 1, maxLength: 8 });
    const agent = fc.record({
      name: fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== ""),
      description: fc.string(),
      model: fc.option(
        word.map((name) => `openai/x${name}`).filter((name) => !/[\n\r\u2028\u2029]/.test(name)),
      ),
      capabilities: fc.uniqueArray(
        fc.constantFrom<CapabilityEntry>(
          "web_fetch",
          { id: "noop", config: { a: [1] } },
          "agent.b2",
          { id: "agent.b2", prefix: "b" },
          "agent.gone",
        ),
      ),
      granted_scopes: fc.array(word),
      tool_policies: fc.dictionary(word, fc.constantFrom("auto" as const, "deny" as const)),
      limits: fc.constantFrom({}, { max_steps: 3 }),
      metadata: fc.dictionary(word, fc.jsonValue()),
    });
    fc.assert(
      fc.property(agent, (parts) => {
        const before = served(parts);
        const file = parseAgentFile(
          JSON.parse(JSON.stringify(agentFile(before, (id) => (id === "b2" ? "Writer" : undefined)))),
        );
        if (!file.ok) throw new Error(file.failure.message);
        expect(agentDifferences(servedFields(before), fieldsOf(file.value, { Writer: "b2" }))).toEqual([]);
      }),
    );
  });

  test.each<[string, unknown]>([
    ["an unknown field", { name: "A", sytem_prompt: "x" }],
    ["no name", { description: "x" }],
    ["a capability without id", { name: "A", capabilities: [{ prefix: "w" }] }],
    ["an unknown limit", { name: "A", limits: { max_turns: 3 } }],
    ["camelCase spelling", { name: "A", systemPrompt: "x" }],
    ["a value the server would refuse", { name: "A", model: "no model" }],
    ["an empty file", null],
  ])("refuses %s", (_what, value) => {
    expect(parseAgentFile(value)).toMatchObject({ ok: false, failure: { code: "agent_file_invalid" } });
  });

  test("that lists an unknown agent is refused by name", () => {
    const made = agentFields({ name: "A", capabilities: [{ agent: "Nobody" }] }, noAgent);
    expect(made).toMatchObject({ ok: false, failure: { code: "not_found" } });
  });
});

describe("the difference", () => {
  test("lists differences field by field, ignoring key order", () => {
    const before = servedFields(served({ metadata: { a: 1, b: 2 }, model: "openai/gpt-5" }));
    const after = fieldsOf({ name: "Helper", metadata: { b: 2, a: 1 }, description: "new" });
    expect(agentDifferences(before, after)).toEqual([
      { field: "description", before: "", after: "new" },
      { field: "model", before: "openai/gpt-5", after: null },
    ]);
  });

  test("against nothing lists what the file sets", () => {
    expect(agentDifferences(undefined, fieldsOf({ name: "A", harness: "native", model: "x/y" }))).toEqual([
      { field: "name", before: null, after: "A" },
      { field: "model", before: null, after: "x/y" },
    ]);
  });
});
