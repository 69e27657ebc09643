/** Everything the routes stand on, opened once. Routes take the parts they name; nothing else is global. */
import { builtinCapabilities, countTokens } from "@capstan/builtins";
import { CapabilityRegistry, ok, type Result } from "@capstan/core";
import {
  type AgentStore,
  type AuditLog,
  agentStore,
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
  openDatabase,
  openTelemetry,
  providerStore,
  type SessionStore,
  secretBox,
  sessionStore,
  type Telemetry,
  type UserStore,
  userStore,
} from "@capstan/runtime";
import type { Log } from "./log.ts";
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
  readonly composer: Composer;
  readonly gate: Gate;
  close(): Promise<void>;
}

const MAX_TOOL_OUTPUT_CHARS = 100_000; // about 25k tokens; more crowds out the conversation

export async function openServices(settings: Settings, log: Log): Promise<Result<Services>> {
  const opened = await openDatabase({ dataDir: settings.CAPSTAN_DATA_DIR, url: settings.DATABASE_URL });
  if (!opened.ok) return opened;
  const database = opened.value;
  const box = secretBox(settings.CAPSTAN_SECRET ?? dataFolderSecret(settings.CAPSTAN_DATA_DIR));
  const registry = CapabilityRegistry.of(builtinCapabilities());
  const agents = agentStore(database);
  const users = userStore(database);
  const composer = createComposer({ agents, users, registry, countTokens });
  const telemetry = openTelemetry({ database, logFile: settings.CAPABILITY_TELEMETRY_LOG_FILE });
  const gate = createGate({
    contextFor: toolContexts({
      database,
      settings,
      fetch: createGuardedFetch({ allowHosts: settings.CAPSTAN_ALLOW_HOSTS }),
    }),
    record: telemetry.recordCall,
    now: () => new Date(),
    maxOutputChars: MAX_TOOL_OUTPUT_CHARS,
  });
  return ok({
    settings,
    log,
    database,
    registry,
    agents,
    users,
    sessions: sessionStore(database),
    audit: openAuditLog(database),
    keys: keyStore(database),
    providers: openProviders(settings, providerStore(database, box)),
    telemetry,
    composer,
    gate,
    async close() {
      await telemetry.close();
      await database.close();
    },
  });
}
