/**
 * Exercises everything the capabilities document declares. The flags are read from the documents of real agents: a flag
 * without an exercise fails the first test.
 */
import { AgentCapabilitiesSchema } from "@ag-ui/core/schemas";
import { AGUI_MEDIA_TYPE } from "@ag-ui/proto";
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
  test("declares exactly what is exercised here", async () => {
    const documents = await Promise.all(Object.values(rig.agents).map((id) => rig.documentOf(id)));
    for (const document of documents)
      expect(AgentCapabilitiesSchema.safeParse(document)).toMatchObject({ success: true });
    const declared = new Set(documents.flatMap((document) => flagsOf(document)));
    expect([...declared].sort()).toEqual(Object.keys(EXERCISES).sort());
  });

  test.each(Object.entries(EXERCISES))("its claim about %s is true", async (_flag, exercise) => {
    await exercise(rig);
  });

  test("changes when a capability is added or removed", async () => {
    const id = await rig.newAgent({ capabilities: [] });
    const before = await rig.documentOf(id);
    expect(namesOf(before)).toEqual(["update_state"]);
    expect(before.execution.codeExecution).toBeUndefined();
    await rig.server.call("PATCH", `/v1/agents/${id}`, { capabilities: ["sandbox"] });
    const after = await rig.documentOf(id);
    expect(namesOf(after)).toEqual(["execute_code", "update_state"]);
    expect(after.execution.codeExecution).toBe(true);
    await rig.server.call("PATCH", `/v1/agents/${id}`, { capabilities: [] });
    expect((await rig.documentOf(id)).execution.codeExecution).toBeUndefined();
  });

  test("lists every tool that the model is offered", async () => {
    await rig.run();
    const offered = rig.llm.requests.at(-1)?.tools?.map(({ function: { name } }) => name);
    expect(namesOf(await rig.documentOf(rig.agents.full)).sort()).toEqual(offered?.sort());
  });

  test("leaves out unknown features of a model, and declares false what the offline model cannot do", async () => {
    const unknown = await rig.documentOf(rig.agents.full);
    expect(unknown.tools).not.toHaveProperty("parallelCalls");
    expect(unknown.multimodal.input).not.toHaveProperty("image");
    expect(unknown).not.toHaveProperty("reasoning");
    const offline = await rig.documentOf(await rig.newAgent({ model: "capstan/offline" }));
    expect(offline.tools.parallelCalls).toBe(false);
    expect(offline.multimodal.input).toEqual({ image: false, audio: false, video: false, pdf: false });
    expect(offline.reasoning).toEqual({ supported: false, streaming: false, encrypted: false });
  });

  test("declares files for every tool that reads them: the sandbox has the session's files too", async () => {
    const file = async (capabilities: string[], more: object = {}) =>
      (await rig.documentOf(await rig.newAgent({ capabilities, ...more }))).multimodal.input.file;
    expect(await file(["test_math"])).toBeUndefined();
    expect(await file(["session_file_system"])).toBe(true);
    expect(await file(["sandbox"])).toBe(true);
    expect(await file(["session_file_system"], { tool_policies: { read_file: "deny" } })).toBeUndefined();
  });

  test("increments the agent's version by what changed; a change without effect keeps it", async () => {
    const id = await rig.newAgent({ capabilities: ["test_math"] });
    const version = async () => (await rig.documentOf(id)).identity.version;
    const patch = (body: object) => rig.server.call("PATCH", `/v1/agents/${id}`, body);
    const versions = [await version()];
    for (const change of [
      { system_prompt: "Be brief." },
      { system_prompt: "Be brief." },
      { capabilities: ["test_math", "current_time"] },
      { capabilities: ["current_time"] },
      { release: "9.1.0" },
      { description: "Tells the time." },
    ]) {
      expect(await patch(change)).toMatchObject({ status: 200 });
      versions.push(await version());
    }
    expect(versions).toEqual(["1.0.0", "1.0.1", "1.0.1", "1.1.0", "2.0.0", "9.1.0", "9.1.1"]);
    expect(await patch({ release: "soon" })).toMatchObject({ status: 422 });
  });

  test("counts tools that a capability's new version gains or loses, although nobody changed the agent", async () => {
    const register = (version: string, tools: string[]) =>
      rig.server.call("POST", "/v1/capabilities", harbour(version, tools));
    expect((await register("1.0.0", ["tide"])).status).toBe(201);
    const id = await rig.newAgent({ capabilities: ["harbour"] });
    const replaced = async (version: string, tools: string[]) => {
      expect((await register(version, tools)).status).toBe(200);
      return (await rig.documentOf(id)).identity.version;
    };
    expect(await replaced("1.1.0", ["tide", "berth"])).toBe("1.1.0");
    expect(await replaced("1.1.1", ["tide", "berth"])).toBe("1.1.1");
    expect(await replaced("2.0.0", ["berth"])).toBe("2.0.0");
  });

  test("states the limit of the caller's key", async () => {
    const { body } = await rig.server.call("POST", "/v1/keys", {
      name: "slow",
      rights: ["read"],
      per_minute: 7,
    });
    const path = `/v1/agents/${rig.agents.full}/ag-ui/capabilities`;
    const answer = await rig.server.call("GET", path, undefined, { authorization: `Bearer ${body.key}` });
    expect(answer.body.custom.rateLimit).toEqual({ maxRequestsPerMinute: 7 });
  });

  test("is declared, not negotiated: it does not depend on the client", async () => {
    const path = `/v1/agents/${rig.agents.full}/ag-ui/capabilities`;
    const document = await rig.documentOf(rig.agents.full);
    for (const headers of [
      { accept: AGUI_MEDIA_TYPE },
      { "user-agent": "HttpAgent/0.0.59", "accept-language": "de" },
      { prefer: "streaming=false" },
    ]) {
      expect((await rig.server.call("GET", path, undefined, headers)).body).toEqual(document);
    }
    expect(await rig.server.call("POST", path, { streaming: false })).toMatchObject({ status: 405 });
  });

  test("is 404 without an agent", async () => {
    expect((await rig.server.call("GET", "/v1/agents/nobody/ag-ui/capabilities")).status).toBe(404);
  });

  test("shows observed features besides the declared ones, on request", async () => {
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

const harbour = (version: string, tools: string[]) => ({
  id: "harbour",
  name: "Harbour",
  description: "What a harbour knows.",
  version,
  base_url: "https://harbour.example",
  tools: tools.map((name) => ({ name, description: name, method: "GET", path: `/${name}` })),
});

const namesOf = (document: WireEvent): string[] => document.tools.items.map(({ name }: WireEvent) => name);

/** Every `true`, and the numbers a client relies on, by path. Lists are data, not flags. */
function flagsOf(value: WireEvent, path = ""): string[] {
  if (value === true || (typeof value === "number" && path.startsWith("execution"))) return [path];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "custom" || key === "identity" ? [] : flagsOf(inner, path === "" ? key : `${path}.${key}`),
  );
}

/** Rows written next to the run appear a moment after it. */
async function eventually(read: () => Promise<WireEvent[]>, length: number): Promise<WireEvent[]> {
  return expect.poll(read, { timeout: 10_000 }).toHaveLength(length).then(read);
}
