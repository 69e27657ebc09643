export { type Api, createApi } from "./api.ts";
export { CapstanAgent, type CapstanAgentConfig } from "./capstan-agent.ts";
export {
  type CallOptions,
  type Connection,
  type ConnectionOptions,
  connect,
  type Fetch,
  type Query,
} from "./connection.ts";
export type { CapabilityFilter } from "./endpoints/agents.ts";
export type { CodingAgentCommand, Streaming, StreamingRun } from "./endpoints/coding-agents.ts";
export {
  type Following,
  type FollowOptions,
  type FollowState,
  followEvents,
  type SessionEvent,
} from "./follow-events.ts";
export { localTokenFile, loopbackPort } from "./local-token.ts";
export { type ReconnectOptions, reconnectingFetch } from "./reconnecting-fetch.ts";
export {
  createSseParser,
  readServerSentEvents,
  type ServerSentEvent,
  type SseParser,
} from "./server-sent-events.ts";
export { titleFromMessage } from "./session-title.ts";
export type {
  Agent,
  AgentCreate,
  AgentLimits,
  AgentPatch,
  AgentPreview,
  ApprovalExpiryWire,
  CapabilityDetail,
  CapabilityEntry,
  CapabilityOptions,
  CapabilitySummary,
  RoutingWire,
  TokenPrice,
  ToolAnswer,
  ToolDetail,
  ToolRun,
} from "./wire/agents.ts";
export type { CodingAgentInfo, CodingAgentRun, DoctorEvent, ModelInfo } from "./wire/coding-agents.ts";
export type {
  InstalledPackage,
  PackageDescription,
  PackageInstall,
  PackageReview,
  PackageSource,
  PackageTool,
  Schedule,
  ScheduleCreate,
  ServiceInfo,
  TriggerInfo,
  UninstalledPackage,
  WaitingPackage,
} from "./wire/packages.ts";
export type { ApprovalPolicyName, Items, JsonObject, Page, PageQuery } from "./wire/page.ts";
export type {
  ExecutedStep,
  MatchedCapability,
  PlanStep,
  RouteAnswer,
  RouteMatch,
  RouteRequest,
  TaskAnswer,
  TaskRequest,
  TelemetryAnswer,
  TelemetryBucket,
  TelemetryRecord,
  TelemetrySummary,
} from "./wire/routing.ts";
export type {
  Approval,
  ApprovalAnswer,
  Message,
  MessageAccepted,
  MessageCreate,
  MessagePart,
  Run,
  RunStatus,
  RunUsageWire,
  Session,
  SessionCreate,
  SessionFile,
  SessionListing,
  StoredPart,
  ToolResultCreate,
  TraceSpan,
} from "./wire/sessions.ts";
export type {
  ApiKey,
  AuditEntry,
  Grant,
  GrantCreate,
  KeyRight,
  ProviderInfo,
  ServerStatus,
  User,
} from "./wire/settings.ts";
