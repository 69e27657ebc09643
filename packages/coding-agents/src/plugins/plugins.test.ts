import { CapabilityError, RunRefusedError } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { BUILT_IN_AGENT_NAMES, type BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import type { CommandResult } from "../command/run-command.ts";
import { createPlugins } from "./plugin-operations.ts";
import { readInstalled, readListings } from "./read-plugins.ts";

/** Plugins on a machine whose commands print this. */
function on(result: Partial<CommandResult> = {}) {
  const calls: string[][] = [];
  const plugins = createPlugins({
    run: async (argv) => {
      calls.push([...argv]);
      return { outcome: "exited", code: 0, stdout: "[]", stderr: "", ...result };
    },
    env: {},
    capabilities: (agent) => MANIFESTS[agent as BuiltInAgentName].capabilities,
  });
  return { plugins, calls };
}

describe("the commands", () => {
  test.each<[BuiltInAgentName, "list" | "search" | "install" | "uninstall", string]>([
    ["claude", "list", "claude plugin list --json"],
    ["claude", "search", "claude plugin list --available --json"],
    ["claude", "install", "claude plugin install tides@harbour"],
    ["claude", "uninstall", "claude plugin uninstall tides@harbour"],
    ["codex", "install", "codex plugin add tides@harbour"],
    ["codex", "uninstall", "codex plugin remove tides@harbour"],
    ["gemini", "list", "gemini extensions list --output-format json"],
    ["gemini", "install", "gemini extensions install tides@harbour --consent --skip-settings"],
    ["copilot", "search", "copilot plugin marketplace browse awesome-copilot --json"],
    ["opencode", "install", "opencode plugin tides@harbour --global"],
    ["opencode", "list", "opencode --pure debug config"],
    ["pi", "uninstall", "pi remove tides@harbour"],
    ["omp", "search", "omp plugin discover --json"],
    ["openclaw", "search", "openclaw plugins search tides@harbour --json"],
    ["openclaw", "uninstall", "openclaw plugins uninstall tides@harbour --force"],
    ["hermes", "install", "hermes skills install tides@harbour"],
  ])("%s %s runs %s", async (agent, operation, command) => {
    const { plugins, calls } = on();
    await plugins[operation](agent, "tides@harbour");
    expect(calls.map((argv) => argv.join(" "))).toEqual([command]);
  });

  test("a value with spaces stays one argument", async () => {
    const { plugins, calls } = on();
    await plugins.search("openclaw", "tide tables");
    expect(calls[0]).toEqual(["openclaw", "plugins", "search", "tide tables", "--json"]);
  });

  test.each(["--config=/etc/x", "-g", "", "a b", "tides;id", "x\ny"])(
    "%j is no plugin's name and runs nothing",
    (name) => {
      const { plugins, calls } = on();
      expect(() => plugins.install("claude", name)).toThrow(RunRefusedError);
      expect(calls).toEqual([]);
    },
  );
});

describe("what an agent cannot do", () => {
  const missing = BUILT_IN_AGENT_NAMES.flatMap((agent) => {
    const can = MANIFESTS[agent].capabilities;
    const rows = [
      ["list", can.pluginListCmd],
      ["search", can.pluginSearchCmd],
      ["install", can.pluginInstallCmd],
      ["uninstall", can.pluginUninstallCmd],
    ] as const;
    return rows
      .filter(([, command]) => command === undefined)
      .map(([operation]) => [agent, operation] as const);
  });

  test.each(missing)("%s has no command to %s: CapabilityError, at once", (agent, operation) => {
    const { plugins, calls } = on();
    expect(() => plugins[operation](agent, "tides")).toThrow(CapabilityError);
    expect(calls).toEqual([]);
  });

  test("an agent without plugins is refused in the seed's words", () => {
    const { calls } = on();
    const plugins = createPlugins({
      run: async () => ({ outcome: "exited", code: 0, stdout: "", stderr: "" }),
      env: {},
      capabilities: () => ({ ...MANIFESTS.claude.capabilities, supportsPlugins: false }),
    });
    expect(() => plugins.list("claude")).toThrow(
      expect.objectContaining({
        code: "CAPABILITY_ERROR",
        agent: "claude",
        capability: "plugins",
        message: "Agent 'claude' does not support plugins",
      }),
    );
    expect(calls).toEqual([]);
  });
});

describe("a command that fails", () => {
  test.each([
    [{ code: 1, stdout: "", stderr: 'Plugin "x" not found' }, 'exit code 1: Plugin "x" not found'],
    [{ code: 1, stdout: "no such plugin", stderr: "\u001b[0m" }, "exit code 1: no such plugin"],
    [{ outcome: "timeout", code: null, stdout: "" }, "timeout"],
  ] as const)("%j rejects with what it said", async (result, message) => {
    const rejected = on(result).plugins.install("claude", "x");
    await expect(rejected).rejects.toThrow(message);
    await expect(rejected).rejects.toMatchObject({ code: "plugin_command_failed" });
  });

  test("a program that is not there is not installed", async () => {
    const rejected = on({ outcome: "not_found", code: null, stdout: "" }).plugins.list("omp");
    await expect(rejected).rejects.toMatchObject({
      code: "coding_agent_not_installed",
      nextStep: expect.stringMatching(/^Install it with/),
    });
  });

  test("what it printed is told without what terminals obey", async () => {
    const { plugins } = on({ stdout: "\u001b[32mInstalled x\u001b[0m\n" });
    expect(await plugins.install("claude", "x")).toBe("Installed x");
  });

  test("output of no known shape is a failure, not an empty list", async () => {
    await expect(on({ stdout: "usage: claude ..." }).plugins.list("claude")).rejects.toThrow(
      "could not be read",
    );
  });
});

describe("what the commands print", () => {
  test.each([
    [
      "claude",
      '[{"id":"tides@harbour","version":"1.2.3","scope":"user","enabled":true}]',
      { name: "tides@harbour", version: "1.2.3", enabled: true },
    ],
    [
      "codex",
      '{"installed":[{"pluginId":"tides@harbour","name":"tides","marketplaceName":"harbour","version":"1.2.3","enabled":true,"source":{"source":"local"}}],"available":[]}',
      { name: "tides@harbour", version: "1.2.3", enabled: true, source: "harbour" },
    ],
    [
      "gemini",
      '[{"name":"tides","version":"1.2.3","installMetadata":{"source":"/x","type":"local"},"isActive":true,"id":"963483aef401e0119bc0eb6dbb492021"}]',
      { name: "tides", version: "1.2.3", enabled: true, source: "/x" },
    ],
    [
      "copilot",
      '[{"name":"browser-use","marketplace":"","version":"0.0.4","enabled":false,"source":"builtin"}]',
      { name: "browser-use", version: "0.0.4", enabled: false, source: "builtin" },
    ],
    [
      "opencode",
      '{"agent":{},"plugin":["opencode-tides@1.0.0"],"plugin_origins":[]}',
      { name: "opencode-tides@1.0.0" },
    ],
    ["opencode with options", '{"plugin":[["opencode-moon",{"a":1}]]}', { name: "opencode-moon" }],
    ["pi", "User packages:\n  npm:pi-tides\n    /home/x/.pi/agent/npm/pi-tides\n", { name: "npm:pi-tides" }],
    [
      "pi, of a package that it names from its own folder",
      "User packages:\n  ../../mkt/p1\n    /home/x/mkt/p1\n",
      { name: "/home/x/mkt/p1" },
    ],
    [
      "openclaw",
      '{"registry":{},"plugins":[{"id":"a2a","name":"A2A","version":"2026.9.6","status":"disabled","source":"/x"}]}',
      { name: "a2a", version: "2026.9.6", enabled: false, source: "/x" },
    ],
    ["a notice before the JSON", 'Update available\n[{"name":"tides"}]', { name: "tides" }],
  ])("%s", (_, printed, plugin) => {
    expect(readInstalled(printed)).toEqual([plugin]);
  });

  test.each([
    '{"npm":[],"marketplace":[]}',
    "[]",
    '{"installed":[],"available":[]}',
    "No packages installed.",
    '{"plugin":[]}',
  ])("%s is an empty list", (printed) => {
    expect(readInstalled(printed)).toEqual([]);
  });

  test("a search is narrowed by the query, in name or description", () => {
    const printed = JSON.stringify({
      installed: [{ pluginId: "old@harbour" }],
      available: [
        { pluginId: "tides@harbour", name: "tides", description: "Tide tables", marketplaceName: "harbour" },
        { pluginId: "moon@harbour", name: "moon", description: "Moon phases" },
      ],
    });
    expect(readListings(printed, "TABLES")).toEqual([
      { name: "tides@harbour", description: "Tide tables", marketplace: "harbour" },
    ]);
    expect(readListings(printed, "")).toHaveLength(2);
  });
});
