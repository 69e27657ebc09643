/** Packages that hold something open: an MCP server's versions run side by side; a service and bundled skills have one, and a pin to another is refused. */
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

describe.each(STORES)("versions of packages that hold something open, on $name", ({ fresh }) => {
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
  const demo = (version: string, more: object, files: Record<string, string> = {}, query = "") =>
    install(
      testTarball({ version, manifest: { ...free, actions: [free.actions[0]], ...more }, files }),
      { source: "demo.tgz" },
      query,
    );
  /** What the agent's calls are answered. */
  const refusal = async (agent: string) => {
    const { body: session } = await server.call("POST", "/v1/sessions", { agent_id: agent });
    const sent = await server.call("POST", `/v1/sessions/${session.id}/messages`, { content: "Go." });
    if (sent.status >= 400) return sent.body;
    const run = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body;
    await expect.poll(async () => (await run()).status, { timeout: 10_000 }).not.toMatch(/queued|running/);
    return (await run()).error ?? (await run());
  };

  test.each([
    [
      "a package with a service",
      "demo",
      (version: string, query = "") =>
        demo(version, { service: { container: "demo", port: 8080, health_endpoint: "/health" } }, {}, query),
    ],
    [
      "a bundled skill",
      "echo-well",
      (version: string, query = "") => {
        const head = `name: echo-well\ndescription: Echo with care.\nmetadata:\n  version: "${version}"`;
        const files = { "skills/echo-well/SKILL.md": `---\n${head}\n---\nSpeak clearly.\n` };
        return demo(version, { bundled_skills: [{ name: "echo-well" }] }, files, query);
      },
    ],
  ] as const)(
    "%s has one version: an update names the agent on another, and by force its runs are refused by name",
    async (_, id, put) => {
      expect(await put("1.0.0")).toMatchObject({ status: 201 });
      const agent = await agentWith("Stays", { id, version: "1.0.0" });
      const refused = await put("2.0.0");
      expect(refused).toMatchObject({ status: 409, body: { code: "capability_breaks" } });
      expect(refused.body.message).toContain("Stays (");
      expect(await put("2.0.0", "?force=true")).toMatchObject({ body: { broken: [{ name: "Stays" }] } });
      const answer = await refusal(agent);
      expect(answer).toMatchObject({ code: "capability_version_mismatch" });
      expect(answer.message).toMatch(new RegExp(`${id}.*1\\.0\\.0.*2\\.0\\.0`));
      await server.call("DELETE", `/v1/agents/${agent}`);
      expect(await server.call("DELETE", "/v1/packages/aech-cli-demo")).toMatchObject({ status: 200 });
    },
  );
});
