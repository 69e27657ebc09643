import { type HookCall, ok } from "@capstan/core";
import type { MemoryAccess } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { MEMORY_ID, memory } from "./memory.ts";

const kept = {
  id: "0197a3c1-9f5e-7c1b-b8a4-2f9f0a6b7c11",
  scope: "user" as const,
  text: "Tea.",
  labels: ["untrusted"],
  at: "now",
};
const access: MemoryAccess = {
  remember: async ({ text, scope }) => ok({ ...kept, text, scope }),
  recall: async () => [kept],
  forget: async () => ok(true),
};

describe("memory", () => {
  test("keeps a fact of the user unless another owner is named", async () => {
    expect(await call("remember_fact", { text: " Likes tea. " })).toMatchObject({
      value: { text: "Likes tea.", scope: "user" },
    });
  });

  test("shows where a fact comes from when it is recalled", async () => {
    expect(await call("recall_facts", { query: "drinks" })).toMatchObject({
      value: { facts: [{ labels: ["untrusted"] }] },
    });
  });

  test.each([
    ["an empty fact", "remember_fact", { text: "  " }],
    ["a document in place of a fact", "remember_fact", { text: "x".repeat(2_001) }],
    ["an owner of its own choice", "remember_fact", { text: "x", subject: "bob@example.com" }],
    ["an unknown scope", "remember_fact", { text: "x", scope: "everyone" }],
    ["more than twenty facts at once", "recall_facts", { query: "x", limit: 21 }],
  ])("refuses %s", (_what, name, input) => {
    expect(tool(name).input.parse(input).ok).toBe(false);
  });

  test("says so where there is no store", async () => {
    expect(await call("recall_facts", { query: "x" }, {})).toMatchObject({
      failure: { code: "not_available" },
    });
  });

  test.each([
    ["user", "pass"],
    ["agent", "approve"],
    ["organisation", "approve"],
  ])("a fact for the scope %s: %s", async (scope, decision) => {
    const asked: HookCall = {
      tool: "my_remember_fact",
      capabilityId: MEMORY_ID,
      input: { text: "x", scope },
      user: "a@b.c",
    };
    expect(await memory.hooks?.beforeCall?.(asked)).toMatchObject({ decision });
  });

  test("a person is asked before something is forgotten", () => {
    expect(tool("forget_fact").policy).toBe("approve");
  });
});

function tool(name: string) {
  const found = memory.tools.find((each) => each.name === name);
  if (!found) throw new Error(`memory offers no ${name}`);
  return found;
}

async function call(name: string, input: object, context: object = { memory: access }) {
  const parsed = tool(name).input.parse(input);
  if (!parsed.ok) throw new Error(parsed.where);
  return tool(name).run(parsed.value, context as never);
}
