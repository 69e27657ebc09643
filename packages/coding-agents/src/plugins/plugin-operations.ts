/**
 * plugins.list / search / install / uninstall: calls the agents' own commands in one way.
 *
 * An unsupported operation throws `CapabilityError` immediately. A plugin's name reaches a command line, so it is
 * validated: nothing that could be read as an option.
 */
import { stripVTControlCharacters } from "node:util";
import { fail } from "@capstan/core";
import {
  type AgentName,
  CapabilityError,
  type CodingAgentCapabilities,
  RunRefusedError,
} from "@capstan/core/internal";
import type { CommandRunner } from "../command/run-command.ts";
import { type InstalledPlugin, type PluginListing, readInstalled, readListings } from "./read-plugins.ts";

export interface PluginEffects {
  readonly run: CommandRunner;
  /** The whole environment of the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The agent's capabilities; throws for a name nobody registered. */
  readonly capabilities: (agent: AgentName) => CodingAgentCapabilities;
}

export interface PluginSearchOptions {
  /** The maximum number, in the command's order. */
  readonly limit?: number;
  readonly timeoutMs?: number;
}

export interface PluginInstallOptions {
  /** How long the command may take; default: five minutes. */
  readonly timeoutMs?: number;
}

export interface PluginOperations {
  list(agent: AgentName): Promise<InstalledPlugin[]>;
  search(agent: AgentName, query: string, options?: PluginSearchOptions): Promise<PluginListing[]>;
  /** Returns the command's output. */
  install(agent: AgentName, plugin: string, options?: PluginInstallOptions): Promise<string>;
  uninstall(agent: AgentName, plugin: string, options?: PluginInstallOptions): Promise<string>;
}

const LIST_TIMEOUT_MS = 60_000; // OpenClaw needs up to 25 s to start
const CHANGE_TIMEOUT_MS = 300_000; // an install clones or downloads

type CommandField = "pluginListCmd" | "pluginSearchCmd" | "pluginInstallCmd" | "pluginUninstallCmd";
const DOES: Readonly<Record<CommandField, string>> = {
  pluginListCmd: "list",
  pluginSearchCmd: "search for",
  pluginInstallCmd: "install",
  pluginUninstallCmd: "uninstall",
};

export function createPlugins(effects: PluginEffects): PluginOperations {
  const { run, env } = effects;

  /** Throws now; returns what runs the command. */
  function prepare(
    agent: AgentName,
    field: CommandField,
    timeoutMs: number,
    value = "",
  ): () => Promise<string> {
    const argv = commandOf(effects.capabilities(agent), field, value);
    return async () => {
      const { outcome, code, ...printed } = await run(argv, { env, timeoutMs });
      const stdout = stripVTControlCharacters(printed.stdout).trim();
      const stderr = stripVTControlCharacters(printed.stderr).trim();
      // Gemini prints its list to stderr.
      if (outcome === "exited" && code === 0) return stdout || stderr;
      if (outcome === "not_found") throw notInstalled(effects.capabilities(agent), argv);
      const why = outcome === "exited" ? `exit code ${code}` : outcome.replace("_", " ");
      throw refused(agent, argv, why, endOf(stderr || stdout));
    };
  }

  async function read<T>(
    agent: AgentName,
    output: Promise<string>,
    reader: (output: string) => T[] | null,
  ): Promise<T[]> {
    const found = reader(await output);
    if (!found) throw refused(agent, [], "its output could not be read", "");
    return found;
  }

  return {
    list(agent) {
      const start = prepare(agent, "pluginListCmd", LIST_TIMEOUT_MS);
      return read(agent, start(), readInstalled);
    },
    search(agent, query, { limit, timeoutMs = LIST_TIMEOUT_MS } = {}) {
      const start = prepare(agent, "pluginSearchCmd", timeoutMs, query);
      return read(agent, start(), (output) => readListings(output, query)?.slice(0, limit) ?? null);
    },
    install: (agent, plugin, { timeoutMs = CHANGE_TIMEOUT_MS } = {}) =>
      prepare(agent, "pluginInstallCmd", timeoutMs, plugin)(),
    uninstall: (agent, plugin, { timeoutMs = CHANGE_TIMEOUT_MS } = {}) =>
      prepare(agent, "pluginUninstallCmd", timeoutMs, plugin)(),
  };
}

const PLUGIN_NAME = /^[A-Za-z0-9@./~][A-Za-z0-9@._/:~+#=-]{0,299}$/;
const QUERY = /^[^-\p{C}][^\p{C}]{0,199}$/u;

function commandOf(capabilities: CodingAgentCapabilities, field: CommandField, value: string): string[] {
  const { agent, supportsPlugins } = capabilities;
  if (!supportsPlugins)
    throw new CapabilityError(agent, "plugins", `Agent '${agent}' does not support plugins`);
  const command = capabilities[field];
  if (command === undefined) {
    const message = `Agent '${agent}' does not support plugins: it has no command to ${DOES[field]} them`;
    throw new CapabilityError(agent, "plugins", message);
  }
  checkValue(field, value);
  return command.split(" ").map((word) => (word === "<plugin>" || word === "<query>" ? value : word));
}

function checkValue(field: CommandField, value: string): void {
  const allowed = {
    pluginListCmd: /^$/,
    pluginSearchCmd: QUERY,
    pluginInstallCmd: PLUGIN_NAME,
    pluginUninstallCmd: PLUGIN_NAME,
  };
  if (allowed[field].test(value)) return;
  const where = `"${value.slice(0, 100)}" is not a plugin's name, address or path`;
  throw new RunRefusedError(fail("input_invalid", { where }).failure);
}

const MAX_TOLD_CHARS = 500;

/** A program's last line says why it failed. */
const endOf = (output: string): string =>
  output.length > MAX_TOLD_CHARS ? `... ${output.slice(-MAX_TOLD_CHARS)}` : output;

function notInstalled(
  { agent, installMethods }: CodingAgentCapabilities,
  [command = agent]: readonly string[],
): RunRefusedError {
  const install = installMethods[0]?.command;
  return new RunRefusedError(fail("coding_agent_not_installed", { agent, command, install }).failure);
}

function refused(agent: AgentName, argv: readonly string[], why: string, output: string): RunRefusedError {
  return new RunRefusedError(
    fail("plugin_command_failed", { agent, command: argv.join(" "), why, output }).failure,
  );
}
