/**
 * Agents at work: composed, called through the gate, driven by the engine or by a coding agent's program. Composing an
 * agent that delegates needs the engine, so its tool reads `runs` when it is called.
 */
import { join } from "node:path";
import { countTokens } from "@capstan/builtins";
import type { CapabilityRegistry, Sandbox } from "@capstan/core";
import {
  type AgentAuthors,
  type AgentReleases,
  type AgentSharings,
  type AgentStore,
  type AuditLog,
  agentAuthors,
  agentReleases,
  type BudgetLedger,
  type CallRecord,
  type ClosableFetch,
  type Composer,
  type ConfigSeal,
  type ConnectionProviders,
  type ConnectionStore,
  callConnections,
  copyFiles,
  createComposer,
  createGate,
  createRuns,
  type Database,
  type DatabaseRetry,
  delegation,
  type EndedRun,
  type Gate,
  type KeyStore,
  labelStore,
  type MemoryStore,
  type Packages,
  type RevisionStore,
  type RuleStore,
  type RunObservation,
  type RunPlaces,
  type Runs,
  type SessionStore,
  singleCapability,
  type Telemetry,
  type TextCheckStore,
  type UserStore,
  type WebhookAttempt,
} from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import { toolContexts } from "../capabilities/tool-context.ts";
import type { LazyCodingAgents, MachinePrograms } from "../coding-agents/known-agent.ts";
import { type Harnesses, openHarnesses } from "../harness/open-harnesses.ts";
import type { Feature } from "../http/feature.ts";
import type { ServerModels } from "../models/models.ts";
import { type SessionFiles, sessionFiles } from "../sessions/session-files.ts";
import { openSessionManifests } from "../sessions/session-manifests.ts";
import type { Log } from "../settings/log.ts";
import { ownOrigin, type Settings } from "../settings/settings.ts";
import { approvalRoutes } from "./approval-routes.ts";
import { messageRoutes } from "./message-routes.ts";
import { runRoutes } from "./run-routes.ts";
import { summaryRoutes } from "./summary-routes.ts";

const DRAIN_MS = 5000; // how long a stop waits for running steps
const MAX_TOOL_OUTPUT_CHARS = 100_000; // about 25k tokens; more crowds out the conversation
const now = () => new Date();

export interface RunParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly database: Database;
  readonly registry: CapabilityRegistry;
  readonly agents: AgentStore;
  readonly revisions: RevisionStore;
  readonly configSeal: ConfigSeal;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
  readonly telemetry: Telemetry;
  readonly models: ServerModels;
  readonly packages: Packages;
  readonly codingAgents: LazyCodingAgents;
  readonly programs?: MachinePrograms | undefined;
  readonly fetch: ClosableFetch;
  readonly sandbox: Sandbox;
  /** Signs webhooks. */
  readonly secret: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly keys: KeyStore;
  readonly withRetry: DatabaseRetry;
  readonly rules: Pick<RuleStore, "decide" | "takeCounts">;
  readonly ledger: BudgetLedger;
  readonly connections: ConnectionStore;
  readonly sharing: AgentSharings;
  readonly connectionProviders: ConnectionProviders;
  readonly memories: MemoryStore;
  readonly textChecks: Pick<TextCheckStore, "inForce">;
  /** The organisation, and the places that it shares with others. */
  readonly organisation: string;
  readonly places: RunPlaces;
  /** Each call that reached the gate. */
  readonly recordCall: (call: CallRecord) => void;
  readonly observed: (observation: RunObservation) => void;
  /** Each run that is over. */
  readonly runEnded: (run: EndedRun) => void;
  /** Each attempt to call a run's webhook. */
  readonly webhookAttempted: (attempt: WebhookAttempt) => void;
  readonly onError: (error: unknown, what: string) => void;
}

export interface RunsFeature extends Feature {
  readonly composer: Composer;
  readonly authors: AgentAuthors;
  /** The semantic versions of agents. */
  readonly releases: AgentReleases;
  /** A session's files, as everyone sees them. */
  readonly files: SessionFiles;
  readonly gate: Gate;
  readonly ledger: BudgetLedger;
  readonly runs: Runs;
  readonly harnesses: Harnesses;
  /** Fires when the server stops: streams end with a hint to reconnect. */
  readonly stopping: AbortSignal;
  readonly draining: () => boolean;
  /** Lets running steps finish, hands the rest over, and ends the streams. */
  drain(): Promise<void>;
}

export async function openRuns(parts: RunParts): Promise<RunsFeature> {
  const { settings, database, agents, users, sessions, registry, fetch, sandbox, packages, ledger } = parts;
  const offerAgents = delegation({ pool: database.pool, agents, registry, runs: () => runs });
  const authors = agentAuthors({ agents, users, keys: parts.keys, registry });
  const composer = createComposer({
    agents,
    authors,
    revisions: parts.revisions,
    users,
    registry,
    countTokens,
    offerAgents,
    policyChanges: database.policyChanges,
    unsealConfig: parts.configSeal.open,
    mayUse: parts.sharing.mayUse,
    mayChange: parts.sharing.mayChange,
  });
  const files = sessionFiles(database, settings, openSessionManifests({ composer, sessions, packages, now }));
  const labels = labelStore(database.pool);
  const gate = createGate({
    contextFor: toolContexts({ database, files, fetch, sandbox, labels, memories: parts.memories }),
    record: parts.recordCall,
    rules: parts.rules.decide,
    takeCounts: parts.rules.takeCounts,
    countCall: ledger.countCall,
    connections: callConnections({ ...parts, origin: ownOrigin(settings) }),
    labels,
    now,
    maxOutputChars: MAX_TOOL_OUTPUT_CHARS,
  });
  const harnesses = openHarnesses({ ...parts, files, folder: join(settings.CAPSTAN_DATA_DIR, "harness") });
  const runs: Runs = await parts.withRetry(() =>
    openEngine(parts, { composer, gate, ledger, harnesses, files }),
  );
  const stop = createStop(() => runs.drain(DRAIN_MS));
  const routeParts = { ...parts, composer, runs, files };
  return {
    ...stop,
    harnesses,
    composer,
    authors,
    releases: agentReleases({ database, composer }),
    files,
    gate,
    ledger,
    runs,
    routes: [
      messageRoutes(routeParts),
      summaryRoutes(routeParts),
      runRoutes(routeParts),
      approvalRoutes(routeParts),
    ],
    async close() {
      await stop.drain();
      await harnesses.close();
    },
  };
}

interface EngineParts {
  readonly composer: Composer;
  readonly gate: Gate;
  readonly ledger: BudgetLedger;
  readonly harnesses: Harnesses;
  readonly files: SessionFiles;
}

/** The run engine with the server's parts. */
async function openEngine(
  parts: RunParts,
  { composer, gate, ledger, harnesses, files }: EngineParts,
): Promise<Runs> {
  const { settings, database, onError } = parts;
  return createRuns({
    places: await parts.places.open(parts.organisation, database, onError),
    database,
    gate,
    composeFor: composer.composeFor,
    assignRevision: parts.revisions.assign,
    composeSingle: (id, config, email) => composer.composeUnsaved(singleCapability(id, config), email),
    sealConfig: parts.configSeal.seal,
    models: parts.models,
    budgets: ledger,
    textChecks: parts.textChecks.inForce,
    harness: (name) => harnesses.driver(name),
    harnessWaitMs: settings.CAPSTAN_HARNESS_WAIT_SECONDS * 1000,
    executorId: settings.CAPSTAN_EXECUTOR_ID ?? (database.kind === "pglite" ? "local" : uuidv7()),
    countTokens,
    readFile: (sessionId, path) => files(sessionId).read(path),
    deleteSession: (sessionId) => parts.sessions.delete(sessionId),
    copyFiles: (from, to) => copyFiles(database, from, to),
    rightsApprover: settings.CAPSTAN_RIGHTS_APPROVER,
    webhooks: {
      fetch: parts.fetch,
      secret: parts.secret,
      check: parts.fetch.check,
      attempted: parts.webhookAttempted,
    },
    observed: parts.observed,
    ended: parts.runEnded,
    audit: (entry) => {
      parts.audit.add({ ...entry, details: { ...entry.details } }).catch((error) => onError(error, "audit"));
    },
    onError,
  });
}

/** Draining happens once, whoever asks first. */
function createStop(drainRuns: () => Promise<void>) {
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
