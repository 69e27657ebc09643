/** Everything the routes stand on, opened once. Routes take the parts they name; nothing else is global. */
import { join } from "node:path";
import { type BuiltinOptions, builtinCapabilities, countTokens } from "@capstan/builtins";
import { CapabilityRegistry, type CapstanConfig, ok, type Result } from "@capstan/core";
import {
  type AgentStore,
  type AuditLog,
  agentStore,
  type CapabilityDocuments,
  type Composer,
  createComposer,
  createGate,
  createGuardedFetch,
  type Database,
  dataFolderSecret,
  type Gate,
  type KeyStore,
  keyStore,
  openAuditLog,
  openCapabilityDocuments,
  openDatabase,
  openSandbox,
  openTelemetry,
  providerStore,
  type Runs,
  readDeclarative,
  type SessionStore,
  secretBox,
  sessionStore,
  type Telemetry,
  type UserStore,
  userStore,
} from "@capstan/runtime";
import { openEngine } from "./engine.ts";
import type { Log } from "./log.ts";
import { openServerModels, type ServerModels } from "./models.ts";
import { openProviders, type Providers } from "./providers.ts";
import type { Settings } from "./settings.ts";
import { toolContexts } from "./tool-context.ts";

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
  readonly providers: Providers;
  readonly telemetry: Telemetry;
  readonly documents: CapabilityDocuments;
  readonly composer: Composer;
  readonly gate: Gate;
  readonly models: ServerModels;
  readonly runs: Runs;
  close(): Promise<void>;
}

const DRAIN_MS = 5000; // how long a stop waits for steps that are on
const MAX_TOOL_OUTPUT_CHARS = 100_000; // about 25k tokens; more crowds out the conversation

export async function openServices(
  settings: Settings,
  log: Log,
  config: CapstanConfig = {},
): Promise<Result<Services>> {
  const [opened, sandbox] = await Promise.all([
    openDatabase({ dataDir: settings.CAPSTAN_DATA_DIR, url: settings.DATABASE_URL }),
    openSandbox(),
  ]);
  if (!opened.ok) return opened;
  const database = opened.value;
  const registry = CapabilityRegistry.of(builtinCapabilities({ sandbox, search: searchSettings(settings) }));
  const added = registerConfig(registry, config);
  if (!added.ok) {
    await database.close();
    return added;
  }
  const fetch = createGuardedFetch({ allowHosts: settings.CAPSTAN_ALLOW_HOSTS });
  const secret = settings.CAPSTAN_SECRET ?? dataFolderSecret(settings.CAPSTAN_DATA_DIR);
  const box = secretBox(secret);
  const agents = agentStore(database);
  const users = userStore(database);
  const telemetry = openTelemetry({ database, logFile: settings.CAPABILITY_TELEMETRY_LOG_FILE });
  const documents = await openCapabilityDocuments({
    database,
    registry,
    folder: join(settings.CAPSTAN_DATA_DIR, "capabilities"),
    onError: (error) => log.error({ what: "capability documents", error }),
  });
  const composer = createComposer({ agents, users, registry, countTokens });
  const audit = openAuditLog(database);
  const providers = openProviders(settings, providerStore(database, box));
  const models = openServerModels(settings, providers);
  const gate = createGate({
    contextFor: toolContexts({ database, settings, fetch, sandbox }),
    record: telemetry.recordCall,
    now: () => new Date(),
    maxOutputChars: MAX_TOOL_OUTPUT_CHARS,
  });
  const runs = await openEngine({ settings, log, database, gate, composer, models, audit, fetch, secret });
  return ok({
    settings,
    log,
    database,
    registry,
    agents,
    users,
    sessions: sessionStore(database),
    audit,
    keys: keyStore(database),
    providers,
    telemetry,
    documents,
    composer,
    gate,
    models,
    runs,
    async close() {
      documents.close();
      await runs.drain(DRAIN_MS);
      await Promise.all([sandbox.close(), fetch.close(), telemetry.close()]);
      await database.close();
    },
  });
}

function registerConfig(
  registry: CapabilityRegistry,
  { capabilities = [], documents = [] }: CapstanConfig,
): Result<true> {
  const read = documents.map((document) => readDeclarative(document));
  for (const capability of [...capabilities.map((value) => ok(value)), ...read]) {
    const registered = capability.ok ? registry.register(capability.value) : capability;
    if (!registered.ok) return registered;
  }
  return ok(true);
}

/** The first provider that is set up; SearXNG before the ones that cost money. */
function searchSettings({ SEARXNG_URL, BRAVE_API_KEY, TAVILY_API_KEY }: Settings): BuiltinOptions["search"] {
  if (SEARXNG_URL) return { provider: "searxng", baseUrl: SEARXNG_URL };
  if (BRAVE_API_KEY) return { provider: "brave", apiKey: BRAVE_API_KEY };
  return TAVILY_API_KEY ? { provider: "tavily", apiKey: TAVILY_API_KEY } : undefined;
}
