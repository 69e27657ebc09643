import { describe, expect, test } from "vitest";
import { z } from "zod";
import { agentSpec } from "../agent.ts";
import { defineCapability } from "../capability.ts";
import { compose } from "../compose.ts";
import { CapabilityRegistry } from "../registry.ts";
import { ok } from "../result.ts";
import { defineTool, type ToolPolicy } from "../tool.ts";
import type { Manifest } from "./manifest.ts";
import { sessionManifest } from "./session-manifest.ts";
import { toolName } from "./tool-names.ts";

const manifest = (name: string, scope: string): Manifest => ({
  name,
  type: "cli",
  command: `aech-cli-${name}`,
  description: name,
  required_scopes: [scope],
  actions: [
    { name: "read", description: "Reads", parameters: [] },
    { name: "write", description: "Writes", parameters: [], required_scopes: ["Write"] },
  ],
});
const all = [manifest("b", "Read"), manifest("a", "Read"), manifest("c", "Other")];

describe("the session's manifest", () => {
  test.each([
    [["Read"], ["a: read", "b: read"]],
    [
      ["Read", "Write"],
      ["a: read, write", "b: read, write"],
    ],
    [[], []],
    [["*"], ["a: read, write", "b: read, write", "c: read, write"]],
  ])("with %j granted holds %j", (granted, expected) => {
    expect(visible(sessionManifest(all, agentWith(granted)))).toEqual(expected);
  });

  test("leaves out what a policy denies", () => {
    expect(visible(sessionManifest(all, agentWith(["Read"], { a_read: "deny" })))).toEqual(["b: read"]);
  });

  test("is the same text for the same rights, in any order", () => {
    const agent = agentWith(["Read"]);
    expect(sessionManifest(all, agent)).toBe(sessionManifest([...all].reverse(), agent));
  });
});

const visible = (text: string): string[] =>
  (JSON.parse(text).capabilities as Manifest[]).map(
    ({ name, actions }) => `${name}: ${actions.map((action) => action.name).join(", ")}`,
  );

function agentWith(scopes: string[], toolPolicies: Record<string, ToolPolicy> = {}) {
  const registry = CapabilityRegistry.of(
    all.map((each) =>
      defineCapability({
        id: each.name,
        name: each.name,
        description: each.description,
        requiredScopes: each.required_scopes ?? [],
        tools: each.actions.map(({ name, description }) =>
          defineTool({
            name: toolName(each.name, name),
            description,
            scopes: each.required_scopes ?? [],
            input: z.object({}),
            run: () => ok(1),
          }),
        ),
      }),
    ),
  );
  const capabilities = all.map(({ name }) => ({ id: name }));
  const agent = compose(agentSpec({ name: "Mate", capabilities, toolPolicies }), registry, { scopes });
  if (!agent.ok) throw new Error(agent.failure.message);
  return agent.value;
}
