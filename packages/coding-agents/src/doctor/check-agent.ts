/**
 * Whether an agent is installed, its version, whether that version was tested, and whether someone is logged in.
 *
 * A command on the PATH is not enough: some packages install a stub. Secrets are never read: a login is a file that
 * exists or a variable that is set, and only their names are reported.
 */
import type { CodingAgentManifest } from "@capstan/core/internal";
import type { CommandRunner } from "../command/run-command.ts";
import { standingOf, type VersionStanding } from "./version-standing.ts";

export interface LoginState {
  readonly found: boolean;
  /** Names only: `ANTHROPIC_API_KEY`, `~/.claude/.credentials.json`. */
  readonly by: readonly string[];
}

export interface AgentCheck {
  readonly agent: string;
  readonly displayName: string;
  readonly installed: boolean;
  readonly command?: string;
  readonly version?: string;
  readonly standing?: VersionStanding;
  readonly testedVersions: CodingAgentManifest["testedVersions"];
  readonly login: LoginState;
  /** What is wrong, and what to do about it. */
  readonly problem?: string;
  readonly nextStep?: string;
}

export interface CheckEffects {
  readonly run: CommandRunner;
  /** The whole environment: for the commands, and to see which variables are set. */
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  /** Whether a file exists; it is never opened. */
  readonly exists: (path: string) => Promise<boolean>;
}

const VERSION_TIMEOUT_MS = 30_000; // OpenClaw takes its time even for this

export async function checkAgent(manifest: CodingAgentManifest, effects: CheckEffects): Promise<AgentCheck> {
  const { capabilities, displayName, testedVersions } = manifest;
  const [found, login] = await Promise.all([findVersion(manifest, effects), findLogin(manifest, effects)]);
  const base = { agent: capabilities.agent, displayName, testedVersions, login };
  if (!found.version) return { ...base, installed: false, ...notInstalled(manifest, found) };
  const standing = standingOf(found.version, testedVersions);
  return {
    ...base,
    installed: true,
    command: found.command,
    version: found.version,
    standing,
    ...(!login.found && noLogin(manifest)),
  };
}

interface Found {
  readonly command: string;
  readonly version?: string;
  /** A command's output instead of a version. */
  readonly said?: string;
}

async function findVersion(manifest: CodingAgentManifest, { run, env }: CheckEffects): Promise<Found> {
  const pattern = new RegExp(manifest.versionPattern, "m");
  let stub: Found | undefined;
  for (const command of manifest.commands) {
    const result = await run([command, ...manifest.versionArgs], { env, timeoutMs: VERSION_TIMEOUT_MS });
    if (result.outcome === "not_found") continue;
    const printed = `${result.stdout}\n${result.stderr}`;
    const version = result.outcome === "exited" ? pattern.exec(printed)?.[1] : undefined;
    if (version) return { command, version };
    stub ??= { command, said: result.outcome === "timeout" ? "nothing in time" : firstLine(printed) };
  }
  return stub ?? { command: manifest.commands[0] };
}

const firstLine = (text: string) => text.trim().split("\n")[0]?.slice(0, 200) ?? "";

async function findLogin(
  manifest: CodingAgentManifest,
  { env, home, exists }: CheckEffects,
): Promise<LoginState> {
  const variables = manifest.authVariables.filter((name) => (env[name] ?? "") !== "");
  const files = manifest.capabilities.authFiles;
  const present = await Promise.all(files.map((file) => exists(file.replace(/^~/, home))));
  const by = [...variables, ...files.filter((_, index) => present[index])];
  return { found: by.length > 0, by };
}

function notInstalled(manifest: CodingAgentManifest, { command, said }: Found) {
  const [method] = manifest.capabilities.installMethods;
  const nextStep = `Install it: ${method?.command ?? "see the vendor's page"}`;
  if (said === undefined) return { problem: `There is no command "${command}".`, nextStep };
  return {
    command,
    problem: `"${command}" exists but prints no version; it said: ${said || "nothing"}`,
    nextStep,
  };
}

const noLogin = ({ commands, authVariables }: CodingAgentManifest) => ({
  problem: "No login found (a system keychain cannot be checked).",
  nextStep: `Start \`${commands[0]}\` once to log in, or set ${authVariables.slice(0, 2).join(" or ")}.`,
});
