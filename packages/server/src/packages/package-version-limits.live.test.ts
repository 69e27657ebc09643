/** Versions of packages that are more than a command: an MCP server's run side by side, a service serves all of them, bundled skills have their package's. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readableCopies } from "../../../../tools/packages/readable-copy.ts";
import { demoManifest, testTarball } from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const copies = readableCopies();
const SERVER = copies.script(fileURLToPath(new URL("./fixtures/versioned-mcp-server.ts", import.meta.url)));
afterAll(() => copies.remove());

describe.each(STORES)("versions of packages that are more than a command, on $name", ({ fresh }) => {
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

  const install = (bytes: Uint8Array, source: object, query = "") =>
    server.call("POST", `/v1/packages${query}`, {
      ...source,
      bytes: Buffer.from(bytes).toString("base64"),
      yes: true,
    });
  const agentWith = async (name: string, capability: unknown) => {
    const made = await server.call("POST", "/v1/agents", { name, capabilities: [capability] });
    expect(made).toMatchObject({ status: 201 });
    return made.body.id as string;
  };
  /** Whether a process of that version runs; its own id is one inside its isolation. */
  const isRunning = (version: string) =>
    readdirSync("/proc").some((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words.includes(SERVER) && words.includes(version);
      } catch {
        return false;
      }
    });

  describe("an MCP server", () => {
    const put = (version: string) => {
      const declaration = { name: "tides", command: process.execPath, args: [SERVER, version] };
      const bytes = new TextEncoder().encode(JSON.stringify(declaration));
      return install(bytes, { source: "tides", kind: "mcp", run_to_describe: true });
    };
    const which = async (agent_id: string) => {
      const { body } = await server.call("POST", "/v1/capabilities/tides/tools/which", {
        agent_id,
        input: {},
      });
      const [version, process] = (/\d+\.\d+\.\d+ [\w-]+/.exec(JSON.stringify(body))?.[0] ?? "").split(" ");
      return { version, process };
    };

    test("runs in the version that an agent pins beside the newest, also after a restart, and ends when nothing needs it", async () => {
      expect(await put("1.0.0")).toMatchObject({ status: 201, body: { version: "1.0.0" } });
      const pinned = await agentWith("Pinned", { id: "tides", version: "1.0.0" });
      const floating = await agentWith("Floating", "tides");
      expect(await put("2.0.0")).toMatchObject({ status: 201, body: { broken: [] } });
      const both = async () => [(await which(pinned)).version, (await which(floating)).version];
      expect(await both()).toEqual(["1.0.0", "2.0.0"]);
      await server.stop();
      server = await open();
      expect(await both()).toEqual(["1.0.0", "2.0.0"]);
      const first = await which(pinned);
      expect(await put("3.0.0")).toMatchObject({ status: 201, body: { broken: [] } });
      expect((await which(pinned)).process).toBe(first.process); // an update of the newest leaves it alone
      const numbers = (await server.call("GET", "/v1/capabilities/tides/versions")).body.items.map(
        ({ version }: { version: string }) => version,
      );
      expect(numbers).toEqual(["3.0.0", "1.0.0"]); // 2.0.0: a revision was saved with it, which costs no process
      await server.call("DELETE", `/v1/agents/${pinned}`);
      expect((await server.call("DELETE", "/v1/capabilities/tides/versions/1.0.0")).status).toBe(204);
      await expect.poll(() => isRunning("1.0.0"), { timeout: 10_000 }).toBe(false);
      expect(isRunning("3.0.0")).toBe(true);
      await server.call("DELETE", `/v1/agents/${floating}`);
      expect((await server.call("DELETE", "/v1/packages/tides")).status).toBe(200);
      await expect.poll(() => isRunning("3.0.0"), { timeout: 10_000 }).toBe(false);
    });
  });

  const { required_scopes: _, ...free } = demoManifest;
  const code = (version: string) =>
    `#!/usr/bin/env node\nconsole.log(JSON.stringify({ text: "from ${version} by " + process.env.SERVICE_URL }));\n`;
  const demo = (version: string, more: object, files: Record<string, string> = {}, query = "") =>
    install(
      testTarball({
        version,
        code: code(version),
        manifest: { ...free, actions: [free.actions[0]], ...more },
        files,
      }),
      { source: "demo.tgz" },
      query,
    );
  const said = async (agent_id: string): Promise<string> => {
    const input = { text: "hello" };
    const { body } = await server.call("POST", "/v1/capabilities/demo/tools/demo_echo", { agent_id, input });
    return body.output?.text ?? JSON.stringify(body);
  };
  const numbers = async (id: string) =>
    (await server.call("GET", `/v1/capabilities/${id}/versions`)).body.items.map(
      ({ version }: { version: string }) => version,
    );
  const remove = async (...agents: string[]) => {
    for (const agent of agents) await server.call("DELETE", `/v1/agents/${agent}`);
    expect(await server.call("DELETE", "/v1/packages/aech-cli-demo")).toMatchObject({ status: 200 });
  };

  test("a package with a service keeps its versions: each runs its own command, also after a restart", async () => {
    // The container's name differs, so each command's own declaration is seen in its environment.
    const put = (version: string) =>
      demo(version, { service: { container: `rt-${version[0]}`, pattern: "file" } });
    const first = await put("1.0.0");
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    const pinned = await agentWith("Pinned", { id: "demo", version: "1.0.0" });
    const floating = await agentWith("Floating", "demo");
    expect(await put("2.0.0")).toMatchObject({ status: 201, body: { broken: [] } });
    const both = async () => Promise.all([said(pinned), said(floating)]);
    expect(await both()).toEqual(["from 1.0.0 by http://rt-1:8080", "from 2.0.0 by http://rt-2:8080"]);
    await server.stop();
    server = await open();
    expect(await both()).toEqual(["from 1.0.0 by http://rt-1:8080", "from 2.0.0 by http://rt-2:8080"]);
    await remove(pinned, floating);
  });

  describe("a bundled skill has its package's version", () => {
    /** Its own number never changes. */
    const put = (version: string, { names = ["echo-well"], query = "" } = {}) => {
      const head = (name: string) =>
        `name: ${name}\ndescription: Echo as in ${version}.\nmetadata:\n  version: "7.0.0"`;
      const files = names.map((name) => [
        `skills/${name}/SKILL.md`,
        `---\n${head(name)}\n---\nSpeak as in ${version}.\n`,
      ]);
      const bundled_skills = names.map((name) => ({ name }));
      return demo(version, { bundled_skills }, Object.fromEntries(files), query);
    };
    const preview = async (agent: string) => (await server.call("GET", `/v1/agents/${agent}/preview`)).body;
    const read = async (agent_id: string) =>
      JSON.stringify(
        (
          await server.call("POST", "/v1/capabilities/echo-well/tools/echo-well_read_skill_file", {
            agent_id,
            input: { path: "SKILL.md" },
          })
        ).body,
      );

    test("an agent that pins it gets its text, files and command as they were, beside agents that use the newest", async () => {
      expect(await put("1.0.0")).toMatchObject({ status: 201 });
      const pinned = await agentWith("Pinned", { id: "echo-well", version: "1.0.0" });
      const floating = await agentWith("Floating", "echo-well");
      expect(await put("2.0.0")).toMatchObject({ status: 201, body: { broken: [] } });
      const check = async () => {
        expect((await preview(pinned)).system_prompt).toContain("Echo as in 1.0.0");
        expect((await preview(floating)).system_prompt).toContain("Echo as in 2.0.0");
        expect(await said(pinned)).toBe("from 1.0.0 by http://aech-rt-demo:8080");
        expect(await said(floating)).toBe("from 2.0.0 by http://aech-rt-demo:8080");
        expect(await read(pinned)).toContain("Speak as in 1.0.0");
        expect(await read(floating)).toContain("Speak as in 2.0.0");
      };
      await check();
      await server.stop();
      server = await open();
      await check();
      expect([await numbers("echo-well"), await numbers("demo")]).toEqual([
        ["2.0.0", "1.0.0"],
        ["2.0.0", "1.0.0"],
      ]);
      for (const id of ["echo-well", "demo"]) {
        const refused = await server.call("DELETE", `/v1/capabilities/${id}/versions/1.0.0`);
        expect(refused, id).toMatchObject({ status: 409 });
        expect(refused.body.message, id).toContain("Pinned");
      }
      await server.call("DELETE", `/v1/agents/${pinned}`);
      expect((await server.call("DELETE", "/v1/capabilities/echo-well/versions/1.0.0")).status).toBe(204);
      expect([await numbers("echo-well"), await numbers("demo")]).toEqual([["2.0.0"], ["2.0.0"]]);
      await remove(floating);
    });

    test("two versions of one package in an agent need a command that is named", async () => {
      const names = ["echo-well", "echo-loud"];
      await put("1.0.0", { names });
      const holder = await agentWith("Holder", { id: "echo-well", version: "1.0.0" });
      await put("2.0.0", { names });
      const both = [{ id: "echo-well", version: "1.0.0" }, "echo-loud"];
      const make = (capabilities: unknown[]) =>
        server.call("POST", "/v1/agents", { name: "Both", capabilities });
      const refused = await make(both);
      expect(refused.body, JSON.stringify(refused.body)).toMatchObject({
        code: "capability_version_mismatch",
      });
      const named = await make([...both, "demo"]);
      expect(named).toMatchObject({ status: 201 });
      expect(await said(named.body.id)).toBe("from 2.0.0 by http://aech-rt-demo:8080");
      await remove(holder, named.body.id);
    });

    test("a version without a skill that an agent pins is refused and names the agent; by force its runs are refused", async () => {
      expect(await put("1.0.0")).toMatchObject({ status: 201 });
      const agent = await agentWith("Stays", { id: "echo-well", version: "1.0.0" });
      const refused = await put("2.0.0", { names: [] });
      expect(refused).toMatchObject({ status: 409, body: { code: "capability_breaks" } });
      expect(refused.body.message).toContain("Stays (");
      expect(await put("2.0.0", { names: [], query: "?force=true" })).toMatchObject({
        body: { broken: [{ name: "Stays" }] },
      });
      expect(await server.call("GET", `/v1/agents/${agent}/preview`)).toMatchObject({
        body: { code: "capability_unknown" },
      });
      await remove(agent);
    });
  });
});
