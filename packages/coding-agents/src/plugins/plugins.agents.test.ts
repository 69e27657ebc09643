/** A plugin's life in the real programs: installed from a folder, listed, removed. No network. */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import { runCommand } from "../command/run-command.ts";
import { createPlugins } from "./plugin-operations.ts";

const CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const binFolder = (agent: string) => join(CACHE, agent, "node_modules", ".bin");

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-plugins-"));
  const manifest = { name: "tides", version: "1.2.3", description: "Tide tables" };
  const marketplace = {
    name: "harbour",
    owner: { name: "Ada" },
    plugins: [{ name: "tides", source: "./plugins/tides", description: "Tide tables" }],
  };
  await write("market/.claude-plugin/marketplace.json", marketplace);
  await write("market/.agents/plugins/marketplace.json", marketplace);
  await write("market/.github/plugin/marketplace.json", marketplace);
  await write("market/plugins/tides/.claude-plugin/plugin.json", manifest);
  await write("market/plugins/tides/.codex-plugin/plugin.json", manifest);
  await write("extension/gemini-extension.json", { name: "tides", version: "1.2.3" });
  await write("package/package.json", { name: "pi-tides", version: "1.2.3", pi: { extensions: [] } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, content: object): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), JSON.stringify(content));
}

interface Row {
  readonly agent: BuiltInAgentName;
  /** Makes a marketplace known, where plugins come from one. */
  readonly before?: readonly string[];
  readonly install: string;
  readonly installed: object;
  readonly uninstall: string;
}
const market = (command: string) => [command, "plugin", "marketplace", "add", "<folder>/market"];
const ROWS: readonly Row[] = [
  {
    agent: "claude",
    before: market("claude"),
    install: "tides@harbour",
    installed: { name: "tides@harbour", version: "1.2.3", enabled: true },
    uninstall: "tides@harbour",
  },
  {
    agent: "codex",
    before: market("codex"),
    install: "tides@harbour",
    installed: { name: "tides@harbour", version: "1.2.3", enabled: true },
    uninstall: "tides@harbour",
  },
  {
    agent: "gemini",
    install: "<folder>/extension",
    installed: { name: "tides", version: "1.2.3", enabled: true },
    uninstall: "tides",
  },
  {
    agent: "copilot",
    before: market("copilot"),
    install: "tides@harbour",
    installed: { name: "tides@harbour", version: "1.2.3", enabled: true },
    uninstall: "tides@harbour",
  },
  {
    agent: "pi",
    install: "<folder>/package",
    installed: { name: expect.stringContaining("package") },
    uninstall: "<folder>/package",
  },
];

for (const { agent, before, install, installed, uninstall } of ROWS) {
  const isInstalled = existsSync(join(binFolder(agent), agent));
  test.skipIf(!isInstalled)(`${agent} installs, lists and removes a plugin`, async () => {
    const env = {
      PATH: [binFolder(agent), process.env.PATH ?? ""].join(delimiter),
      HOME: join(folder, `home-${agent}`),
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      PI_OFFLINE: "1",
    };
    await mkdir(env.HOME);
    const here = (text: string) => text.replace("<folder>", folder);
    if (before)
      expect(await runCommand(before.map(here), { env, timeoutMs: 60_000 })).toMatchObject({ code: 0 });
    const plugins = createPlugins({
      run: runCommand,
      env,
      capabilities: () => MANIFESTS[agent].capabilities,
    });
    // Copilot lists what a local marketplace offers as disabled.
    const names = async () =>
      (await plugins.list(agent)).filter(
        ({ name, enabled }) => /tides|package/.test(name) && enabled !== false,
      );

    expect(await names()).toEqual([]);
    await plugins.install(agent, here(install));
    expect(await names()).toMatchObject([installed]);
    await plugins.uninstall(agent, here(uninstall));
    expect(await names()).toEqual([]);
  });

  test.skipIf(
    !isInstalled || MANIFESTS[agent].capabilities.pluginSearchCmd === undefined || agent === "copilot",
  )(`${agent} finds it by a word of its description`, async () => {
    const env = {
      PATH: [binFolder(agent), process.env.PATH ?? ""].join(delimiter),
      HOME: join(folder, `home-${agent}`),
    };
    const plugins = createPlugins({
      run: runCommand,
      env,
      capabilities: () => MANIFESTS[agent].capabilities,
    });
    expect(await plugins.search(agent, "tide")).toMatchObject([
      { name: "tides@harbour", marketplace: "harbour" },
    ]);
  });
}
