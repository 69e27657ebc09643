/** Versions of an installed package: agents stay on the one they pin, with its own code, tools and scopes. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoManifest, testTarball } from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const code = (version: string) =>
  `#!/usr/bin/env node\nconsole.log(JSON.stringify({ text: "from ${version}" }));\n`;

describe.each(STORES)("versions of a package, on $name", ({ fresh }) => {
  let store: FreshStore;
  let server: TestServer;
  const open = () => testServer({ ...store, drop: async () => {} }, {});
  beforeAll(async () => {
    store = await fresh();
    server = await open();
  });
  afterAll(async () => {
    await server?.stop();
    await store?.drop();
  });

  const install = (version: string, { more = {}, query = "", source = code(version) } = {}) => {
    const { required_scopes: _, ...manifest } = {
      ...demoManifest,
      actions: [demoManifest.actions[0]],
      ...more,
    };
    const bytes = testTarball({ version, code: source, manifest: { ...manifest, ...more } });
    return server.call("POST", `/v1/packages${query}`, {
      source: "demo.tgz",
      bytes: Buffer.from(bytes).toString("base64"),
      yes: true,
    });
  };
  const agentWith = async (name: string, capability: unknown) => {
    const made = await server.call("POST", "/v1/agents", { name, capabilities: [capability] });
    expect(made).toMatchObject({ status: 201 });
    return made.body.id as string;
  };
  const said = async (agent_id: string) => {
    const answer = await server.call("POST", "/v1/capabilities/demo/tools/demo_echo", {
      agent_id,
      input: { text: "hello" },
    });
    return answer.body.output?.text ?? answer.body;
  };
  const tools = async (agent: string) =>
    (await server.call("GET", `/v1/agents/${agent}/preview`)).body.tools.map(
      ({ name }: { name: string }) => name,
    );
  const versions = async () => (await server.call("GET", "/v1/capabilities/demo/versions")).body.items;
  const numbers = async () => (await versions()).map(({ version }: { version: string }) => version);
  const folders = () =>
    readdirSync(join(store.dataDir, "packages")).filter((name) => !name.includes(".")).length;

  test("an agent stays on its version, also after a restart; it is listed, freed when nothing needs it, and gone with the package", async () => {
    expect(await install("1.0.0")).toMatchObject({ status: 201 });
    const pinned = await agentWith("Pinned", { id: "demo", version: "1.0.0" });
    const floating = await agentWith("Floating", "demo");
    expect(await install("2.0.0", { more: { required_scopes: ["Demo.Two"] } })).toMatchObject({
      status: 201,
      body: { broken: [] },
    });
    const both = async () => {
      expect(await said(pinned)).toBe("from 1.0.0");
      expect([await tools(pinned), await tools(floating)]).toEqual([["demo_echo"], []]);
    };
    await both();
    await server.stop();
    server = await open();
    await both();
    expect(await versions()).toMatchObject([
      {
        version: "2.0.0",
        registered: true,
        sha256: expect.stringMatching(/^\w{64}$/),
        used_by: [{ name: "Floating" }],
      },
      { version: "1.0.0", registered: false, by: expect.any(String), used_by: [{ name: "Pinned" }] },
    ]);
    expect(folders()).toBe(2);

    const other = await install("1.0.0", { source: code("elsewhere"), query: "?force=true" });
    expect(other).toMatchObject({ body: { code: "package_hash_changed" } });
    expect(await server.call("DELETE", "/v1/packages/aech-cli-demo")).toMatchObject({ status: 409 });
    const kept = "/v1/capabilities/demo/versions/1.0.0";
    expect(await server.call("DELETE", kept)).toMatchObject({ status: 409 });
    await server.call("DELETE", `/v1/agents/${pinned}`);
    expect((await server.call("DELETE", kept)).status).toBe(204);
    expect([await numbers(), folders()]).toEqual([["2.0.0"], 1]);
    await server.call("DELETE", `/v1/agents/${floating}`);
    expect(await server.call("DELETE", "/v1/packages/aech-cli-demo")).toMatchObject({ status: 200 });
    expect(folders()).toBe(0);
  });

  test("a version that no agent ever used is not kept; one that a revision was saved with is, and a restore goes back to it", async () => {
    await install("3.0.0");
    await install("3.1.0");
    expect(await numbers()).toEqual(["3.1.0"]);
    const agent = await agentWith("Keeper", "demo");
    await install("3.2.0");
    expect(await numbers()).toEqual(["3.2.0", "3.1.0"]);
    expect(await said(agent)).toBe("from 3.2.0");
    await server.call("PATCH", `/v1/agents/${agent}`, { system_prompt: "Be brief." });
    const restored = await server.call("POST", `/v1/agents/${agent}/revisions/1/restore`, {});
    expect(restored.body.capabilities).toEqual([{ id: "demo", version: "3.1.0" }]);
    expect(await said(agent)).toBe("from 3.1.0");
    await server.call("DELETE", `/v1/agents/${agent}`);
    await install("3.3.0");
    expect([await numbers(), folders()]).toEqual([["3.3.0"], 1]);
  });

  test("a version that only a run had, between two saves of its agent, is kept for its replay", async () => {
    await install("4.0.0");
    const agent = await agentWith("Runner", "demo");
    await install("4.1.0");
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent });
    const sent = await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "Hello" });
    const run = `/v1/runs/${sent.body.run_id}`;
    await expect.poll(async () => (await server.call("GET", run)).body.status).toBe("done");
    await install("4.2.0");
    expect(await numbers()).toEqual(["4.2.0", "4.1.0", "4.0.0"]);
    const made = await server.call("POST", "/v1/replays", { runs: [sent.body.run_id], with: {} });
    const replay = async () => (await server.call("GET", `/v1/replays/${made.body.id}`)).body;
    await expect.poll(async () => (await replay()).status).toBe("done");
    expect((await replay()).comparisons).toMatchObject([{ verdict: "same", not_as_recorded: [] }]);
  });
});
