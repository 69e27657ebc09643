/** Opens every feature once, in order. Each names what it needs; routes take the parts they name, nothing is global. */
import { join } from "node:path";
import { countTokens } from "@capstan/builtins";
import type { SecurityLine } from "@capstan/client/wire";
import { type CapabilityRegistry, type CapstanConfig, ok, type Result, type Sandbox } from "@capstan/core";
import {
  type AgentStore,
  type AuditLog,
  accessRequests,
  type BreakerStore,
  type CallRecord,
  type CapabilityDocuments,
  type CapabilitySecrets,
  type Composer,
  createComposer,
  createGate,
  type Database,
  type DatabaseRetry,
  delegation,
  type Gate,
  type KeyStore,
  type Observations,
  openCapabilityDocuments,
  openObservations,
  type Packages,
  probeCommandIsolation,
  type ResolvedModel,
  type RouteTier,
  type Runs,
  type SessionStore,
  type TaskRunner,
  type Telemetry,
  type TokenStore,
  type UserStore,
} from "@capstan/runtime";
import type { LocalCallerParts } from "../auth/local-caller.ts";
import { toolContexts } from "../capabilities/tool-context.ts";
import { codingAgents, type LazyCodingAgents } from "../coding-agents/coding-agents.ts";
import { type Harnesses, openHarnesses } from "../harness/open-harnesses.ts";
import type { ServerModels } from "../models/models.ts";
import type { Providers } from "../models/providers.ts";
import { openObservability } from "../observability/observability.ts";
import type { RunTotals } from "../observability/run-totals.ts";
import { securityReport } from "../observability/security-report.ts";
import { openServerPackages } from "../packages/packages.ts";
import { type EngineParts, openEngine } from "../runs/run-engine.ts";
import { type SessionFiles, sessionFiles } from "../sessions/session-files.ts";
import { openSessionManifests } from "../sessions/session-manifests.ts";
import type { Log } from "../settings/log.ts";
import { boundSecrets, type Settings } from "../settings/settings.ts";
import { openRouteTier } from "../tasks/open-route-tier.ts";
import { openTasks } from "../tasks/open-tasks.ts";
import { openServerTriggers, type ServerTriggers } from "../triggers/triggers.ts";
import { openFoundations } from "./foundations.ts";

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
  readonly capabilitySecrets: CapabilitySecrets;
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
  readonly packages: Packages;
  readonly triggers: ServerTriggers;
  /** What whoever runs the server should know: what the sandbox lacks here, documents that cannot be used. */
  readonly notes: () => readonly string[];
  /** What this installation promises, and what it does not. */
  readonly security: () => Promise<SecurityLine[]>;
  /** Receivers of webhooks verify with it. */
  readonly webhookKey: string;
  /** What tasks are ranked by, beside their words. */
  readonly routeTier: RouteTier;
  /** Fires when the server stops: streams end with a hint to connect again. */
  readonly stopping: AbortSignal;
  readonly draining: () => boolean;
  /** Lets running steps finish, hands the rest over, and ends the streams. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** What a server may be given beside its settings. */
export interface ServerExtras {
  /** How the server's own user is recognised; tests take away what the system tells. */
  readonly localCallers?: LocalCallerParts;
  readonly config?: CapstanConfig;
  /** What coding agents started by the server may see a part of. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Models beside the providers', by their whole name; for programs that bring their own. */
  readonly models?: Readonly<Record<string, ResolvedModel>>;
  /** Retries steps that need the database; without it each is tried once. */
  readonly withRetry?: DatabaseRetry;
}

const DRAIN_MS = 5000; // how long a stop waits for running steps
const MAX_TOOL_OUTPUT_CHARS = 100_000; // about 25k tokens; more crowds out the conversation
const now = () => new Date();

export async function openServices(
  settings: Settings,
  log: Log,
  { config = {}, environment = {}, models: ownModels = {}, withRetry = (step) => step() }: ServerExtras = {},
): Promise<Result<Services>> {
  const routing = openRouteTier(settings, log);
  if (!routing.ok) return routing;
  const opened = await openFoundations({ settings, config, ownModels, environment, withRetry });
  if (!opened.ok) return opened;
  const { stores, sandbox, fetch, secret, ...foundations } = opened.value;
  const { database, registry } = foundations;
  const onError = (error: unknown, what = "background work") => log.error({ what, error });
  const common = { ...foundations, ...stores, settings, log, fetch, secret, onError };
  const documents = await withRetry(() => openDocuments(common));
  const packages = await openServerPackages({ ...common, environment, withRetry, note: log.info });
  const watch = openObservability(common);
  const observations = openObservations(database, onError);
  const commandIsolation = probeOnce(settings);
  const delegates = codingAgents(settings, environment, config.codingAgents);
  const agents = await openAgents({
    ...common,
    sandbox,
    packages,
    codingAgents: delegates,
    withRetry,
    record: watch.recordCall,
    observed: observations.add,
    ended: watch.runEnded,
  });
  const { composer, harnesses, runs } = agents;
  registry.register(accessRequests({ ...stores, composer, approvals: runs.approvals }));
  const taskRunner = openTasks({ ...common, ...agents, tier: routing.value });
  const triggers = await openServerTriggers({ ...common, ...agents });
  const stop = openStop(() => runs.drain(DRAIN_MS));
  return ok({
    ...foundations,
    ...stores,
    ...stop,
    settings,
    log,
    documents,
    ...agents,
    observations,
    runTotals: watch.runTotals,
    notes: () => [...sandbox.isolation.notes, ...documentNotes(documents)],
    codingAgents: delegates,
    taskRunner,
    packages,
    triggers,
    routeTier: routing.value,
    security: () => securityReport({ settings, keys: stores.keys, sandbox, commandIsolation }),
    webhookKey: secret,
    close: () =>
      closeInOrder([
        documents,
        taskRunner,
        routing.value,
        triggers,
        packages,
        { close: stop.drain },
        harnesses,
        sandbox,
        fetch,
        delegates,
        watch,
        database,
      ]),
  });
}

interface AgentParts extends Omit<EngineParts, "composer" | "gate" | "harnesses" | "files"> {
  readonly agents: AgentStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly registry: CapabilityRegistry;
  readonly sandbox: Sandbox;
  readonly packages: Packages;
  readonly codingAgents: LazyCodingAgents;
  readonly withRetry: DatabaseRetry;
  readonly record: (call: CallRecord) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** Agents and what runs them. Composing an agent that delegates needs the engine, so its tool reads `runs` when it is called. */
async function openAgents(parts: AgentParts) {
  const { settings, database, agents, users, sessions, registry, fetch, sandbox, record, onError } = parts;
  const offerAgents = delegation({ pool: database.pool, agents, registry, runs: () => runs });
  const composer = createComposer({ agents, users, registry, countTokens, offerAgents });
  const withManifest = openSessionManifests({ composer, sessions, packages: parts.packages, now });
  const files = sessionFiles(database, settings, withManifest);
  const contextFor = toolContexts({ database, files, fetch, sandbox });
  const gate = createGate({ contextFor, record, now, maxOutputChars: MAX_TOOL_OUTPUT_CHARS });
  const folder = join(settings.CAPSTAN_DATA_DIR, "harness");
  const harnesses = openHarnesses({
    codingAgents: parts.codingAgents,
    files,
    folder,
    dataDir: settings.CAPSTAN_DATA_DIR,
    onError,
  });
  const runs: Runs = await parts.withRetry(() => openEngine({ ...parts, composer, gate, harnesses, files }));
  return { composer, files, gate, harnesses, runs };
}

interface Closable {
  close(): void | Promise<void>;
}

async function closeInOrder(parts: readonly Closable[]): Promise<void> {
  for (const part of parts) await part.close();
}

interface DocumentParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly registry: CapabilityRegistry;
  readonly onError: (error: unknown) => void;
}

const openDocuments = ({
  settings,
  database,
  registry,
  onError,
}: DocumentParts): Promise<CapabilityDocuments> =>
  openCapabilityDocuments({
    database,
    registry,
    onError,
    folder: join(settings.CAPSTAN_DATA_DIR, "capabilities"),
    secret: boundSecrets(settings),
  });

const documentNotes = (documents: CapabilityDocuments): string[] =>
  documents.faults().map(({ file, why }) => `${file} is not used: ${why}`);

/** Probing starts a process or two, so it is done when somebody asks, once. */
function probeOnce(settings: Settings) {
  let probed: ReturnType<typeof probeCommandIsolation> | undefined;
  const allowsUnseparated = settings.CAPSTAN_ALLOW_UNSEPARATED_PACKAGES;
  return () => (probed ??= probeCommandIsolation({ allowsUnseparated }));
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
