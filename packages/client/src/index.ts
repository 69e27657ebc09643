export type { AgentFile } from "./agent-file.ts";
export { type Api, createApi } from "./api.ts";
export { CapstanAgent, type CapstanAgentConfig, type CapstanCapabilities } from "./capstan-agent.ts";
export {
  type CallOptions,
  type Connection,
  type ConnectionOptions,
  connect,
  type Fetch,
  type Query,
} from "./connection.ts";
export { defineAgent } from "./define-agent.ts";
export type { Streaming, StreamingRun } from "./endpoints/coding-agents.ts";
export {
  type Following,
  type FollowOptions,
  type FollowState,
  followEvents,
  type SessionEvent,
} from "./follow-events.ts";
export { type ReconnectOptions, reconnectingFetch } from "./reconnecting-fetch.ts";
export {
  createSseParser,
  readServerSentEvents,
  type ServerSentEvent,
  type SseParser,
} from "./server-sent-events.ts";
export { agentDefaults } from "./wire/agent-defaults.ts";
export { agentPatch } from "./wire/agent-patch.ts";
export type {
  Agent,
  AgentCreate,
  AgentFields,
  AgentLimits,
  AgentPatch,
  AgentPreview,
  AgentToken,
  AgentTokenCreate,
  ApprovalExpiryWire,
  CapabilityEntry,
  CapabilityOptions,
  TokenPrice,
} from "./wire/agents.ts";
export type { Budget, BudgetCreate, BudgetPatch, BudgetSpending } from "./wire/budgets.ts";
export type {
  CapabilityDetail,
  CapabilityFilter,
  CapabilitySummary,
  CapabilityTestCreate,
  CapabilityTestReport,
  CapabilityVersion,
  RoutingWire,
  ToolAnswer,
  ToolDetail,
  ToolRun,
} from "./wire/capabilities.ts";
export type { ChangeApply, FolderChange, FolderFile } from "./wire/changes.ts";
export type {
  ActiveToken,
  ClientLoginAnswer,
  ClientLoginAnswered,
  ClientLoginAsk,
  ClientLoginReview,
} from "./wire/client-logins.ts";
export type {
  CodingAgentCommand,
  CodingAgentInfo,
  CodingAgentRun,
  DoctorEvent,
  ModelInfo,
} from "./wire/coding-agents.ts";
export type {
  ConnectionFinished,
  ConnectionInfo,
  ConnectionProviderInfo,
  ConnectionProviderPut,
  ConnectionRevoked,
  ConnectionStart,
  ConnectionStarted,
  ConnectionUse,
} from "./wire/connections.ts";
export type {
  Dataset,
  DatasetCreate,
  DatasetImport,
  DatasetItem,
  DatasetItemCreate,
  DatasetItemsPut,
  DatasetVersion,
  DatasetWritten,
} from "./wire/datasets.ts";
export type {
  Experiment,
  ExperimentCell,
  ExperimentCreate,
  ExperimentReport,
  ExperimentTrace,
  ReviewCreate,
  ReviewItem,
  VariantCreate,
} from "./wire/experiments.ts";
export type { Memory, MemoryCreate, MemoryPatch, MemoryQuery } from "./wire/memories.ts";
export type {
  DefaultModel,
  FoundCodingAgent,
  ModelChoice,
  ModelChoices,
  ProviderChecked,
  ProviderInfo,
  ProviderPut,
} from "./wire/models.ts";
export type {
  Monitor,
  MonitorAlert,
  MonitorCreate,
  MonitorPatch,
  MonitorReport,
  MonitorScore,
  MonitorScoreQuery,
} from "./wire/monitors.ts";
export type {
  NewOrganisation,
  Organisation,
  OrganisationCreate,
  OrganisationMember,
  OrganisationMemberPut,
  OrganisationPatch,
} from "./wire/organisations.ts";
export type {
  CommandOutput,
  InstalledPackage,
  PackageDescription,
  PackageInstall,
  PackageReview,
  PackageSource,
  PackageTool,
  PackageWrap,
  ServiceInfo,
  UninstalledPackage,
  WaitingPackage,
  WrapProposal,
} from "./wire/packages.ts";
export type { ApprovalPolicyName, Items, JsonObject, Page, PageQuery } from "./wire/page.ts";
export type {
  DeviceLogin,
  DeviceLoginStart,
  DeviceLoginState,
  LoginInfo,
  Me,
  NewScimToken,
  RoleCreate,
  RoleInfo,
  ScimToken,
  ScimTokenCreate,
  UserDeleteQuery,
  UserDeletion,
} from "./wire/people.ts";
export type {
  Replay,
  ReplayComparison,
  ReplayCreate,
  ReplayedRun,
  ReplayQuery,
  ReplayReport,
  ReplayWith,
} from "./wire/replays.ts";
export type {
  AgentLabel,
  FollowsWire,
  LabelChange,
  Revision,
  RevisionDiff,
  RevisionRestore,
  RevisionSummary,
} from "./wire/revisions.ts";
export type {
  ExecutedStep,
  MatchedCapability,
  PlanStep,
  RouteAnswer,
  RouteMatch,
  RouteRequest,
  TaskAnswer,
  TaskEvent,
  TaskRequest,
  TaskStarted,
  TaskState,
  TelemetryAnswer,
  TelemetryBucket,
  TelemetryRecord,
  TelemetrySummary,
} from "./wire/routing.ts";
export { rulePatch } from "./wire/rule-patch.ts";
export type {
  CallExplanation,
  Rule,
  RuleCheck,
  RuleCheckResult,
  RuleCreate,
  RulePatch,
  RuleProposal,
  RuleSimulate,
  RuleSimulation,
} from "./wire/rules.ts";
export type {
  Approval,
  ApprovalAnswer,
  Run,
  RunStatus,
  RunUsageWire,
  SentPrompt,
  TraceSpan,
} from "./wire/runs.ts";
export type { ScorerSpec } from "./wire/scorers.ts";
export type { FoundSession } from "./wire/session-search.ts";
export type {
  BranchPoint,
  Comparison,
  ComparisonBranch,
  ComparisonCreate,
  Compatibility,
  ContinueIn,
  FileChange,
  Message,
  MessageAccepted,
  MessageCreate,
  MessagePart,
  Session,
  SessionCreate,
  SessionFile,
  SessionListing,
  SessionPatch,
  StoredEvent,
  StoredPart,
  ToolResultCreate,
} from "./wire/sessions.ts";
export type {
  ApiKey,
  AuditEntry,
  Grant,
  GrantCreate,
  KeyCreate,
  KeyRight,
  NewApiKey,
  ServerStatus,
  User,
  UserPut,
} from "./wire/settings.ts";
export type {
  AgentSharingWire,
  SessionLinkCreate,
  SessionLinkCreated,
  SessionLinkInfo,
  SharedSession,
} from "./wire/sharing.ts";
export type { MessagePin, SessionSummary } from "./wire/summaries.ts";
export type { TextCheck, TextCheckCreate, TextTrial, TextTrialResult } from "./wire/text-checks.ts";
export type { Schedule, ScheduleCreate, ScheduleRun, TriggerInfo } from "./wire/triggers.ts";
export type {
  ToolUsage,
  ToolUsageQuery,
  Usage,
  UsageGroup,
  UsageGroupBy,
  UsagePoint,
  UsageQuery,
  UsageSums,
} from "./wire/usage.ts";
