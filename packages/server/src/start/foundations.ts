/** What every feature needs: the database and its stores, the registry with built-ins and catalog, network, sandbox, models. */
import { builtinCapabilities, meaningAnchors, type SearchSettings, staticEmbedding } from "@capstan/builtins";
import { CapabilityRegistry, type CapstanConfig, type GuardedFetch, ok, type Result } from "@capstan/core";
import type { RoleRule } from "@capstan/core/internal";
import {
  adminCheck,
  agentSharings,
  agentStore,
  type BoundSecrets,
  breakerStore,
  budgetLedger,
  budgetStore,
  clientLoginStore,
  configSeal,
  connectionLogins,
  connectionProviderStore,
  connectionStore,
  createGuardedFetch,
  type Database,
  type DatabaseRetry,
  dataFolderSecret,
  derivedKey,
  keyStore,
  loginStore,
  memoryStore,
  monitorStore,
  openAuditLog,
  openCapabilitySecrets,
  openDatabase,
  openDirectory,
  openSandbox,
  openTelemetry,
  peopleStore,
  providerStore,
  type ResolvedModel,
  readDeclarative,
  revisionStore,
  ruleStore,
  secretBox,
  sessionLinkStore,
  sessionStore,
  settingStore,
  textCheckStore,
  tokenStore,
  usageStore,
  userStore,
  webhookKey,
  withOwnRoute,
  withRouteTool,
  workAskers,
} from "@capstan/runtime";
import { budgetAlerts } from "../budgets/budget-alerts.ts";
import { serverCatalog } from "../capabilities/catalog.ts";
import type { MachinePrograms } from "../coding-agents/known-agent.ts";
import { openModelFinder } from "../models/find-models.ts";
import { openServerModels } from "../models/models.ts";
import { openProviders, type Providers } from "../models/providers.ts";
import type { IdentityChecks } from "../people/identity-types.ts";
import { openIdentityChecks } from "../people/open-identity-checks.ts";
import type { Log } from "../settings/log.ts";
import { boundSecrets, type Settings } from "../settings/settings.ts";
import { VERSION } from "../settings/version.ts";

export interface FoundationOptions {
  readonly settings: Settings;
  readonly config: CapstanConfig;
  readonly ownModels: Readonly<Record<string, ResolvedModel>>;
  /** Where to look for models and coding agents on this machine. */
  readonly environment: Readonly<Record<string, string>>;
  readonly withRetry: DatabaseRetry;
  readonly log: Log;
  readonly onError: (error: unknown, what: string) => void;
  /** Set for an organisation after the first. */
  readonly organisation?: OrganisationFoundations | undefined;
}

export interface OrganisationFoundations {
  readonly database: Database;
  /** Clients register at the server, for all its organisations. */
  readonly registrationKey: Buffer;
  /** People's identities belong to the first organisation. */
  readonly identityChecks: IdentityChecks;
  readonly programs: MachinePrograms;
  /** Where pip and npm find the operator's registries. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
}

export async function openFoundations(options: FoundationOptions) {
  const { settings, config, ownModels, environment, withRetry, organisation, log, onError } = options;
  const [opened, sandbox] = await Promise.all([
    organisation ? ok(organisation.database) : withRetry(() => openStore(settings)),
    openSandbox(),
  ]);
  if (!opened.ok) return opened;
  const database = opened.value;
  const search = searchSettings(settings);
  const registry = CapabilityRegistry.of(builtinCapabilities({ sandbox, search }));
  const secret = settings.CAPSTAN_SECRET ?? dataFolderSecret(settings.CAPSTAN_DATA_DIR);
  const signingKey = webhookKey(secret);
  const fetch = createGuardedFetch({ allowHosts: settings.CAPSTAN_ALLOW_HOSTS });
  const stores = {
    ...openStores(database, settings, secret, registry, organisation?.identityChecks),
    ...openAccounts(database, settings, secret, fetch),
    registrationKey: organisation?.registrationKey ?? derivedKey(secret, "client registrations"),
  };
  registry.onChange(() => database.policyChanges.apply());
  const models = openModelsHere(settings, database, stores.providers, environment, ownModels);
  const alert = budgetAlerts({ audit: stores.audit, log, onError });
  const ledger = budgetLedger({ database, store: stores.budgets, alert });
  const catalog = serverCatalog({
    ledger,
    settings,
    database,
    models,
    providers: stores.providers,
    fetch,
    secret: signingKey,
    search: search[0],
    embed: staticEmbedding,
  });
  for (const capability of catalog) registry.register(capability);
  const added = registerConfig(registry, config, boundSecrets(settings));
  const close = async () => {
    for (const part of [sandbox, fetch, database]) await part.close();
  };
  if (added.ok)
    return ok({ database, sandbox, fetch, registry, stores, ledger, secret: signingKey, models, close });
  await close();
  return added;
}

const openStore = (settings: Settings) =>
  openDatabase({
    dataDir: settings.CAPSTAN_DATA_DIR,
    url: settings.DATABASE_URL,
    replicaUrl: settings.DATABASE_REPLICA_URL,
    directUrl: settings.DATABASE_DIRECT_URL,
    connections: settings.CAPSTAN_DATABASE_CONNECTIONS,
    version: VERSION,
  });

function openModelsHere(
  settings: Settings,
  database: Database,
  providers: Providers,
  environment: FoundationOptions["environment"],
  own: FoundationOptions["ownModels"],
) {
  const finder = openModelFinder({ enabled: settings.CAPSTAN_FIND_MODELS === "on", environment, providers });
  void finder.look(); // the banner waits for it, the server does not
  return openServerModels({ settings, providers, choices: settingStore(database), finder, own });
}

/** What is kept in the database, each by its own store. */
function openStores(
  database: Database,
  settings: Settings,
  secret: string,
  registry: CapabilityRegistry,
  ofFirst: IdentityChecks | undefined,
) {
  const seal = configSeal(registry, secretBox(secret));
  const revisions = revisionStore(database, seal.seal);
  const tokens = tokenStore(database);
  const fixedRules = operatorRules(settings);
  const audit = openAuditLog(database, { secret, dataDir: settings.CAPSTAN_DATA_DIR });
  const logins = loginStore({ database, hours: settings.CAPSTAN_LOGIN_HOURS });
  const checks = ofFirst ?? openIdentityChecks({ database, settings, secret, logins, audit });
  const freshen = (email: string) => checks.freshen(email);
  const users = userStore(database, fixedRules, freshen);
  const keys = keyStore(database);
  const isAdmin = adminCheck({ users, keys });
  const sharing = agentSharings({ database, isAdmin });
  return {
    configSeal: seal,
    sharing,
    isAdmin,
    workAskers: workAskers({ users, sharing, isAdmin, database }),
    sessionLinks: sessionLinkStore(database),
    agents: agentStore(database, seal.seal),
    rules: ruleStore(database, registry),
    budgets: budgetStore(database),
    textChecks: textCheckStore(database),
    users,
    people: peopleStore({ database, fixedRules, freshen }),
    identityChecks: checks,
    directory: openDirectory(database),
    fixedRules,
    logins,
    deviceBox: secretBox(derivedKey(secret, "device logins").toString("base64url")),
    attemptBox: secretBox(derivedKey(secret, "sign-in attempts").toString("base64url")),
    memories: memoryStore({ database, embed: staticEmbedding, anchors: meaningAnchors }),
    revisions,
    monitors: monitorStore(database.pool),
    sessions: sessionStore(database, revisions.assign),
    audit,
    keys,
    tokens,
    clientLogins: clientLoginStore({ database, tokens }),
    breakers: breakerStore(database.pool),
    capabilitySecrets: openCapabilitySecrets({ database, box: secretBox(secret), isAdmin }),
    providers: openProviders(
      settings,
      providerStore(database, secretBox(secret)),
      database.organisation === undefined,
    ),
    usage: usageStore(database),
    telemetry: openTelemetry({ database, logFile: settings.CAPABILITY_TELEMETRY_LOG_FILE }),
  };
}

/** Users' accounts at other services. */
function openAccounts(database: Database, settings: Settings, secret: string, fetch: GuardedFetch) {
  const box = secretBox(secret);
  const connectionProviders = connectionProviderStore(database, box, settings.CAPSTAN_CONNECTION_CLIENTS);
  const connections = connectionStore({ database, box, fetch });
  const logins = connectionLogins({ database, box, fetch, providers: connectionProviders, connections });
  return { connectionProviders, connections, connectionLogins: logins };
}

function registerConfig(
  registry: CapabilityRegistry,
  { capabilities = [], documents = [] }: CapstanConfig,
  settings: BoundSecrets,
): Result<true> {
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

/** Who is an admin before the first rule exists. */
const operatorRules = ({ CAPSTAN_OIDC_ADMINS }: Settings): RoleRule[] =>
  CAPSTAN_OIDC_ADMINS.map((each) => ({ ...each, role: "admin", scopes: [] }));

/** The configured search providers; SearXNG before those that cost money. */
function searchSettings({ SEARXNG_URL, BRAVE_API_KEY, TAVILY_API_KEY }: Settings): SearchSettings[] {
  return [
    ...(SEARXNG_URL ? [{ provider: "searxng" as const, baseUrl: SEARXNG_URL }] : []),
    ...(BRAVE_API_KEY ? [{ provider: "brave" as const, apiKey: BRAVE_API_KEY }] : []),
    ...(TAVILY_API_KEY ? [{ provider: "tavily" as const, apiKey: TAVILY_API_KEY }] : []),
  ];
}
