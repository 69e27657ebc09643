/**
 * Everything the capabilities document declares, done. The flags are read from the documents of real agents: one that
 * no exercise covers fails the first test.
 */
import { AgentCapabilitiesSchema } from "@ag-ui/core/schemas";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { type DeclaredAgents, declaredAgents, once } from "./fixtures/declared-agents.ts";
import { EXERCISES } from "./fixtures/exercises.ts";

let rig: DeclaredAgents;
beforeAll(async () => {
  rig = await declaredAgents();
});
afterAll(() => rig?.close());
beforeEach(() => {
  rig.mock.reset();
  rig.llm.script = () => ({ text: ["Hello ", "there."] });
  rig.llm.requests.length = 0;
});

describe("the capabilities document", () => {
  test("declares nothing that is not exercised here, and everything that is", async () => {
    const documents = await Promise.all(Object.values(rig.agents).map((id) => rig.documentOf(id)));
    for (const document of documents)
      expect(AgentCapabilitiesSchema.safeParse(document)).toMatchObject({ success: true });
    const declared = new Set(documents.flatMap((document) => flagsOf(document)));
    expect([...declared].sort()).toEqual(Object.keys(EXERCISES).sort());
  });

  test.each(Object.entries(EXERCISES))("what it says of %s is true", async (_flag, exercise) => {
    await exercise(rig);
  });

  test("changes when a capability is added, and when it is taken away", async () => {
    const id = await rig.newAgent({ capabilities: [] });
    const before = await rig.documentOf(id);
    expect(before.tools.items).toEqual([]);
    expect(before.execution.codeExecution).toBeUndefined();
    await rig.server.call("PATCH", `/v1/agents/${id}`, { capabilities: ["sandbox"] });
    const after = await rig.documentOf(id);
    expect(after.tools.items.map(({ name }: WireEvent) => name)).toEqual(["execute_code"]);
    expect(after.execution.codeExecution).toBe(true);
    expect(after.identity.version).not.toBe(before.identity.version);
    await rig.server.call("PATCH", `/v1/agents/${id}`, { capabilities: [] });
    expect((await rig.documentOf(id)).execution.codeExecution).toBeUndefined();
  });

  test("tells the limit of the key that asks", async () => {
    const { body } = await rig.server.call("POST", "/v1/keys", {
      name: "slow",
      rights: ["read"],
      per_minute: 7,
    });
    const path = `/v1/agents/${rig.agents.full}/ag-ui/capabilities`;
    const answer = await rig.server.call("GET", path, undefined, { authorization: `Bearer ${body.key}` });
    expect(answer.body.custom.rateLimit).toEqual({ maxRequestsPerMinute: 7 });
  });

  test("is 404 without an agent", async () => {
    expect((await rig.server.call("GET", "/v1/agents/nobody/ag-ui/capabilities")).status).toBe(404);
  });

  test("shows beside the declaration what runs really did, when asked", async () => {
    const id = await rig.newAgent({ capabilities: ["test_math"] });
    expect(await rig.documentOf(id)).not.toHaveProperty("observed");
    expect((await rig.documentOf(id, "?observed=true")).observed).toEqual([]);
    rig.llm.script = once({
      calls: [1, 2].map((n) => ({ id: `p${n}`, name: "add", input: { a: n, b: n } })),
    });
    await rig.run({}, id);
    const observed = await eventually(async () => (await rig.documentOf(id, "?observed=true")).observed, 2);
    expect(observed.map(({ feature }: WireEvent) => feature)).toEqual(["parallelCalls", "toolCalls"]);
    expect(observed[0]).toMatchObject({ model: "openai-compatible/scripted", seenAt: expect.any(String) });
  });
});

/** Every `true`, and the numbers a client relies on, by path. Lists are data, not flags. */
function flagsOf(value: WireEvent, path = ""): string[] {
  if (value === true || (typeof value === "number" && path.startsWith("execution"))) return [path];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "custom" || key === "identity" ? [] : flagsOf(inner, path === "" ? key : `${path}.${key}`),
  );
}

/** What is written beside the run is there a moment after it. */
async function eventually(read: () => Promise<WireEvent[]>, length: number): Promise<WireEvent[]> {
  return expect.poll(read, { timeout: 10_000 }).toHaveLength(length).then(read);
}
