import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSpec, agentSpec } from "./agent.ts";
import { type Capability, defineCapability } from "./capability.ts";
import { compose } from "./compose.ts";
import { type DiscoveredModel, type DiscoverParts, discover } from "./discover.ts";
import { CapabilityRegistry } from "./registry.ts";
import { ok } from "./result.ts";
import { defineTool, type ToolDefinition } from "./tool.ts";

const NO_INPUTS = { image: false, audio: false, video: false, pdf: false };
const PLAIN: DiscoveredModel = {
  label: "test/plain",
  supportsThinking: false,
  streamsThinking: false,
  encryptsThinking: false,
  inputs: NO_INPUTS,
  parallelCalls: false,
  toolCalling: true,
};

const tool = (name: string, more: Partial<ToolDefinition<z.ZodObject, z.ZodUnknown>> = {}) =>
  defineTool({ name, description: `Does ${name}.`, input: z.object({}), run: () => ok(name), ...more });
const cap = (id: string, ...tools: ReturnType<typeof tool>[]): Capability =>
  defineCapability({ id, name: id, description: id, tools });

function discovered(
  capabilities: Capability[],
  { spec = {}, ...more }: { spec?: Partial<AgentSpec> } & Partial<Omit<DiscoverParts, "agent">> = {},
) {
  const listed = capabilities.map(({ id }) => ({ id }));
  const declared = agentSpec({ name: "Ann", capabilities: listed, ...spec });
  const agent = compose(declared, CapabilityRegistry.of(capabilities), { scopes: declared.grantedScopes });
  if (!agent.ok) throw new Error(agent.failure.message);
  return discover({
    agent: agent.value,
    model: PLAIN,
    harness: { name: "native", clientTools: true, structuredOutput: true, approvals: true },
    server: { maxRequestsPerMinute: 60, defaultMaxSteps: 50, defaultMaxSeconds: 1800, version: "1.0.0" },
    ...more,
  });
}

describe("discover", () => {
  test("the identity is the agent's own, without fields it does not have", () => {
    expect(discovered([]).identity).toEqual({ name: "Ann", type: "capstan", version: "1.0.0", metadata: {} });
    const spec = {
      description: "Helps.",
      version: 7,
      provider: "Acme",
      documentationUrl: "https://acme.example/ann",
      metadata: { team: "x" },
    };
    expect(discovered([], { spec }).identity).toEqual({
      name: "Ann",
      type: "capstan",
      description: "Helps.",
      version: "7.0.0",
      provider: "Acme",
      documentationUrl: "https://acme.example/ann",
      metadata: { team: "x" },
    });
  });

  test("lists the tools the agent has now: adding a capability adds items", () => {
    const before = discovered([cap("a", tool("one"))]).tools;
    const after = discovered([cap("a", tool("one")), cap("b", tool("two"))]).tools;
    expect(before?.items.map(({ name }) => name)).toEqual(["one"]);
    expect(after?.items.map(({ name }) => name)).toEqual(["one", "two"]);
    expect(after?.items[0]).toEqual({
      name: "one",
      description: "Does one.",
      parameters: expect.objectContaining({ type: "object" }),
    });
  });

  test("a hidden tool is not offered, and the reason is given", () => {
    const { tools, custom } = discovered([cap("a", tool("open"), tool("closed", { scopes: ["x:read"] }))]);
    expect(tools?.items.map(({ name }) => name)).toEqual(["open"]);
    expect(custom.hiddenTools).toEqual([{ name: "closed", reason: "scope" }]);
  });

  test("a model that cannot call tools is declared as such", () => {
    const model = { ...PLAIN, toolCalling: false };
    expect(discovered([cap("a", tool("one"))], { model }).tools).toEqual({ supported: false, items: [] });
  });

  test.each([
    ["that does not think", PLAIN, undefined],
    [
      "that streams its thinking",
      { ...PLAIN, supportsThinking: true, streamsThinking: true },
      { supported: true, streaming: true },
    ],
    [
      "that hides its thinking",
      { ...PLAIN, supportsThinking: true, encryptsThinking: true },
      { supported: true, encrypted: true },
    ],
  ])("reasoning of a model %s", (_what, model, reasoning) => {
    expect(discovered([], { model }).reasoning).toEqual(reasoning);
  });

  test("inputs are what the model accepts, and files when there are tools for them", () => {
    const model = { ...PLAIN, inputs: { ...NO_INPUTS, image: true, pdf: true } };
    expect(discovered([], { model }).multimodal).toEqual({ input: { image: true, pdf: true } });
    const files = discovered([cap("library", tool("open_book", { readsFiles: true }))]);
    expect(files.multimodal).toEqual({ input: { file: true } });
  });

  test("code execution and its sandbox are declared by the tools' flags, never by a name", () => {
    expect(discovered([]).execution).toEqual({ maxIterations: 50, maxExecutionTime: 1_800_000 });
    const limits = { maxSteps: 3, maxSeconds: 9 };
    const times = { maxIterations: 3, maxExecutionTime: 9000 };
    const execution = (...tools: ReturnType<typeof tool>[]) =>
      discovered([cap("lab", ...tools)], { spec: { limits } }).execution;
    const safe = tool("try_it", { runsCode: { sandboxed: true } });
    const open = tool("shell", { runsCode: { sandboxed: false } });
    expect(execution(tool("execute_code"))).toEqual(times);
    expect(execution(safe)).toEqual({ codeExecution: true, sandboxed: true, ...times });
    expect(execution(safe, open)).toEqual({ codeExecution: true, ...times });
  });

  test("other agents are declared only when the agent can reach one, by what it can do with them", () => {
    expect(discovered([]).multiAgent).toBeUndefined();
    const subagent = { name: "Bob", description: "Knows boats." };
    const delegates = discovered([cap("agent.bob", tool("delegate_to_bob", { subagent }))]).multiAgent;
    expect(delegates).toEqual({
      supported: true,
      delegation: true,
      subAgents: [subagent],
      subagents: [subagent],
    });
    const handsOver = discovered([cap("agent.bob", tool("hand_over_to_bob", { handsOverTo: "b" }))]);
    expect(handsOver.multiAgent).toEqual({ supported: true, handoffs: true, subAgents: [], subagents: [] });
  });

  test("what is not built is absent, not false", () => {
    const { tools, ...rest } = discovered([cap("a", tool("one"))]);
    const all = JSON.stringify({ ...rest, tools: { ...tools, items: [] } }); // a tool's own schema may say false
    expect(all).not.toContain("false");
    for (const absent of ["websocket", "memory", "interventions", '"output":{"image"'])
      expect(all).not.toContain(absent);
  });

  test("the rate limit is the caller's real one", () => {
    expect(discovered([]).custom.rateLimit).toEqual({ maxRequestsPerMinute: 60 });
  });
});
