export { type AccessParts, accessRequests } from "./access/access-requests.ts";
export { type AgentAuthors, adminCheck, agentAuthors } from "./agents/agent-authors.ts";
export type { AgentInput, AgentRecord } from "./agents/agent-record.ts";
export { type AgentReleases, agentReleases } from "./agents/agent-releases.ts";
export type { AgentChange } from "./agents/agent-rows.ts";
export { type AgentSharings, agentSharings, type SharedTo } from "./agents/agent-sharing.ts";
export { type AgentStore, agentStore, type Page } from "./agents/agent-store.ts";
export { type BrokenAgent, type CapabilityChange, checkChanges } from "./agents/broken-agents.ts";
export { type Composer, createComposer } from "./agents/composer.ts";
export { onKeptVersions } from "./agents/kept-version-refs.ts";
export { delegateIdOf, type OfferAgents, type OfferAgentsParts, offerAgents } from "./agents/offer-agents.ts";
export {
  type LabelRecord,
  type Revision,
  type RevisionStore,
  type RevisionSummary,
  revisionStore,
} from "./agents/revision-store.ts";
export { singleCapability } from "./agents/single-capability.ts";
export { type BackupReport, backUp } from "./backup/backup.ts";
export type { StoreProgress } from "./backup/copy-progress.ts";
export { moveStore } from "./backup/move-store.ts";
export { type RestoreReport, restore } from "./backup/restore.ts";
export { type BudgetAlert, type BudgetLedger, budgetLedger } from "./budgets/budget-ledger.ts";
export {
  type BudgetDraft,
  type BudgetRecord,
  type BudgetState,
  type BudgetStore,
  budgetStore,
  OPERATOR,
} from "./budgets/budget-store.ts";
export { type CapabilityTest, testCapability } from "./capability-tests/test-capability.ts";
export {
  type CommandIsolation,
  canChangeUser,
  probeCommandIsolation,
  uidFor,
  uidIn,
} from "./commands/command-isolation.ts";
export { allowTraversal, isOpenToOthers } from "./commands/open-to-others.ts";
export { readAuthorizationServer } from "./connections/authorization-server.ts";
export { callConnections } from "./connections/call-connections.ts";
export { type ConnectAccounts, connectAccounts } from "./connections/connect-accounts.ts";
export { type ConnectionLogins, connectionLogins } from "./connections/connection-logins.ts";
export {
  type ConfiguredProvider,
  type ConnectionProviders,
  connectionProviderStore,
  type ProviderClients,
  type ProviderSettings,
} from "./connections/connection-providers.ts";
export { type ConnectionState, connectionStates } from "./connections/connection-states.ts";
export {
  type ConnectionStore,
  type ConsentRecord,
  connectionStore,
} from "./connections/connection-store.ts";
export { mcpAccountStore } from "./connections/mcp-accounts.ts";
export { redirectUriOf } from "./connections/redirect-uris.ts";
export type { ConnectionRecord } from "./connections/refresh-connection.ts";
export { clientDocument } from "./connections/register-client.ts";
export {
  type DatasetRecord,
  type DatasetStore,
  type DatasetVersion,
  datasetStore,
  type ItemRecord,
  type NewItem,
  type Written,
} from "./datasets/dataset-store.ts";
export { cleanItem, itemsOfRuns } from "./datasets/items-of-runs.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./db/database.ts";
export { isDatabaseAway } from "./db/database-away.ts";
export { createDatabaseRetry, type DatabaseRetry, unreachable } from "./db/database-retry.ts";
export { pageInMemory, readCursor, readNumberCursor } from "./db/keyset.ts";
export { openFilesLimit } from "./db/open-files-limit.ts";
export { settleStore } from "./db/open-pglite.ts";
export type {
  PackageDescription,
  PackageKind,
  PackageRecord,
  ToolSummary,
} from "./db/schema/package-record.ts";
export { isUuid, uuidFrom } from "./db/uuid.ts";
export { type Directory, openDirectory } from "./directory/directory.ts";
export { documentStore, type KeptDocuments } from "./documents/document-store.ts";
export {
  type CellRecord,
  type CellScores,
  type ExperimentRecord,
  type ExperimentStore,
  experimentStore,
} from "./experiments/experiment-store.ts";
export { type ScoredEvent, startExperimentWorker } from "./experiments/run-cell.ts";
export { copyFiles } from "./files/copy-files.ts";
export { countFiles } from "./files/count-files.ts";
export { fileStore } from "./files/file-store.ts";
export { compileGrep } from "./files/line-finder.ts";
export { type MadeFile, withMadeFile } from "./files/with-made-file.ts";
export {
  type CallRecord,
  createGate,
  type Gate,
  type GateOutcome,
  type GateRequest,
} from "./gate/gate.ts";
export type { PackageSource } from "./install/fetch-package.ts";
export type { Installer, InstallOptions } from "./install/installer.ts";
export { openPackages, type Packages, type PackagesOptions } from "./install/open-packages.ts";
export type { PackageKindRules, PackageKinds } from "./install/package-kind.ts";
export type { PackageReview } from "./install/package-review.ts";
export { type PackageStore, packageStore } from "./install/package-store.ts";
export type { WaitingPackage } from "./install/scan-packages.ts";
export { type LabelStore, labelNames, labelStore, type SessionLabels } from "./labels/session-labels.ts";
export { type MemoryAccessParts, memoryAccess, ORGANISATION } from "./memories/memory-access.ts";
export type { MemoryOwner } from "./memories/memory-keys.ts";
export { type MemoryRecord, type MemoryStore, memoryStore } from "./memories/memory-store.ts";
export { type MonitorRecord, type MonitorStore, monitorStore } from "./monitors/monitor-store.ts";
export { startMonitorWorker } from "./monitors/score-live-runs.ts";
export {
  type ClosableFetch,
  createGuardedFetch,
  type GuardedFetchSettings,
} from "./network/guarded-fetch.ts";
export { findPeer, kernelPeer, type PeerOf } from "./network/kernel-peer.ts";
export { isPassedOn } from "./network/passed-on.ts";
export { openOrganisationDatabase } from "./organisations/organisation-database.ts";
export {
  dropOrganisation,
  FIRST_ORGANISATION,
  ORGANISATION_ID,
} from "./organisations/organisation-schema.ts";
export {
  type OrganisationMember,
  type OrganisationRecord,
  type OrganisationStore,
  organisationStore,
} from "./organisations/organisation-store.ts";
export { type AskOptions, listModels, tryModel } from "./providers/check-provider.ts";
export { findLocalServers, LOCAL_PROVIDERS, type LocalServer } from "./providers/local-servers.ts";
export { createMediaMaker, type MediaMaker } from "./providers/media.ts";
export type { ListedModel } from "./providers/model-lists.ts";
export type { ModelInputs, ModelPrices, Models, ResolvedModel } from "./providers/models.ts";
export { useProxies } from "./providers/node-fetch.ts";
export { openModels } from "./providers/open-models.ts";
export { type Credentials, PROVIDERS } from "./providers/provider-table.ts";
export { RunPlaces } from "./queues/run-places.ts";
export type { LeasedWorker } from "./replays/leased-worker.ts";
export { readRecording, type StoredMessage } from "./replays/read-recording.ts";
export { RECORDED_MODEL, type ReplayChange } from "./replays/replay-change.ts";
export {
  type ReplayItem,
  type ReplayRecord,
  type ReplayStore,
  replayQueue,
  replayStore,
} from "./replays/replay-store.ts";
export { startReplayWorker } from "./replays/replay-worker.ts";
export { agentsOfRuns, type RunSelection, selectRuns } from "./replays/select-runs.ts";
export { type WorkAskers, workAskers } from "./replays/work-askers.ts";
export { type FolderWork, folderWorks } from "./repositories/folder-works.ts";
export { Git } from "./repositories/git.ts";
export { type FolderChange, Worktrees } from "./repositories/worktrees.ts";
export { compileCel } from "./rules/cel.ts";
export { type MadeDecision, type PastCall, pastCall } from "./rules/past-call.ts";
export { type RuleDraft, type RuleRecord, type RuleStore, ruleStore } from "./rules/rule-store.ts";
export {
  type Explained,
  explainCall,
  type SimulatedCall,
  type Simulation,
  simulateRules,
} from "./rules/simulate-rules.ts";
export type {
  Approval,
  ApprovalFilter,
  ApprovalStatus,
  Approvals,
  Decision,
} from "./runs/approvals/approvals.ts";
export type { ClientResult } from "./runs/approvals/client-results.ts";
export { type AskedBefore, collectAnswer, findAsked } from "./runs/approvals/collected-answers.ts";
export { type PendingQuestions, pendingQuestions } from "./runs/approvals/pending-questions.ts";
export { allowedTool } from "./runs/approvals/session-allowance.ts";
export { newSessionView, type SessionView } from "./runs/claim/session-view.ts";
export { runTools } from "./runs/context/deferred-tools.ts";
export { DEFAULT_LIMITS } from "./runs/context/run-meter.ts";
export { storedBudgets } from "./runs/context/stored-budgets.ts";
export { withinScopes } from "./runs/context/within-scopes.ts";
export type {
  HarnessCall,
  HarnessDriver,
  HarnessFacts,
  HarnessProcess,
  HarnessRequest,
} from "./runs/contract/harness-driver.ts";
export type {
  ClientTool,
  EndedRun,
  NewMessage,
  Pending,
  ReasoningEffort,
  RunInput,
  RunObservation,
  RunResult,
  RunStatus,
  RunsParts,
  RunUsage,
  SendOptions,
  Sent,
  WebhookAttempt,
  WebhookFetch,
} from "./runs/contract/run-types.ts";
export { createRuns } from "./runs/create-runs.ts";
export { type Compatibility, compatibilityOf } from "./runs/harness/compatibility.ts";
export { type Observations, openObservations } from "./runs/history/observations.ts";
export {
  countActiveRuns,
  countStore,
  hasRunIn,
  lastEventOf,
  listRunsOfAgent,
  placeOfRun,
  type RunPlace,
  type RunsOfAgent,
  type SessionSnapshot,
  sessionSnapshot,
} from "./runs/history/run-queries.ts";
export { type TraceEntry, type TraceParts, traceOf } from "./runs/history/run-trace.ts";
export { findRuns, getRun, type MessageRecord, type RunRecord } from "./runs/history/session-history.ts";
export type { SummaryRecord } from "./runs/history/summaries.ts";
export { promptOf } from "./runs/history/trace-reads.ts";
export { readTrajectory } from "./runs/history/trajectory.ts";
export type { EventBatch } from "./runs/log/event-hub.ts";
export { EventRetention } from "./runs/log/event-retention.ts";
export { isModelCheck } from "./runs/model/model-checks.ts";
export { type WebhookDelivery, webhookOf } from "./runs/processes/webhooks.ts";
export type { Runs } from "./runs/runs.ts";
export { delegation } from "./runs/subagents/delegation.ts";
export type { Isolation } from "./sandbox/isolation.ts";
export { type ManagedSandbox, openSandbox, type SandboxSettings } from "./sandbox/open-sandbox.ts";
export { type ServiceStatus, ServiceSupervisor } from "./services/service-supervisor.ts";
export { conversationKeys } from "./sessions/conversation-keys.ts";
export { type SessionLink, type SessionLinks, sessionLinkStore } from "./sessions/session-links.ts";
export { type FoundSession, searchSessions } from "./sessions/session-search.ts";
export {
  type NewSession,
  type SessionChanges,
  type SessionRecord,
  type SessionStore,
  sessionStore,
} from "./sessions/session-store.ts";
export { type CapabilityDocuments, openCapabilityDocuments } from "./sources/capability-documents.ts";
export {
  type DeclarativeOptions,
  loadDeclarative,
  parseYaml,
  readDeclarative,
} from "./sources/declarative.ts";
export { type McpOptions, type McpSource, type OpenMcp, openMcp } from "./sources/mcp.ts";
export { loadOpenApi, type OpenApiOptions, readOpenApi } from "./sources/openapi.ts";
export { withRouteTool } from "./sources/route-tool.ts";
export type { BoundSecrets, SecretLookup } from "./sources/secrets.ts";
export { SessionFolders } from "./sources/session-folders.ts";
export { loadSkill } from "./sources/skill.ts";
export { forgetCapability, prepareUserHome, type UserHome } from "./sources/user-home.ts";
export { type BreakerStore, breakerStore } from "./tasks/breaker-store.ts";
export { chatMatch } from "./tasks/chat-match.ts";
export { type GenerateParts, type GenerateRequest, generate, withinBudget } from "./tasks/generate.ts";
export { type RankedCatalog, rankPosted } from "./tasks/rank-posted.ts";
export { documentsOf, keepInStep, rankCapabilities } from "./tasks/route-index.ts";
export { servingRoute, withOwnRoute } from "./tasks/route-owner.ts";
export { type RouteTier, routeTier, type TieredIndex } from "./tasks/route-tier.ts";
export type { TaskEvent, TaskProgress } from "./tasks/task-changes.ts";
export { openTaskRunner, type TaskParts, type TaskRunner } from "./tasks/task-runner.ts";
export { type TaskRecord, type TaskStore, taskStore } from "./tasks/task-store.ts";
export { createToolChooser, type ToolChooser } from "./tasks/tool-choice.ts";
export { type TextTrialParts, tryByModel } from "./tasks/try-text-check.ts";
export { createHistogram, type Histogram } from "./telemetry/histogram.ts";
export { openTelemetry, type Telemetry, type TelemetryRecord } from "./telemetry/telemetry.ts";
export {
  type ToolUsage,
  type UsagePeriod,
  type UsageStore,
  type UsageSums,
  usageStore,
} from "./telemetry/usage-store.ts";
export { compileTextFind } from "./text-checks/compile-text-check.ts";
export {
  type TextCheckDraft,
  type TextCheckRecord,
  type TextCheckStore,
  textCheckStore,
} from "./text-checks/text-check-store.ts";
export { type ChannelParts, capabilityChannels } from "./triggers/capability-channels.ts";
export {
  type Answer,
  type Channel,
  type Channels,
  sessionChannel,
  teamsChannel,
  type WebhookParts,
  webhookChannel,
} from "./triggers/channels.ts";
export {
  dropTrigger,
  getTrigger,
  listTriggers,
  retryTrigger,
} from "./triggers/list-triggers.ts";
export {
  fireSchedule,
  nextTime,
  type Schedule,
  ScheduleSource,
  type ScheduleStore,
  scheduleStore,
  triggerIdOf,
} from "./triggers/schedules.ts";
export { type TriggerParts, triggerHandler } from "./triggers/trigger-handler.ts";
export { TriggerManager } from "./triggers/trigger-manager.ts";
export { runsOfTriggers, type TriggerRun } from "./triggers/trigger-runs.ts";
export { type AuditEntry, type AuditLog, openAuditLog } from "./users/audit-log.ts";
export { organisationNamedBy } from "./users/bearer-text.ts";
export {
  type CapabilitySecrets,
  openCapabilitySecrets,
  type SecretRecord,
} from "./users/capability-secrets.ts";
export { capabilityStore } from "./users/capability-store.ts";
export {
  type ClientLogin,
  type ClientLogins,
  clientLoginStore,
  type GrantRefusal,
  type IssuedTokens,
} from "./users/client-logins.ts";
export { type ConfigSeal, configSeal } from "./users/config-seal.ts";
export { endAccess, eraseUser } from "./users/end-access.ts";
export { type Identities, type IdentityChecks, identityChecks } from "./users/identity-checks.ts";
export { type KeyRecord, type KeyRight, type KeyStore, keyStore } from "./users/key-store.ts";
export {
  isLoginText,
  type Login,
  type LoginKind,
  type LoginStore,
  loginStore,
} from "./users/login-store.ts";
export {
  type PeopleStore,
  type Person,
  peopleStore,
  type StoredRule,
} from "./users/people-store.ts";
export { type ProviderRecord, type ProviderStore, providerStore } from "./users/provider-store.ts";
export { dataFolderSecret, derivedKey, type SecretBox, secretBox, webhookKey } from "./users/secret-box.ts";
export { type SettingStore, settingStore } from "./users/setting-store.ts";
export type { Standing } from "./users/standing.ts";
export { type StoredSecrets, storedSecrets } from "./users/stored-secrets.ts";
export { subjectNames } from "./users/subject-names.ts";
export {
  isTokenText,
  type NewToken,
  type TokenLogin,
  type TokenRecord,
  type TokenStore,
  tokenStore,
} from "./users/token-store.ts";
export {
  type GrantRecord,
  LOCAL_USER,
  type UserRecord,
  type UserStore,
  userStore,
} from "./users/user-store.ts";
