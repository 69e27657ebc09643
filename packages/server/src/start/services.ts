/** Everything the routes stand on, opened once. Routes take the parts they name; nothing else is global. */
import { join } from "node:path";
import {
  builtinCapabilities,
  countTokens,
  type SearchSettings,
  staticEmbedding,
  timezoneOf,
} from "@capstan/builtins";
import { CapabilityRegistry, type CapstanConfig, ok, type Result } from "@capstan/core";
import {
  type AgentStore,
  type AuditLog,
  agentStore,
  type BreakerStore,
  breakerStore,
  type CapabilityDocuments,
  type Composer,
  createComposer,
  createGate,
  createGuardedFetch,
  type Database,
  type DatabaseRetry,
  dataFolderSecret,
  type Gate,
  type KeyStore,
  keepInStep,
  keyStore,
  openAuditLog,
  openCapabilityDocuments,
  openDatabase,
  openSandbox,
  openTaskRunner,
  openTelemetry,
  openToolChooser,
  providerStore,
  type ResolvedModel,
  type RouteTier,
  type Runs,
  readDeclarative,
  type SessionStore,
  secretBox,
  sessionStore,
  type TaskParts,
  type TaskRunner,
  type Telemetry,
  type TieredIndex,
  type TokenStore,
  taskStore,
  tokenStore,
  type UserStore,
  userStore,
  withOwnRoute,
  withRouteTool,
} from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import { serverCatalog } from "../capabilities/catalog.ts";
import { toolContexts } from "../capabilities/tool-context.ts";
import { codingAgents, type LazyCodingAgents } from "../coding-agents/coding-agents.ts";
import { type Harnesses, openHarnesses } from "../harness/open-harnesses.ts";
import { openServerModels, type ServerModels } from "../models/models.ts";
import { openProviders, type Providers } from "../models/providers.ts";
import { openObservability } from "../observability/observability.ts";
import type { RunTotals } from "../observability/run-totals.ts";
import { openServerPackages, type ServerPackages } from "../packages/packages.ts";
import { delegation } from "../runs/delegation.ts";
import { type Observations, openObservations } from "../runs/observations.ts";
import { openEngine } from "../runs/run-engine.ts";
import { type SessionFiles, sessionFiles } from "../sessions/session-files.ts";
import { openSessionManifests } from "../sessions/session-manifests.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import { openRouteTier } from "../tasks/open-route-tier.ts";
import { accessRequests } from "../users/access-requests.ts";

export interface Services {
  readonly settings: Settings;
  readonly log: Log;
  readonly database: Database;
  readonly registry: CapabilityRegistry;
  readonly agents: AgentStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
  readonly keys: KeyStore;
  readonly tokens: TokenStore;
  readonly providers: Providers;
  readonly telemetry: Telemetry;
  readonly breakers: BreakerStore;
  /** What the runs of this process used, for `/metrics`. */
  readonly runTotals: RunTotals;
  readonly documents: CapabilityDocuments;
  readonly composer: Composer;
  readonly gate: Gate;
  /** A session's files, as everyone sees them. */
  readonly files: SessionFiles;
  readonly models: ServerModels;
  readonly runs: Runs;
  readonly observations: Observations;
  readonly codingAgents: LazyCodingAgents;
  readonly harnesses: Harnesses;
  readonly taskRunner: TaskRunner;
  readonly packages: ServerPackages;
  /** What whoever runs the server should know: what the sandbox lacks here, documents that cannot be used. */
  readonly notes: () => readonly string[];
  /** What tasks are ranked by, beside their words. */
  readonly routeTier: RouteTier;
  /** Fires when the server stops: streams end with a hint to connect again. */
  readonly stopping: AbortSignal;
  readonly draining: () => boolean;
  /** Lets steps that are on finish, hands the rest over, and ends the streams. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** What a server may be given beside its settings. */
export interface ServerExtras {
  readonly config?: CapstanConfig;
  /** What coding agents started by the server may see a part of. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Models beside the providers', by their whole name; for programs that bring their own. */
  readonly models?: Readonly<Record<string, ResolvedModel>>;
  /** How steps that need the database are made; as given, when absent. */
  readonly withRetry?: DatabaseRetry;
}

const DRAIN_MS = 5000; // how long a stop waits for steps that are on
const MAX_TOOL_OUTPUT_CHARS = 100_000; // about 25k tokens; more crowds out the conversation

export async function openServices(
  settings: Settings,
  log: Log,
  { config = {}, environment = {}, models: ownModels = {}, withRetry = (step) => step() }: ServerExtras = {},
): Promise<Result<Services>> {
  const routing = openRouteTier(settings, log);
  if (!routing.ok) return routing;
  const ground = await openGround(settings, config, ownModels, withRetry);
  if (!ground.ok) return ground;
  const { database, sandbox, fetch, registry, stores, secret, models } = ground.value;
  const { agents, users, audit, telemetry } = stores;
  const onError = (error: unknown, what = "background work") => log.error({ what, error });
  const documents = await withRetry(() => openDocuments(settings, database, registry, onError));
  const started: { runs?: Runs; packages?: ServerPackages } = {};
  const watch = openObservability({
    ...{ settings, telemetry, database, agents, onError },
    runs: () => started.runs,
  });
  const composer = createComposer({
    ...{ agents, users, registry, countTokens },
    offerAgents: delegation(database, agents, registry, () => started.runs),
  });
  const withManifest = openSessionManifests({
    ...{ composer, sessions: stores.sessions, now: () => new Date() },
    packages: () => started.packages?.packages,
  });
  const files = sessionFiles(database, settings, withManifest);
  const gate = createGate({
    contextFor: toolContexts({ database, files, fetch, sandbox }),
    record: watch.recordCall,
    now: () => new Date(),
    maxOutputChars: MAX_TOOL_OUTPUT_CHARS,
  });
  const working = { settings, log, database, gate, composer, models, audit, fetch, secret };
  const observations = openObservations(database, onError);
  const delegates = codingAgents(settings, environment, config.codingAgents);
  const sessionFolders = join(settings.CAPSTAN_DATA_DIR, "harness");
  const harnesses = openHarnesses({ codingAgents: delegates, files, folder: sessionFolders, onError });
  const heard = { observed: observations.add, ended: watch.runEnded };
  const runs = await withRetry(() => openEngine({ ...working, ...heard, harnesses, files }));
  started.runs = runs;
  registry.register(accessRequests({ composer, users, audit, approvals: () => runs.approvals }));
  const taskRunner = openTasks(routing.value, { ...working, ...stores, registry, timezoneOf, onError });
  const packages = await openServerPackages({
    ...{ settings, database, registry, fetch, secret, environment, onError, withRetry, note: log.info },
    ...{ agents, sessions: stores.sessions, runs, users, composer, gate },
  });
  started.packages = packages;
  const stop = openStop(() => runs.drain(DRAIN_MS));
  return ok({
    ...{ settings, log, database, registry, ...stores, documents, composer, gate, files },
    ...{ models, runs, observations, runTotals: watch.runTotals },
    notes: () => [
      ...sandbox.isolation.notes,
      ...documents.faults().map(({ file, why }) => `${file} is not used: ${why}`),
    ],
    ...{ codingAgents: delegates, harnesses, taskRunner, packages, routeTier: routing.value, ...stop },
    async close() {
      documents.close();
      taskRunner.close();
      await routing.value.close();
      await packages.close();
      await stop.drain();
      await harnesses.close();
      await Promise.all([sandbox.close(), fetch.close(), delegates.close()]);
      await watch.close();
      await database.close();
    },
  });
}

const openDocuments = (
  settings: Settings,
  database: Database,
  registry: CapabilityRegistry,
  onError: (error: unknown) => void,
): Promise<CapabilityDocuments> =>
  openCapabilityDocuments({
    ...{ database, registry, onError, folder: join(settings.CAPSTAN_DATA_DIR, "capabilities") },
    secret: (name) => settings.secrets[name],
  });

/** What everything else stands on: the database, the registry with built-ins and catalog, network, sandbox and stores. */
async function openGround(
  settings: Settings,
  config: CapstanConfig,
  ownModels: Readonly<Record<string, ResolvedModel>>,
  withRetry: DatabaseRetry,
) {
  const [opened, sandbox] = await Promise.all([
    withRetry(() =>
      openDatabase({
        ...{ dataDir: settings.CAPSTAN_DATA_DIR, url: settings.DATABASE_URL },
        replicaUrl: settings.DATABASE_REPLICA_URL,
        maxConnections: Math.floor(settings.CAPSTAN_DATABASE_CONNECTIONS / 2),
      }),
    ),
    openSandbox(),
  ]);
  if (!opened.ok) return opened;
  const database = opened.value;
  const search = searchSettings(settings);
  const registry = CapabilityRegistry.of(builtinCapabilities({ sandbox, search }));
  const secret = settings.CAPSTAN_SECRET ?? dataFolderSecret(settings.CAPSTAN_DATA_DIR);
  const stores = openStores(database, settings, secret);
  const fetch = createGuardedFetch({ allowHosts: settings.CAPSTAN_ALLOW_HOSTS });
  const models = openServerModels(settings, stores.providers, ownModels);
  const { providers } = stores;
  const sources = {
    ...{ settings, database, models, providers, fetch, secret },
    search: search[0],
    embed: staticEmbedding,
  };
  for (const capability of serverCatalog(sources)) registry.register(capability);
  const added = registerConfig(registry, config, settings.secrets);
  if (added.ok) return ok({ database, sandbox, fetch, registry, stores, secret, models });
  await Promise.all([database.close(), sandbox.close(), fetch.close()]);
  return added;
}

/** Draining happens once, whoever asks first. */
function openStop(drainRuns: () => Promise<void>) {
  const stopping = new AbortController();
  let drained: Promise<void> | undefined;
  return {
    stopping: stopping.signal,
    draining: () => drained !== undefined,
    drain: () => {
      drained ??= drainRuns().finally(() => stopping.abort());
      return drained;
    },
  };
}

/** What is kept in the database, each by its own store. */
function openStores(database: Database, settings: Settings, secret: string) {
  return {
    agents: agentStore(database),
    users: userStore(database),
    sessions: sessionStore(database),
    audit: openAuditLog(database),
    keys: keyStore(database),
    tokens: tokenStore(database),
    breakers: breakerStore(database.pool),
    providers: openProviders(settings, providerStore(database, secretBox(secret))),
    telemetry: openTelemetry({ database, logFile: settings.CAPABILITY_TELEMETRY_LOG_FILE }),
  };
}

function openTasks(
  tier: RouteTier,
  { database, ...parts }: Omit<TaskParts, "index" | "chooseTool" | "tasks"> & { database: Database },
): TaskRunner {
  return openTaskRunner({
    ...parts,
    index: lazyIndex(parts.registry, tier),
    chooseTool: openToolChooser(parts.registry, tier),
    tasks: taskStore(database.pool, uuidv7()),
  });
}

function lazyIndex(registry: CapabilityRegistry, tier: RouteTier): () => TieredIndex {
  let index: TieredIndex | undefined;
  const open = () => {
    index ??= keepInStep(tier.openIndex(), registry);
    return index;
  };
  if (tier.name === "minilm") setImmediate(open); // it reads the catalog meanwhile
  return open;
}

function registerConfig(
  registry: CapabilityRegistry,
  { capabilities = [], documents = [] }: CapstanConfig,
  secrets: Settings["secrets"],
): Result<true> {
  const settings = (name: string) => secrets[name];
  const read = documents.map((document) => readDeclarative(document, { settings }));
  const callable = capabilities.map((each) => {
    const own = withOwnRoute(each, registry.list());
    return own.ok ? withRouteTool(own.value, settings) : own;
  });
  for (const capability of [...callable, ...read]) {
    const registered = capability.ok ? registry.register(capability.value) : capability;
    if (!registered.ok) return registered;
  }
  return ok(true);
}

/** The providers that are set up, the usual one first: SearXNG before the ones that cost money. */
function searchSettings({ SEARXNG_URL, BRAVE_API_KEY, TAVILY_API_KEY }: Settings): SearchSettings[] {
  return [
    ...(SEARXNG_URL ? [{ provider: "searxng" as const, baseUrl: SEARXNG_URL }] : []),
    ...(BRAVE_API_KEY ? [{ provider: "brave" as const, apiKey: BRAVE_API_KEY }] : []),
    ...(TAVILY_API_KEY ? [{ provider: "tavily" as const, apiKey: TAVILY_API_KEY }] : []),
  ];
}
