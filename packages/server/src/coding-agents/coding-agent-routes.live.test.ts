import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@capstan/coding-agents";
import { runFaults } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { standIn } from "../../../coding-agents/src/fixtures/stand-in-adapter.ts";

let server: TestServer;
let machine: string;
beforeAll(async () => {
  machine = realpathSync(mkdtempSync(join(tmpdir(), "capstan-machine-")));
  for (const name of ["bin", "allowed", "allowed/below", "other"]) mkdirSync(join(machine, name));
  symlinkSync(join(machine, "other"), join(machine, "allowed", "link"));
  writeFileSync(join(machine, "bin", "claude"), CLAUDE, { mode: 0o755 });
  const capabilities = { supportsTextStreaming: true, supportsSkills: false };
  const codingAgents = [standIn({ name: "opencode", talksBack: true, capabilities })];
  const settings = { CAPSTAN_CODING_AGENT_FOLDERS: join(machine, "allowed") };
  const environment = { PATH: `${join(machine, "bin")}:/usr/bin:/bin`, HOME: machine };
  server = await testServer(await freshPglite(), settings, { config: { codingAgents }, environment });
});
afterAll(async () => {
  await server.stop();
  rmSync(machine, { recursive: true, force: true });
});

/** Prints what it was asked; its list has one plugin. */
const CLAUDE = `#!/bin/sh
[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit; }
[ "$2" = list ] && { echo '[{"id":"tidy@market","version":"1.0.0","enabled":true}]'; exit; }
echo "$@"
`;

describe("/v1/coding-agents", () => {
  test("lists ten, with their capabilities and whether they are installed", async () => {
    const { body } = await server.call("GET", "/v1/coding-agents");
    expect(body.total).toBe(10);
    expect(body.items.map(({ name }: { name: string }) => name)).toContain("hermes");
    expect(body.items[0]).toMatchObject({ installed: expect.any(Boolean), capabilities: expect.any(Object) });
  });

  test("knows each by its name, and no other", async () => {
    expect((await server.call("GET", "/v1/coding-agents/claude")).body).toMatchObject({
      name: "claude",
      capabilities: { agent: "claude", canFork: true },
    });
    expect((await server.call("GET", "/v1/coding-agents/nobody")).status).toBe(404);
  });

  test("a run is started and its events are streamed, to the end", async () => {
    const { body, headers } = await server.call("POST", "/v1/coding-agents/opencode/runs", {
      prompt: "talk 2",
    });
    expect(headers.get("x-capstan-run")).toMatch(/^[0-9a-f-]{36}$/);
    expect(String(body)).toMatch(/"type":"run-started"[\s\S]*"type":"run-ended","outcome":"done"/);
  });

  test.each([
    ["cwd", { cwd: "/etc" }],
    ["env", { env: { PATH: "/evil" } }],
  ])("a caller cannot set %s: the machine decides that", async (name, option) => {
    const asked = { prompt: "talk 1", ...option };
    const { status, body } = await server.call("POST", "/v1/coding-agents/opencode/runs", asked);
    expect(status).toBe(422);
    expect(body.message).toContain(name);
  });

  test("unsupported options are refused before anything starts", async () => {
    const asked = { prompt: "hi", mcpServers: [{ name: "x", command: "x" }] };
    const { status, body } = await server.call("POST", "/v1/coding-agents/pi/runs", asked);
    expect(status).toBe(422);
    expect(body.message).toBe("Agent 'pi' does not support MCP servers");
  });

  test.each([
    ["an allowed folder", "allowed", 200],
    ["one below it", "allowed/below", 200],
    ["a link in it that leads elsewhere", "allowed/link", 422],
    ["another folder", "other", 422],
    ["a folder that is not there", "allowed/missing", 422],
  ])("a run works in %s, or is refused", async (_, folder, status) => {
    const asked = { prompt: "talk 1", cwd: join(machine, folder) };
    expect((await server.call("POST", "/v1/coding-agents/opencode/runs", asked)).status).toBe(status);
  });

  test.each([
    ["in its folder", "notes.txt", 200],
    ["above it", "../other/secret.txt", 422],
    ["by a whole path", "/etc/passwd", 422],
    ["by a link that leads out", "link/secret.txt", 422],
  ])("a run is given a file %s, or is refused by a code", async (_, path, status) => {
    writeFileSync(join(machine, "allowed", "notes.txt"), "notes");
    writeFileSync(join(machine, "other", "secret.txt"), "secret");
    const asked = { prompt: "talk 1", cwd: join(machine, "allowed"), attachments: [{ path }] };
    const told = await server.call("POST", "/v1/coding-agents/opencode/runs", asked);
    expect(told.status).toBe(status);
    if (status === 422)
      expect(told.body).toMatchObject({
        code: "coding_agent_attachment_refused",
        nextStep: expect.stringContaining("`data`"),
      });
  });

  test("plugins are listed, installed and uninstalled by the program's own commands", async () => {
    const path = "/v1/coding-agents/claude/plugins";
    const listed = await server.call("GET", path);
    expect(listed.body.items).toMatchObject([{ name: expect.stringContaining("tidy") }]);
    const installed = await server.call("POST", path, { plugin: "neat@market" });
    expect(installed.body.output).toBe("plugin install neat@market");
    const gone = await server.call("DELETE", `${path}/neat@market`);
    expect(gone.body.output).toBe("plugin uninstall neat@market");
  });

  test.each([
    ["a name that reads as an option", "claude", { plugin: "--all" }, 422],
    ["an agent without such a command", "cursor", { plugin: "neat" }, 422],
    ["an agent that nobody knows", "nobody", { plugin: "neat" }, 404],
  ])("refuses to install for %s", async (_, agent, body, status) => {
    const refused = await server.call("POST", `/v1/coding-agents/${agent}/plugins`, body);
    expect(refused).toMatchObject({ status, body: { nextStep: expect.any(String) } });
  });

  test("one is checked and probed, and nobody else; a program that does nothing proves nothing", async () => {
    const { status, body } = await server.call("POST", "/v1/coding-agents/claude/doctor");
    expect(status).toBe(200);
    const told = String(body)
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => JSON.parse(line.slice("data:".length)));
    expect(told.map(({ type, agent }) => [type, agent ?? "claude"])).toEqual(
      ["checking", "checked", "probing", "probed", "done"].map((type) => [type, "claude"]),
    );
    const { report } = told[3];
    expect(report.differences).toEqual([]);
    expect(report.inconclusive.length).toBeGreaterThan(0);
    expect((await server.call("POST", "/v1/coding-agents/nobody/doctor")).status).toBe(404);
  });

  test("a session that the agent does not have is not found", async () => {
    expect((await server.call("GET", "/v1/coding-agents/claude/sessions")).body).toEqual({ items: [] });
    expect((await server.call("GET", "/v1/coding-agents/claude/sessions/none")).status).toBe(404);
  });
});

describe("createClient({ url })", () => {
  test("runs remotely, accepts commands, and gives the same events as a local run", async () => {
    const run = createClient({ url: server.url }).run({
      agent: "opencode",
      prompt: "ask",
      approvalMode: "prompt",
    });
    const events = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === "approval-requested") await run.approve(event.id);
    }
    expect(runFaults(events)).toEqual([]);
    expect((await run.result).outcome).toBe("done");
  });

  test("reports the capabilities of the remote adapter", async () => {
    const remote = createClient({ url: server.url });
    expect(await remote.adapters.detect("claude")).toMatchObject({ agent: "claude" });
    expect(remote.adapters.capabilities("claude").agent).toBe("claude");
    expect(remote.adapters.capabilities("claude")).toBe(remote.adapters.get("claude").capabilities);
  });

  test("reads remotely stored sessions", async () => {
    const { sessions } = createClient({ url: server.url });
    expect(await sessions.list("claude")).toEqual([]);
    expect(await sessions.read("claude", "none")).toMatchObject({ failure: { code: "session_not_found" } });
  });
});

describe("/v1/models", () => {
  test.each(["native", "claude", "codex", "gemini"])("has those of %s with one default", async (agent) => {
    const { body } = await server.call("GET", `/v1/models?agent=${agent}`);
    const defaults = body.items.filter(({ isDefault }: { isDefault: boolean }) => isDefault);
    expect(defaults).toHaveLength(1);
    expect(defaults[0]).toMatchObject({ modelId: expect.any(String), contextWindow: expect.any(Number) });
  });

  test("has none for an unknown agent", async () => {
    expect((await server.call("GET", "/v1/models?agent=nobody")).status).toBe(404);
  });
});
