/**
 * Opens every feature once, in order. Each declares its dependencies and returns its routes and a `close`; nothing is
 * global.
 */
import { type CapstanConfig, ok } from "@capstan/core";
import {
  accessRequests,
  type Database,
  type DatabaseRetry,
  FIRST_ORGANISATION,
  openObservations,
  type ResolvedModel,
  type RunPlaces,
  storedSecrets,
} from "@capstan/runtime";
import { a2aRoutes } from "../a2a/a2a-routes.ts";
import { agUiRoutes } from "../ag-ui/ag-ui-routes.ts";
import { agentRoutes } from "../agents/agent-routes.ts";
import { revisionRoutes } from "../agents/revision-routes.ts";
import { aiSdkRoutes } from "../ai-sdk/ai-sdk-routes.ts";
import type { LocalCallerParts } from "../auth/local-caller.ts";
import { budgetRoutes } from "../budgets/budget-routes.ts";
import { documentNotes, documentRoutes, openDocuments } from "../capabilities/open-documents.ts";
import { openCodingAgents } from "../coding-agents/open-coding-agents.ts";
import { openConnections } from "../connections/open-connections.ts";
import { openDatasets } from "../datasets/open-datasets.ts";
import { openExperiments } from "../experiments/open-experiments.ts";
import { closeFeatures, type Feature } from "../http/feature.ts";
import { mcpRoutes } from "../mcp/mcp-routes.ts";
import { memoryRoutes } from "../memories/memory-routes.ts";
import { modelRoutes } from "../models/model-routes.ts";
import { openMonitors } from "../monitors/open-monitors.ts";
import { openOAuth } from "../oauth/open-oauth.ts";
import { openObservability, operationRoutes } from "../observability/observability.ts";
import { openAiRoutes } from "../openai/openai-routes.ts";
import type { OrganisationHost } from "../organisations/organisation-host.ts";
import { organisationRoutes } from "../organisations/organisation-routes.ts";
import { openServerPackages } from "../packages/open-packages.ts";
import { openPeople } from "../people/open-people.ts";
import { continueSession } from "../programs/continue-session.ts";
import { openPrograms } from "../programs/open-programs.ts";
import { openReplays } from "../replays/open-replays.ts";
import { ruleRoutes } from "../rules/rule-routes.ts";
import { openRuns } from "../runs/open-runs.ts";
import { openScim } from "../scim/open-scim.ts";
import { openSessions } from "../sessions/open-sessions.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import { openSharing } from "../sharing/open-sharing.ts";
import { openRouteTier } from "../tasks/open-route-tier.ts";
import { openTasks } from "../tasks/open-tasks.ts";
import { textCheckRoutes } from "../text-checks/text-check-routes.ts";
import { openTriggers } from "../triggers/open-triggers.ts";
import { openUsers } from "../users/open-users.ts";
import { type OrganisationFoundations, openFoundations } from "./foundations.ts";

/** Options of a server besides its settings. */
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

/** What the server gives to the features of each organisation. */
export interface FeatureExtras extends ServerExtras {
  readonly host: OrganisationHost;
  /** The slots for runs of all organisations. */
  readonly places: RunPlaces;
  /** Set for organisations after the first. */
  readonly organisation?: OrganisationFoundations;
}

export type OpenFeatures = Extract<Awaited<ReturnType<typeof openFeatures>>, { ok: true }>["value"];

export async function openFeatures(settings: Settings, log: Log, extras: FeatureExtras) {
  const { config = {}, environment = {}, models: ownModels = {}, withRetry = (step) => step() } = extras;
  const onError = errorsTo(log);
  const tier = openRouteTier(settings, log);
  if (!tier.ok) return tier;
  const given = { config, ownModels, environment, withRetry, log, onError };
  const opened = await openFoundations({ ...extras, settings, ...given });
  if (!opened.ok) return opened;
  const { stores, ...foundations } = opened.value;
  const { database, registry, sandbox, models, secret } = foundations;
  const { programs } = extras.organisation ?? {};
  const around = { settings, environment, programs, log, onError, withRetry, routeTier: tier.value };
  const common = { ...foundations, ...stores, ...around, ...placeIn(extras, database) };

  const documents = await withRetry(() => openDocuments(common));
  const packages = await openServerPackages({ ...common, ...toolsOf(extras), note: log.info });
  const watch = openObservability(common);
  const observations = openObservations(database, onError);
  const codingAgents = openCodingAgents({ ...common, adapters: config.codingAgents ?? [] });
  const { add: observed } = observations;
  const runs = await openRuns({ ...common, ...watch, ...packages, ...codingAgents, observed });
  registry.register(accessRequests({ ...stores, composer: runs.composer, approvals: runs.runs.approvals }));
  const parts = { ...common, ...runs, ...packages, ...codingAgents, documents, observations };
  const scoring = { ...parts, ...watch, scorers: config.scorers ?? [], scored: watch.cellScored };
  const notes = () => [...sandbox.isolation.notes, ...documentNotes(documents)];

  const features: readonly Feature[] = [
    { routes: operationRoutes({ ...parts, ...watch, notes }), close: watch.close },
    { routes: documentRoutes(parts), close: () => documents.close() },
    { routes: [agentRoutes(parts), revisionRoutes(parts), modelRoutes(parts), organisationRoutes(parts)] },
    openSessions({ ...parts, continueSession: (...asked) => continueSession(parts, ...asked) }),
    openSharing(parts),
    openPrograms(parts),
    { routes: [ruleRoutes(parts), budgetRoutes(parts), textCheckRoutes(parts), memoryRoutes(parts)] },
    await openReplays(parts),
    openDatasets(parts),
    await openExperiments(scoring),
    await openMonitors(scoring),
    openUsers({ ...parts, webhookKey: secret }),
    openOAuth(parts),
    openConnections(parts),
    openPeople(parts),
    openScim(parts),
    packages,
    codingAgents,
    runs,
    { routes: [agUiRoutes, mcpRoutes, a2aRoutes, openAiRoutes, aiSdkRoutes].map((routes) => routes(parts)) },
    openTasks(parts),
    await openTriggers(parts),
    await openStoredSecrets(parts),
  ];
  return ok({
    ...stores,
    settings,
    log,
    database,
    registry,
    models,
    documents,
    notes,
    codingAgents: codingAgents.codingAgents,
    runs: runs.runs,
    stopping: runs.stopping,
    drain: runs.drain,
    routes: features.flatMap(({ routes }) => routes),
    async close() {
      await closeFeatures(features);
      await foundations.close();
    },
  });
}

/** Which organisation the features are of, and who knows the others. */
const placeIn = ({ host, places }: FeatureExtras, { organisation }: Database) => ({
  host,
  places,
  organisation: organisation?.id ?? FIRST_ORGANISATION,
});

/** Where package managers search, for organisations after the first. */
const toolsOf = ({ organisation }: FeatureExtras) =>
  organisation ? { environment: organisation.toolEnvironment } : {};

const errorsTo =
  (log: Log) =>
  (error: unknown, what = "background work") =>
    log.error({ what, error });

/** After every source of capabilities: what they mark as secret does not stay in the database as plain text. */
async function openStoredSecrets(
  parts: Parameters<typeof storedSecrets>[0] & { readonly withRetry: DatabaseRetry },
): Promise<Feature> {
  const secrets = storedSecrets(parts);
  await parts.withRetry(() => secrets.seal());
  return { routes: [], close: () => secrets.close() };
}
