/** The coding agents of this machine as harnesses; a driver is created when an agent first uses it. */
import { join, resolve } from "node:path";
import {
  canChangeUser,
  type Database,
  folderWorks,
  Git,
  type HarnessDriver,
  type KeyStore,
  SessionFolders,
  Worktrees,
} from "@capstan/runtime";
import type { LazyCodingAgents, MachinePrograms } from "../coding-agents/known-agent.ts";
import type { SessionFiles } from "../sessions/session-files.ts";
import type { Settings } from "../settings/settings.ts";
import { codingAgentDriver } from "./coding-agent-driver.ts";
import { type HarnessUsers, harnessUsers } from "./harness-users.ts";
import type { RunMcp } from "./run-mcp.ts";

export interface Harnesses {
  driver(name: string): HarnessDriver;
  /** The real folders that agents work in. */
  readonly worktrees: Worktrees;
  /** Removes what settled work and deleted sessions have left. */
  sweep(): void;
  close(): Promise<void>;
}

export interface HarnessParts {
  readonly codingAgents: LazyCodingAgents;
  readonly files: SessionFiles;
  /** The folder of the sessions' folders; stable across restarts, because programs find their sessions by it. */
  readonly folder: string;
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string>>;
  readonly keys: Pick<KeyStore, "list">;
  readonly database: Pick<Database, "pool" | "organisation">;
  /** Of the machine, for an organisation after the first. */
  readonly programs?: MachinePrograms | undefined;
  readonly onError: (error: unknown, what: string) => void;
}

const SWEEP_MS = 10 * 60 * 1000;

export function openHarnesses(given: HarnessParts): Harnesses {
  const { codingAgents, files, folder, onError } = given;
  const mcp = lazyRunMcp((error) => onError(error, "MCP of a run"));
  const folders = new SessionFolders(resolve(folder), Date.now, { isLasting: true });
  const worktrees = openWorktrees(given);
  const drivers = new Map<string, HarnessDriver>();
  const sweep = () => {
    folders.sweep().catch((error) => onError(error, "folders of sessions"));
    worktrees.sweep().catch((error) => onError(error, "worktrees of sessions"));
  };
  const sweeper = setInterval(sweep, SWEEP_MS);
  sweeper.unref();
  sweep(); // left by a killed server
  const parts = {
    client: async () => (await codingAgents.open()).client,
    effective: async (agent: string) => (await codingAgents.open()).doctor.effective(agent),
    mcp,
    folders,
    worktrees,
    files,
    users: usersOf(given),
  };
  return {
    worktrees,
    sweep,
    driver(name) {
      const driver = drivers.get(name) ?? codingAgentDriver(name, parts);
      drivers.set(name, driver);
      return driver;
    },
    async close() {
      clearInterval(sweeper);
      await mcp.close();
      await folders.close();
      await worktrees.close();
    },
  };
}

function usersOf(given: HarnessParts): HarnessUsers {
  const { codingAgents, folder, settings, environment, programs, keys, database } = given;
  let changes: Promise<boolean> | undefined;
  return harnessUsers({
    dataDir: resolve(settings.CAPSTAN_DATA_DIR),
    folder: resolve(folder),
    changesUser: () => (changes ??= canChangeUser()),
    asServer: settings.CAPSTAN_HARNESS_AS_SERVER,
    allowsUnseparated: settings.CAPSTAN_ALLOW_UNSEPARATED_PACKAGES,
    keysOf: async (email) => (await keys.list()).filter(({ owner }) => owner === email),
    async loginOf(harness) {
      const { manifests } = await codingAgents.open();
      const known = manifests.find(({ capabilities }) => capabilities.agent === harness);
      return { variables: known?.authVariables ?? [], files: known?.capabilities.authFiles ?? [] };
    },
    environment: programs?.environment ?? environment,
    organisation: database.organisation?.id,
  });
}

/** Copies for comparing are in a folder that no program can read. */
const openWorktrees = ({ folder, settings, database, environment }: HarnessParts): Worktrees =>
  new Worktrees({
    git: new Git(environment),
    works: folderWorks(database.pool),
    root: join(resolve(folder), "worktrees"),
    scratch: join(resolve(settings.CAPSTAN_DATA_DIR), "worktree-copies"),
    allowed: settings.CAPSTAN_CODING_AGENT_FOLDERS,
  });

/** The protocol's SDK is loaded on first use. */
function lazyRunMcp(onError: (error: unknown) => void): RunMcp {
  let opened: Promise<RunMcp> | undefined;
  const load = async () => (await import("./run-mcp.ts")).createRunMcp(onError);
  return {
    async open(served) {
      opened ??= load();
      return (await opened).open(served);
    },
    close: async () => (await opened)?.close(),
  };
}
