import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSpec, agentSpec } from "./agent.ts";
import { type Capability, type CapabilityDefinition, defineCapability } from "./capability.ts";
import { compose } from "./compose.ts";
import { CapabilityRegistry } from "./registry.ts";
import { ok } from "./result.ts";
import type { RuntimeAgent } from "./runtime-agent.ts";
import { defineTool } from "./tool.ts";

describe("compose: the prompt", () => {
  test("consists of the additions in order, then the agent's own", () => {
    const agent = composed(
      [cap("a", { systemPrompt: "From A." }), cap("b", { systemPrompt: "From B." })],
      ["b", "a"],
      { systemPrompt: "Mine." },
    );
    expect(agent.systemPrompt).toBe("From B.\n\nFrom A.\n\nMine.");
  });

  test("has no blank lines where a capability adds nothing", () => {
    expect(composed([cap("a"), cap("b", { systemPrompt: "B." })], ["a", "b"]).systemPrompt).toBe("B.");
  });
});

describe("compose: dependencies", () => {
  const web = cap("web", { systemPrompt: "Web." });
  const research = cap("research", { systemPrompt: "Research.", dependencies: ["web"] });

  test("come first and say who requires them", () => {
    const agent = composed([web, research], ["research"]);
    expect(agent.capabilities.map(({ id, requiredBy }) => [id, requiredBy])).toEqual([
      ["web", "research"],
      ["research", undefined],
    ]);
    expect(agent.systemPrompt).toBe("Web.\n\nResearch.");
  });

  test("come first also when the agent lists them later", () => {
    const agent = composed([web, research], ["research", "web"]);
    expect(agent.capabilities.map(({ id }) => id)).toEqual(["web", "research"]);
    expect(agent.capabilities.every(({ requiredBy }) => requiredBy === undefined)).toBe(true);
  });

  test("in a cycle are refused, and the cycle is named", () => {
    const circle = [cap("x", { dependencies: ["y"] }), cap("y", { dependencies: ["x"] })];
    expect(refusal(circle, ["x"])).toMatchObject({
      code: "capability_cycle",
      message: expect.stringContaining("x -> y -> x"),
    });
  });
});

describe("compose: what is refused", () => {
  test.each<[string, Capability[], (string | object)[], string, RegExp]>([
    ["an unknown id", [cap("web_fetch")], ["web_fetc"], "capability_unknown", /web_fetch/],
    [
      "a coming-soon one",
      [cap("a", { status: "coming_soon" })],
      ["a"],
      "capability_coming_soon",
      /Leave it out/,
    ],
    ["one listed twice", [cap("a")], ["a", "a"], "capability_repeated", /once/],
    [
      "a pin that does not fit",
      [cap("a", { version: "2.1.0" })],
      [{ id: "a", version: "^1.0.0" }],
      "capability_version_mismatch",
      /2\.1\.0/,
    ],
    [
      "config outside the schema",
      [cap("a", { config: z.object({ n: z.number() }) })],
      [{ id: "a", config: { n: "x" } }],
      "capability_config_invalid",
      /config schema/,
    ],
    [
      "config where none is taken",
      [cap("a")],
      [{ id: "a", config: { n: 1 } }],
      "capability_config_invalid",
      /config schema/,
    ],
    [
      "two tools of one name",
      [cap("a", { tools: [tool("go")] }), cap("b", { tools: [tool("go")] })],
      ["a", "b"],
      "tool_conflict",
      /"prefix"/,
    ],
    [
      "a prefix that makes a name too long",
      [cap("a", { tools: [tool("g".repeat(60))] })],
      [{ id: "a", prefix: "prefix_" }],
      "tool_name_invalid",
      /prefix/,
    ],
  ])("%s, with a next step", (_what, registered, refs, code, nextStep) => {
    expect(refusal(registered, refs)).toMatchObject({ code, nextStep: expect.stringMatching(nextStep) });
  });

  test("a conflict names both capabilities", () => {
    const two = [cap("first", { tools: [tool("go")] }), cap("second", { tools: [tool("go")] })];
    expect(refusal(two, ["first", "second"])?.message).toMatch(/"first" and "second".*"go"/);
  });

  test("a version mismatch names both versions", () => {
    expect(refusal([cap("a", { version: "2.0.0" })], [{ id: "a", version: "1.4.0" }])?.message).toMatch(
      /1\.4\.0.*2\.0\.0/,
    );
  });
});

describe("compose: tools", () => {
  test("a prefix resolves a conflict", () => {
    const two = [cap("a", { tools: [tool("go")] }), cap("b", { tools: [tool("go")] })];
    expect(composed(two, ["a", { id: "b", prefix: "b_" }]).tools.map(({ name }) => name)).toEqual([
      "go",
      "b_go",
    ]);
  });

  test.each<[string, Partial<CapabilityDefinition>, string[], object]>([
    [
      "a tool scope",
      { tools: [tool("send", { scopes: ["Mail.Send"] })] },
      [],
      { reason: "scope", missingScopes: ["Mail.Send"] },
    ],
    [
      "a capability scope",
      { requiredScopes: ["Mail.Read"], tools: [tool("list")] },
      ["Other"],
      { reason: "scope", missingScopes: ["Mail.Read"] },
    ],
    [
      "a missing provider",
      { tools: [tool("search", { unavailable: "no search provider" })] },
      [],
      { reason: "unavailable", detail: "no search provider" },
    ],
    ["a denying policy", { tools: [tool("drop", { policy: "deny" })] }, [], { reason: "policy" }],
  ])("hides a tool for %s and says so", (_what, more, scopes, hidden) => {
    const agent = composed([cap("mail", more)], ["mail"], {}, scopes);
    expect(agent.tools).toEqual([]);
    expect(agent.hidden).toMatchObject([hidden]);
  });

  test("a capability without its scopes adds no prompt, and a warning", () => {
    const agent = composed([cap("mail", { requiredScopes: ["Mail.Read"], systemPrompt: "Mail." })], ["mail"]);
    expect(agent.systemPrompt).toBe("");
    expect(agent.warnings).toEqual([expect.stringContaining("Mail.Read")]);
    expect(agent.capabilities).toMatchObject([{ excluded: true, promptTokens: 0 }]);
  });

  test("a deprecated capability works, with a warning", () => {
    const agent = composed([cap("old", { status: "deprecated", tools: [tool("go")] })], ["old"]);
    expect(agent.tools).toHaveLength(1);
    expect(agent.warnings).toEqual([expect.stringContaining("deprecated")]);
  });

  test.each<[string, Partial<AgentSpec>, Partial<CapabilityDefinition>, string]>([
    ["a high-risk tool requires approval by default", {}, { risk: "high" }, "approve"],
    ["the operator may let a high-risk tool run", { toolPolicies: { go: "auto" } }, { risk: "high" }, "auto"],
    ["the operator may require approval", { toolPolicies: { go: "approve" } }, {}, "approve"],
    [
      "a capability's requirement beats the operator's permission",
      { toolPolicies: { go: "auto" } },
      { risk: "high", policies: { go: "approve" } },
      "approve",
    ],
    ["a requirement for all tools applies", {}, { policies: { "*": "approve" } }, "approve"],
  ])("%s", (_what, spec, more, policy) => {
    expect(composed([cap("a", { tools: [tool("go")], ...more })], ["a"], spec).tools[0]?.policy).toBe(policy);
  });

  test("cost is counted for each capability and adds up", () => {
    const agent = composed(
      [cap("a", { systemPrompt: "one two", tools: [tool("go")] }), cap("b")],
      ["a", "b"],
      { systemPrompt: "three" },
    );
    expect(agent.capabilities.map(({ promptTokens }) => promptTokens)).toEqual([2, 0]);
    expect(agent.tokens.total).toBe(agent.tokens.prompt + agent.tokens.tools);
    expect(agent.tokens.tools).toBe(agent.capabilities.reduce((sum, { toolTokens }) => sum + toolTokens, 0));
  });
});

describe("compose is deterministic", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const registered = ids.map((id, index) =>
    cap(id, {
      systemPrompt: `I am ${id}.`,
      tools: [tool(`${id}_go`)],
      dependencies: ids.slice(index + 1, index + 1 + (index % 2)),
    }),
  );
  test("the same agent gives the same bytes, in whatever order capabilities were registered", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(ids),
        fc.shuffledSubarray(registered, { minLength: ids.length }),
        (refs, shuffled) => {
          expect(bytes(composed(shuffled, refs))).toBe(bytes(composed(registered, refs)));
        },
      ),
    );
  });
  test("every dependency comes before what requires it", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ids), (refs) => {
        const order = composed(registered, refs).capabilities.map(({ id }) => id);
        for (const { id, dependencies } of registered) {
          for (const dependency of order.includes(id) ? dependencies : []) {
            expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(id));
          }
        }
      }),
    );
  });
});

function tool(name: string, more: object = {}) {
  return defineTool({
    name,
    description: `Does ${name}.`,
    input: z.object({ x: z.string() }),
    run: () => ok(1),
    ...more,
  });
}

function cap(id: string, more: Partial<CapabilityDefinition> = {}): Capability {
  return defineCapability({ id, name: id.toUpperCase(), description: `The ${id}.`, ...more });
}

const refsOf = (refs: readonly (string | object)[]) =>
  refs.map((ref) => (typeof ref === "string" ? { id: ref } : (ref as { id: string })));
const words = (text: string) => text.split(/\s+/).length;

function tryCompose(
  registered: Capability[],
  refs: readonly (string | object)[],
  spec: Partial<AgentSpec>,
  scopes: string[],
) {
  const agent = agentSpec({ name: "tester", ...spec, capabilities: refsOf(refs) });
  return compose(agent, CapabilityRegistry.of(registered), { scopes }, words);
}

function composed(
  registered: Capability[],
  refs: readonly (string | object)[],
  spec: Partial<AgentSpec> = {},
  scopes: string[] = [],
): RuntimeAgent {
  const result = tryCompose(registered, refs, spec, scopes);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

function refusal(registered: Capability[], refs: readonly (string | object)[]) {
  const result = tryCompose(registered, refs, {}, []);
  return result.ok ? undefined : result.failure;
}

const bytes = (agent: RuntimeAgent): string => JSON.stringify(agent);
