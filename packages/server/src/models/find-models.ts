/**
 * Models available on this machine: local model servers, and coding agents that are installed and logged in; and the
 * models of configured providers, which are asked for their lists. Searched at startup and on request; the last result is cached.
 */
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { findLocalServers, type LocalServer, listModels } from "@capstan/runtime";
import type { Providers } from "./providers.ts";

export interface FoundAgent {
  /** The harness's name, such as `claude`. */
  readonly name: string;
  readonly label: string;
  /** Names only: the file or the variable that holds the credentials. */
  readonly loginBy: readonly string[];
}

export interface FoundModels {
  readonly servers: readonly LocalServer[];
  /** Providers with a key. */
  readonly hosted: readonly LocalServer[];
  readonly agents: readonly FoundAgent[];
  /** Configured providers that list no models now, each with the reason and what to do. */
  readonly silent: readonly string[];
}

export interface ModelFinder {
  /** The last result; empty before the first search. */
  latest(): FoundModels;
  /** Searches (again), unless it was done just now. */
  look(): Promise<FoundModels>;
}

const NOTHING: FoundModels = { servers: [], hosted: [], agents: [], silent: [] };
const KEPT_MS = 5_000; // several screens ask at once
const ENDPOINT_WITHIN_MS = 2_000;

export interface FinderParts {
  readonly enabled: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly providers: Providers;
}

export function openModelFinder({ enabled, environment, providers }: FinderParts): ModelFinder {
  let latest = NOTHING;
  let looking: { at: number; found: Promise<FoundModels> } | undefined;
  const look = async (): Promise<FoundModels> => {
    const [local, named, hosted, agents] = await Promise.all([
      findLocalServers({ environment }),
      listedEndpoints(providers, true),
      listedEndpoints(providers, false),
      findCodingAgents(environment),
    ]);
    latest = {
      servers: [...named.servers, ...local],
      hosted: hosted.servers,
      agents,
      silent: [...named.silent, ...hosted.silent],
    };
    return latest;
  };
  return {
    latest: () => latest,
    look() {
      if (!enabled) return Promise.resolve(NOTHING);
      if (!looking || performance.now() - looking.at > KEPT_MS)
        looking = { at: performance.now(), found: look().catch(() => latest) };
      return looking.found;
    },
  };
}

/** Configured endpoints that alone know which models they have: those given by address, or those with a key. */
async function listedEndpoints(
  providers: Providers,
  keyless: boolean,
): Promise<{ servers: LocalServer[]; silent: string[] }> {
  const states = (await providers.list()).filter(
    (state) => state.configured && state.listsModels && state.keyless === keyless,
  );
  const asked = await Promise.all(
    states.map(async ({ provider, label }): Promise<{ server?: LocalServer; why?: string }> => {
      const credentials = await providers.credentials(provider);
      if (credentials?.baseUrl === undefined) return {};
      const { baseUrl } = credentials;
      const listed = await listModels(provider, credentials, { timeoutMs: ENDPOINT_WITHIN_MS });
      if (!listed.ok) return { why: `${listed.failure.message} ${listed.failure.nextStep}` };
      return listed.value.length > 0 ? { server: { provider, label, baseUrl, models: listed.value } } : {};
    }),
  );
  return {
    servers: asked.flatMap(({ server }) => server ?? []),
    silent: asked.flatMap(({ why }) => why ?? []),
  };
}

/** Nothing is started and no secret is read: checks for a command on the PATH, and an existing credentials file or variable. */
async function findCodingAgents(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<FoundAgent[]> {
  const { ALL_MANIFESTS } = await import("@capstan/coding-agents/manifests");
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const home = environment.HOME ?? environment.USERPROFILE ?? "";
  const found = await Promise.all(
    ALL_MANIFESTS.filter(({ capabilities }) => capabilities.supportsMCP).map(
      async ({ displayName, commands, authVariables, capabilities }): Promise<FoundAgent[]> => {
        const places = folders.flatMap((folder) => commands.map((command) => join(folder, command)));
        if (!(await someExists(places, constants.X_OK))) return [];
        const variables = authVariables.filter((name) => (environment[name] ?? "") !== "");
        const files = await existing(capabilities.authFiles, home);
        const loginBy = [...variables, ...files];
        return loginBy.length === 0 ? [] : [{ name: capabilities.agent, label: displayName, loginBy }];
      },
    ),
  );
  return found.flat();
}

async function existing(files: readonly string[], home: string): Promise<string[]> {
  const present = await Promise.all(files.map((file) => exists(file.replace(/^~/, home), constants.F_OK)));
  return files.filter((_, index) => present[index]);
}

async function someExists(paths: readonly string[], mode: number): Promise<boolean> {
  return (await Promise.all(paths.map((path) => exists(path, mode)))).includes(true);
}

const exists = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );
