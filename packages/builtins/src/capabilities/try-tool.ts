/** For tests: runs one tool as the gate would, with its input and its output checked by its own schemas. */
import {
  type Capability,
  type CapabilityStore,
  type Failure,
  fail,
  type JsonValue,
  type ToolContext,
} from "@capstan/core";

export async function tryTool(
  capability: Capability,
  name: string,
  input: unknown,
  context: Partial<ToolContext> = {},
): Promise<{ value?: unknown; failure?: Failure }> {
  const tool = capability.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`${capability.id} has no tool ${name}`);
  const parsed = tool.input.parse(input);
  if (!parsed.ok) return { failure: fail("tool_input_invalid", { tool: name, where: parsed.where }).failure };
  const result = await tool.run(parsed.value, { ...quietContext(), ...context });
  if (!result.ok) return { failure: result.failure };
  const output = tool.output?.parse(JSON.parse(JSON.stringify(result.value)));
  if (!output?.ok) throw new Error(`${name} answered outside its schema: ${output?.where ?? "it has none"}`);
  return { value: output.value };
}

export function memoryStore(): CapabilityStore {
  const rows = new Map<string, JsonValue>();
  return {
    get: async (key) => rows.get(key),
    set: async (key, value) => void rows.set(key, structuredClone(value)),
    delete: async (key) => void rows.delete(key),
    list: async (prefix = "") =>
      [...rows]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, value]) => ({ key, value: structuredClone(value) })),
  };
}

function quietContext(): ToolContext {
  return {
    user: { email: "ada@example.com", scopes: [] },
    sessionId: "s1",
    fetch: async (url) => fail("network_error", { url, why: "a test without a network" }),
    store: memoryStore(),
    config: undefined,
    signal: new AbortController().signal,
    idempotencyKey: "call-1",
    now: () => new Date("2026-03-01T12:34:56.789Z"),
  };
}
