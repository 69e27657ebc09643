import { describe, expect, test } from "vitest";
import { agentSpec } from "../agent.ts";
import { lineDiff } from "./line-diff.ts";
import { revisionDiff } from "./revision-diff.ts";
import { rightsGrowth } from "./rights-growth.ts";

describe("the difference of two texts", () => {
  test.each([
    ["a\nb\nc", "a\nx\nc", " a-b+x c"],
    ["", "a", "+a"],
    ["a", "", "-a"],
    ["a\nb", "a\nb", " a b"],
    ["a\nb\nc\nd", "b\nd\ne", "-a b-c d+e"],
  ])("of %j and %j", (before, after, expected) => {
    const sign = { same: " ", removed: "-", added: "+" };
    expect(
      lineDiff(before, after)
        .map(({ op, text }) => sign[op] + text)
        .join(""),
    ).toBe(expected);
  });
});

describe("growing rights", () => {
  const base = agentSpec({ name: "A", capabilities: [{ id: "files" }], toolPolicies: { pay: "approve" } });
  test.each([
    ["a new scope", { grantedScopes: ["mail"] }, ["granted_scopes: mail"]],
    ["a new capability", { capabilities: [{ id: "files" }, { id: "web" }] }, ["capabilities: web"]],
    [
      "another config",
      { capabilities: [{ id: "files", config: { root: "/" } }] },
      ["capabilities: another config of files"],
    ],
    [
      "a looser policy",
      { toolPolicies: { pay: "auto" as const } },
      ["tool_policies: pay is auto, not approve"],
    ],
    ["a policy that is gone", { toolPolicies: {} }, ["tool_policies: pay is as declared, not approve"]],
    ["the program's own tools", { allowNativeTools: true }, ["allow_native_tools"]],
  ])("%s is named", (_what, change, expected) => {
    expect(rightsGrowth(base, { ...base, ...change })).toEqual(expected);
  });

  test.each([
    ["fewer capabilities", { capabilities: [] }],
    ["a stricter policy", { toolPolicies: { pay: "deny" as const } }],
    ["another prompt", { systemPrompt: "Be brief." }],
  ])("%s needs no yes", (_what, change) => {
    expect(rightsGrowth(base, { ...base, ...change })).toEqual([]);
  });
});

test("two revisions differ in their fields, prompt lines, capability versions and price", () => {
  const before = {
    fields: { system_prompt: "Be kind.\nBe brief.", model: "a/b", name: "A" },
    pins: [{ id: "web", version: "1.0.0", sha256: "aa" }],
    tokens: 10,
  };
  const after = {
    fields: { system_prompt: "Be kind.", model: "a/c", name: "A" },
    pins: [{ id: "web", version: "1.1.0", sha256: "bb" }],
    tokens: 8,
  };
  expect(revisionDiff(before, after)).toEqual({
    fields: [{ field: "model", before: "a/b", after: "a/c" }],
    prompt: [
      { op: "same", text: "Be kind." },
      { op: "removed", text: "Be brief." },
    ],
    pins: [{ id: "web", before: before.pins[0], after: after.pins[0] }],
    tokens: { before: 10, after: 8 },
  });
});
