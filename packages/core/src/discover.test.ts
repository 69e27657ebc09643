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
const NO_THINKING = { supported: false, streaming: false, encrypted: false };
/** An unknown model. */
const UNKNOWN: DiscoveredModel = { label: "test/unknown", inputs: {}, toolCalling: true };
/** A model of which everything is known, and it can do little. */
const PLAIN: DiscoveredModel = {
  label: "test/plain",
  thinking: NO_THINKING,
  inputs: NO_INPUTS,
  parallelCalls: false,
  toolCalling: true,
};

const tool = (name: string, more: Partial<ToolDefinition<z.ZodObject, z.ZodUnknown>> = {}) =>
  defineTool({ name, description: `Does ${name}.`, input: z.object({}), run: () => ok(name), ...more });
const cap = (id: string, ...tools: ReturnType<typeof tool>[]): Capability =>
  defineCapability({ id, name: id, description: id, tools });

function composed(capabilities: Capability[], spec: Partial<AgentSpec> = {}) {
  const listed = capabilities.map(({ id }) => ({ id }));
  const declared = agentSpec({ name: "Ann", capabilities: listed, ...spec });
  const agent = compose(declared, CapabilityRegistry.of(capabilities), { scopes: declared.grantedScopes });
  if (!agent.ok) throw new Error(agent.failure.message);
  return agent.value;
}

function discovered(
  capabilities: Capability[],
  { spec = {}, ...more }: { spec?: Partial<AgentSpec> } & Partial<Omit<DiscoverParts, "agent">> = {},
) {
  return discover({
    agent: composed(capabilities, spec),
    version: "1.0.0",
    model: UNKNOWN,
    harness: { name: "native", clientTools: true, structuredOutput: true },
    server: { maxRequestsPerMinute: 60, defaultMaxSteps: 50, defaultMaxSeconds: 1800, version: "1.0.0" },
    ...more,
  });
}

describe("discover", () => {
  test("an agent has a memory when one of its tools finds what earlier sessions kept", () => {
    expect(discovered([cap("a", tool("one"))]).state).not.toHaveProperty("memory");
    expect(discovered([cap("a", tool("look_back", { recalls: true }))]).state.memory).toBe(true);
  });

  test("the identity is the agent's own, without fields it does not have", () => {
    expect(discovered([]).identity).toEqual({ name: "Ann", type: "capstan", version: "1.0.0", metadata: {} });
    const spec = {
      description: "Helps.",
      version: 7,
      provider: "Acme",
      documentationUrl: "https://acme.example/ann",
      metadata: { team: "x" },
    };
    expect(discovered([], { spec, version: "7.1.2" }).identity).toEqual({
      name: "Ann",
      type: "capstan",
      description: "Helps.",
      version: "7.1.2",
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
    ["of which nobody knows", UNKNOWN, undefined],
    ["that does not think", PLAIN, NO_THINKING],
    [
      "that streams its thinking",
      { ...PLAIN, thinking: { supported: true, streaming: true, encrypted: false } },
      { supported: true, streaming: true, encrypted: false },
    ],
    [
      "that hides its thinking",
      { ...PLAIN, thinking: { supported: true, streaming: false, encrypted: true } },
      { supported: true, streaming: false, encrypted: true },
    ],
  ])("reasoning of a model %s", (_what, model, reasoning) => {
    expect(discovered([], { model }).reasoning).toEqual(reasoning);
  });

  test("what the model decides is absent for a model nobody knows, and false for one known not to do it", () => {
    const unknown = discovered([]);
    expect(unknown.tools).not.toHaveProperty("parallelCalls");
    expect(unknown.multimodal).toEqual({ input: {} });
    const plain = discovered([], { model: PLAIN });
    expect(plain.tools?.parallelCalls).toBe(false);
    expect(plain.multimodal).toEqual({ input: NO_INPUTS });
    expect(discovered([], { model: { ...PLAIN, parallelCalls: true } }).tools?.parallelCalls).toBe(true);
  });

  test("tools that a run adds are listed after the agent's own", () => {
    const [added] = composed([cap("b", tool("change_state"))]).tools;
    const { tools } = discovered([cap("a", tool("one"))], { runTools: added ? [added] : [] });
    expect(tools?.items.map(({ name }) => name)).toEqual(["one", "change_state"]);
  });

  test("inputs are what the model accepts, and files when there are tools for them", () => {
    const model = { ...PLAIN, inputs: { ...NO_INPUTS, image: true, pdf: true } };
    expect(discovered([], { model }).multimodal).toEqual({ input: { ...NO_INPUTS, image: true, pdf: true } });
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
    const bob = { name: "Bob", description: "Knows boats." };
    const delegate = tool("delegate_to_bob", { subagent: { id: "b", ...bob } });
    const handOver = tool("hand_over_to_bob", { handsOverTo: { id: "b", ...bob } });
    const lists = { supported: true, subAgents: [bob], subagents: [bob] };
    const declared = (...tools: ReturnType<typeof tool>[]) =>
      discovered([cap("agent.bob", ...tools)]).multiAgent;
    expect(declared(delegate)).toEqual({ ...lists, delegation: true });
    expect(declared(handOver)).toEqual({ ...lists, handoffs: true });
    expect(declared(delegate, handOver)).toEqual({ ...lists, delegation: true, handoffs: true });
  });

  test("what is not built is absent, not false", () => {
    const { tools, ...rest } = discovered([cap("a", tool("one"))]);
    const all = JSON.stringify({ ...rest, tools: { ...tools, items: [] } }); // a tool's own schema may say false
    expect(all).not.toContain("false");
    for (const absent of ["websocket", "memory", "interventions"]) expect(all).not.toContain(absent);
    expect(Object.keys(rest.multimodal ?? {})).toEqual(["input"]);
  });

  test("the rate limit is the caller's real one", () => {
    expect(discovered([]).custom.rateLimit).toEqual({ maxRequestsPerMinute: 60 });
  });
});
