/** Versions of a capability document: agents stay on the one they pin, beside those that use the newest. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPostgres, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

/** Each version asks another path, and says so in its prompt. */
const document = (id: string, port: number, version: string, more: object = {}) => ({
  id,
  name: "Tides",
  description: "Tide times of a harbour.",
  version,
  prompt: `These are tides ${version}.`,
  base_url: `http://127.0.0.1:${port}`,
  tools: [
    {
      name: "tide_times",
      description: `Tide times, ${version}.`,
      method: "GET",
      path: `/v${version}/{harbour}`,
      parameters: { harbour: { in: "path", type: "string", required: true } },
    },
  ],
  ...more,
});

describe.each(STORES)("versions of a capability document, on $name", ({ fresh }) => {
  let tides: Server;
  let port: number;
  let store: FreshStore;
  let server: TestServer;
  let llm: ScriptedLlm;
  const open = () =>
    testServer(
      { ...store, drop: async () => {} },
      { ...llmEnvironment(llm), CAPSTAN_ALLOW_HOSTS: `127.0.0.1:${port}` },
    );
  beforeAll(async () => {
    tides = createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ asked: request.url }));
    });
    await new Promise<void>((resolve) => tides.listen(0, "127.0.0.1", resolve));
    port = (tides.address() as AddressInfo).port;
    llm = await scriptedLlm(({ messages }) => {
      const system = JSON.stringify(messages.filter(({ role }) => role === "system"));
      return { text: [/These are tides ([\d.]+)\./.exec(system)?.[1] ?? "no tides"] };
    });
    store = await fresh();
    server = await open();
  });
  afterAll(async () => {
    await server?.stop();
    await store?.drop();
    await llm?.close();
    tides?.close();
  });

  const register = (id: string, version: string, more: object = {}, query = "") =>
    server.call("POST", `/v1/capabilities${query}`, document(id, port, version, more));
  const agentWith = async (name: string, capability: unknown, more: object = {}) => {
    const made = await server.call("POST", "/v1/agents", { name, capabilities: [capability], ...more });
    expect(made).toMatchObject({ status: 201 });
    return made.body.id as string;
  };
  /** The path that the tool of this agent asks. */
  const asked = async (id: string, agent_id: string) =>
    (
      await server.call("POST", `/v1/capabilities/${id}/tools/tide_times`, {
        agent_id,
        input: { harbour: "Wick" },
      })
    ).body.output?.body.asked;
  const versions = async (id: string) =>
    (await server.call("GET", `/v1/capabilities/${id}/versions`)).body.items;

  test("an agent that pins one keeps its prompt and tools beside agents that use the newest, also after a restart", async () => {
    await register("harbours", "1.0.0");
    const pinned = await agentWith("Pinned", { id: "harbours", version: "1.0.0" });
    const floating = await agentWith("Floating", "harbours");
    expect(await register("harbours", "2.0.0")).toMatchObject({ status: 200, body: { broken: [] } });
    const both = async () => {
      const prompt = async (id: string) =>
        (await server.call("GET", `/v1/agents/${id}/preview`)).body.system_prompt as string;
      expect([await asked("harbours", pinned), await asked("harbours", floating)]).toEqual([
        "/v1.0.0/Wick",
        "/v2.0.0/Wick",
      ]);
      expect(await prompt(pinned)).toContain("tides 1.0.0");
      expect(await prompt(floating)).toContain("tides 2.0.0");
    };
    await both();
    await server.stop();
    server = await open();
    await both();
    expect(await versions("harbours")).toMatchObject([
      {
        version: "2.0.0",
        registered: true,
        sha256: expect.stringMatching(/^\w{64}$/),
        used_by: [{ name: "Floating" }],
      },
      { version: "1.0.0", registered: false, by: expect.any(String), used_by: [{ name: "Pinned" }] },
    ]);
    const old = await server.call("GET", "/v1/capabilities/harbours/versions/1.0.0");
    expect(old.body).toMatchObject({ version: "1.0.0", tools: [{ description: "Tide times, 1.0.0." }] });
  });

  test("a range leads to the newest version in it", async () => {
    for (const version of ["1.0.0", "1.2.0", "1.10.0", "2.0.0"]) await register("ranges", version);
    const agent = await agentWith("Ranged", { id: "ranges", version: "^1.0.0" });
    expect(await asked("ranges", agent)).toBe("/v1.10.0/Wick");
    const none = await server.call("POST", "/v1/agents", {
      name: "None",
      capabilities: [{ id: "ranges", version: "^3.0.0" }],
    });
    expect(none).toMatchObject({ status: 422, body: { code: "capability_version_mismatch" } });
    expect(none.body.message).toContain("2.0.0 is registered, and 1.10.0, 1.2.0, 1.0.0 kept");
  });

  test("the rights of an older version apply to an agent that pins it", async () => {
    await register("locked", "1.0.0", { scopes: ["tides.read"] });
    await register("locked", "2.0.0");
    const pinned = await agentWith("Locked out", { id: "locked", version: "1.0.0" });
    const newest = await agentWith("Free", "locked");
    const tools = async (id: string) =>
      (await server.call("GET", `/v1/agents/${id}/preview`)).body.tools.map(
        ({ name }: { name: string }) => name,
      );
    expect(await tools(pinned)).toEqual([]);
    expect(await tools(newest)).toEqual(["tide_times"]);
  });

  test("a version that agents stay on is not deleted, nor is the registered one; others are, and by force", async () => {
    for (const version of ["1.0.0", "1.1.0", "2.0.0"]) await register("piers", version);
    await agentWith("Stays", { id: "piers", version: "1.0.0" });
    const remove = (version: string, query = "") =>
      server.call("DELETE", `/v1/capabilities/piers/versions/${version}${query}`);
    const used = await remove("1.0.0");
    expect(used).toMatchObject({ status: 409 });
    expect(used.body.message).toContain("Stays");
    expect(await remove("2.0.0")).toMatchObject({ status: 409 });
    expect(await remove("9.0.0")).toMatchObject({ status: 404 });
    expect((await remove("1.1.0")).status).toBe(204);
    expect((await versions("piers")).map(({ version }: { version: string }) => version)).toEqual([
      "2.0.0",
      "1.0.0",
    ]);
    const forced = await remove("1.0.0", "?force=true");
    expect(forced).toMatchObject({ status: 200, body: { broken: [{ name: "Stays" }] } });
    const removals = await server.call("GET", "/v1/audit?action=capability.version_removed");
    expect(JSON.stringify(removals.body.items)).toContain("1.1.0");
  });

  test("deleting the capability deletes every version, and is refused while an older one is in use", async () => {
    await register("quays", "1.0.0");
    await register("quays", "2.0.0");
    const agent = await agentWith("Moored", { id: "quays", version: "1.0.0" });
    expect(await server.call("DELETE", "/v1/capabilities/quays")).toMatchObject({ status: 409 });
    await server.call("DELETE", `/v1/agents/${agent}`);
    expect((await server.call("DELETE", "/v1/capabilities/quays")).status).toBe(204);
    await register("quays", "3.0.0");
    expect((await versions("quays")).map(({ version }: { version: string }) => version)).toEqual(["3.0.0"]);
  });

  test("a restored revision stays on the versions that it was saved with", async () => {
    await register("locks", "1.0.0");
    const agent = await agentWith("Keeper", "locks");
    await register("locks", "2.0.0");
    await server.call("PATCH", `/v1/agents/${agent}`, { system_prompt: "Be brief." });
    expect(await asked("locks", agent)).toBe("/v2.0.0/Wick");
    const restored = await server.call("POST", `/v1/agents/${agent}/revisions/1/restore`, {});
    expect(restored.body.capabilities).toEqual([{ id: "locks", version: "1.0.0" }]);
    expect(await asked("locks", agent)).toBe("/v1.0.0/Wick");
  });

  test("a replay with capability@version runs with that version, and stores nothing of it", async () => {
    await register("buoys", "1.0.0");
    await register("buoys", "2.0.0");
    const agent = await agentWith("Floater", "buoys");
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
    const { body: sent } = await server.call("POST", `/v1/sessions/${session}/messages`, {
      content: "Which?",
    });
    const status = async () => (await server.call("GET", `/v1/runs/${sent.run_id}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("done");
    const answer = async (version: string) => {
      const made = await server.call("POST", "/v1/replays", {
        runs: [sent.run_id],
        with: { capabilities: [{ id: "buoys", version }] },
      });
      const get = async () => (await server.call("GET", `/v1/replays/${made.body.id}`)).body;
      await expect.poll(async () => (await get()).status, { timeout: 20_000 }).not.toBe("running");
      return (await get()).comparisons[0].answer;
    };
    expect(await answer("1.0.0")).toMatchObject({ before: "2.0.0", after: "1.0.0" });
    expect(await answer("2.x")).toMatchObject({ same: true });
    expect((await server.call("GET", `/v1/agents/${agent}`)).body.capabilities).toEqual(["buoys"]);
  });

  test("of many versions the oldest go, but none that an agent or one of its revisions names", async () => {
    await register("many", "1.0.0");
    await register("many", "1.0.1");
    const agent = await agentWith("Old", { id: "many", version: "1.0.1" });
    await server.call("PATCH", `/v1/agents/${agent}`, {
      capabilities: [{ id: "many", version: "1.0.1" }, "noop"],
    });
    await server.call("PATCH", `/v1/agents/${agent}`, { capabilities: ["noop"] });
    for (let minor = 1; minor <= 50; minor++) await register("many", `1.${minor}.0`);
    const kept = (await versions("many")).map(({ version }: { version: string }) => version);
    expect(kept).toContain("1.0.1");
    expect(kept).not.toContain("1.0.0");
    expect(kept).toHaveLength(51);
  });

  test("a document saved before versions were kept is kept when it is replaced", async () => {
    await register("before", "1.0.0");
    await server.services.database.pool.query("delete from capability_document_versions where id = 'before'");
    expect(await versions("before")).toMatchObject([{ version: "1.0.0", sha256: expect.any(String) }]);
    const agent = await agentWith("Early", { id: "before", version: "1.0.0" });
    await register("before", "2.0.0");
    expect(await asked("before", agent)).toBe("/v1.0.0/Wick");
  });

  test("a capability that is built in has one version", async () => {
    expect(await versions("test_math")).toMatchObject([{ version: "1.0.0", registered: true }]);
    expect((await server.call("GET", "/v1/capabilities/nothing/versions")).status).toBe(404);
  });
});

describe("two processes on one Postgres", () => {
  test("share kept versions, and forget a deleted one", async () => {
    const store = await freshPostgres();
    const [first, second] = await Promise.all([
      serverProcess(store),
      serverProcess({ ...store, dataDir: `${store.dataDir}/second` }),
    ]);
    const seen = async () =>
      (await second.call("GET", "/v1/capabilities/tides/versions")).body.items?.map(
        ({ version }: { version: string }) => version,
      );
    await first.call("POST", "/v1/capabilities", document("tides", 9, "1.0.0"));
    await first.call("POST", "/v1/capabilities", document("tides", 9, "2.0.0"));
    await expect.poll(seen, { timeout: 5000 }).toEqual(["2.0.0", "1.0.0"]);
    await first.call("DELETE", "/v1/capabilities/tides/versions/1.0.0");
    await expect.poll(seen, { timeout: 5000 }).toEqual(["2.0.0"]);
    await Promise.all([first.end(), second.end()]);
    await store.drop();
  });
});
