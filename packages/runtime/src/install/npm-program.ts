/**
 * npm with our own configuration. Of the operator's settings it only gets the registry and how to reach it, but
 * no token: a registry that requires one must be reached through a proxy or mirror that adds it.
 */
import { access, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { Result } from "@capstan/core";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import { OpenFolder } from "../files/open-folder.ts";
import {
  operatorNetwork,
  registryHosts,
  withoutPassword,
  withoutProxy,
} from "../sources/operator-network.ts";
import { askOperator, runTool, type ToolRun, withStaging } from "./run-tool.ts";

const ASK_MS = 30_000;
/** npm's default is five minutes and two retries, far too long when offline. */
const PATIENCE = ["--fetch-timeout=30000", "--fetch-retries=1"];
/** Settings that decide where packages come from; the rest of the operator's configuration is left out. */
const KEPT_SETTING = /^(registry|@[^:]+:registry|proxy|https-proxy|noproxy|cafile|ca|strict-ssl)$/;

const SETTINGS = ".capstan-npmrc";

export interface NpmParts {
  readonly env: Readonly<Record<string, string>>;
  readonly node: string;
  readonly isolation: CommandIsolation;
}

export type Npm = (
  words: readonly string[],
  place: { folder: string; cwd?: string; timeoutMs: number; runsPackage?: boolean },
) => Promise<Result<ToolRun>>;

export function npmProgram({ env, node, isolation }: NpmParts): Npm {
  let settings: Promise<string> | undefined;
  let program: Promise<string> | undefined;
  return async (words, { folder, cwd, timeoutMs, runsPackage }) => {
    settings ??= operatorSettings(env).then((lines) =>
      isolation.organisation === undefined ? lines : withoutProxy(lines),
    );
    program ??= findNpm(env);
    const cli = await program;
    const config = await writeSettings(folder, await settings);
    const fixed = [
      `--userconfig=${config}`,
      `--globalconfig=${join(folder, ".capstan-none")}`,
      `--cache=${join(folder, ".capstan-cache")}`,
      "--git=/nonexistent/git", // a git dependency would be cloned before anyone could refuse it
      "--update-notifier=false",
      "--no-audit",
      "--no-fund",
      ...PATIENCE,
    ];
    const argv = cli.endsWith(".js") ? [node, cli] : [cli];
    // Proxies and certificates that only variables name; npm itself reads some of them, and Node the others.
    const network = operatorNetwork(env, await settings);
    const readable = [dirname(dirname(cli)), ...network.files];
    const request = {
      argv: [...argv, ...words, ...fixed],
      folder,
      readable,
      env: network.variables,
      timeoutMs,
      runsPackage,
      registries: registryHosts(network),
    };
    return runTool(cwd === undefined ? request : { ...request, cwd }, isolation);
  };
}

/** An earlier script of the package may have put a link or a pipe there. */
async function writeSettings(folder: string, settings: string): Promise<string> {
  const opened = await OpenFolder.open(folder);
  await opened?.write(SETTINGS, Buffer.from(settings), { owner: undefined, mode: 0o644 });
  await opened?.close();
  return join(folder, SETTINGS);
}

async function findNpm(env: Readonly<Record<string, string>>): Promise<string> {
  for (const folder of [...(env.PATH ?? "").split(delimiter).filter(Boolean), dirname(process.execPath)]) {
    const path = join(folder, "npm");
    const found = await access(path).then(
      () => true,
      () => false,
    );
    if (found) return realpath(path);
  }
  return "npm";
}

/** Run by a project's own Node, npm looks for the machine's settings beside that Node, where there are none. */
const withoutModules = (path: string): string =>
  path
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter);

/** As lines of an npmrc. A password in a URL is dropped, like tokens. */
export async function operatorSettings(env: Readonly<Record<string, string>>): Promise<string> {
  const listed = await withStaging(async (cwd) => {
    const ask = (PATH: string) =>
      askOperator(["npm", "config", "list", "--json"], { env: { ...env, PATH }, cwd, timeoutMs: ASK_MS });
    const own = await ask(withoutModules(env.PATH ?? ""));
    return own.ok ? own : ask(env.PATH ?? "");
  });
  if (!listed.ok) return "";
  const all = JSON.parse(listed.stdout) as Record<string, unknown>;
  const kept = Object.entries(all).filter(([name, value]) => KEPT_SETTING.test(name) && value !== null);
  return kept.flatMap(([name, value]) => settingLines(name, value)).join("\n");
}

function settingLines(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((each) => `${name}[]=${JSON.stringify(String(each))}`);
  const text = String(value).replaceAll(/[\r\n]/g, "\\n");
  return [`${name}=${withoutPassword(text).replaceAll("${", "$\\{")}`];
}
