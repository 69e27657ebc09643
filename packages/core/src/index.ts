export {
  type AgUiContentPart,
  type AgUiMessage,
  type AgUiPartSource,
  type AgUiToolCall,
  agUiMessages,
  encryptedOf,
  reasoningPieceId,
  textPieceId,
} from "./ag-ui-messages.ts";
export {
  type AgentSpec,
  type ApprovalExpiry,
  agentSpec,
  type CapabilityRef,
  type RunLimits,
} from "./agent.ts";
export { AGENT_DEFAULTS } from "./agent-defaults.ts";
export {
  type AgentFields,
  type AgentFile,
  agentDifferences,
  agentFields,
  agentFile,
  agentsListedBy,
  defineAgent,
  type FieldDifference,
  parseAgentFile,
  type ServedAgent,
  servedFields,
} from "./agent-file.ts";
export {
  admit,
  BREAKER_RULES,
  type Breaker,
  type BreakerRules,
  CLOSED_BREAKER,
  settle,
} from "./breaker.ts";
export {
  type Capability,
  type CapabilityDefinition,
  type CapabilityRisk,
  type CapabilitySource,
  type CapabilityStatus,
  defineCapability,
  type RoutingHints,
  servesTasks,
} from "./capability.ts";
export type {
  AdapterEvent,
  AdapterRun,
  AdapterStep,
  CodingAgentAdapter,
  LineReader,
  PlacedAttachment,
  RunCommand,
  RunExit,
  RunFile,
  RunPlace,
  SessionStore,
  StoredMessage,
  StoredSession,
} from "./coding-agents/adapter.ts";
export {
  type AgentName,
  BUILT_IN_AGENT_NAMES,
  type BuiltInAgentName,
  isBuiltInAgent,
  NATIVE_AGENT,
} from "./coding-agents/agent-name.ts";
export {
  type AgentPlatform,
  type ApprovalMode,
  type AuthMethod,
  CAPABILITY_GROUPS,
  type CapabilityGroup,
  type CodingAgentCapabilities,
  type EffectiveCapabilities,
  type InstallMethod,
  type PluginFormat,
  type PluginRegistry,
  THINKING_EFFORT_LEVELS,
  type ThinkingEffortLevel,
  type Verification,
} from "./coding-agents/capabilities.ts";
export {
  CapabilityError,
  capabilityRefused,
  GATED_CAPABILITIES,
  type GatedCapability,
  RunRefusedError,
  runError,
} from "./coding-agents/capability-error.ts";
export {
  type CodingAgentEvent,
  codingAgentEventSchema,
  RUN_LIMITS,
  RUN_OUTCOMES,
  type RunEnded,
  type RunLimit,
  type RunOutcome,
  type RunStarted,
  type RunUsage,
} from "./coding-agents/events.ts";
export { runFaults } from "./coding-agents/legal-run.ts";
export type { CodingAgentManifest, Departure } from "./coding-agents/manifest.ts";
export type {
  CostDetails,
  ModelCapabilities,
  ModelRegistry,
  ModelSnapshot,
  ModelValidationResult,
} from "./coding-agents/model.ts";
export {
  createModelRegistry,
  type ModelRefresher,
  type ModelRegistryOptions,
} from "./coding-agents/model-registry.ts";
export { createRunLedger, type ForcedEnding, type RunLedger } from "./coding-agents/run-ledger.ts";
export {
  type Attachment,
  type McpServerConfig,
  type OutputFormat,
  parseRemoteRunOptions,
  parseRunOptions,
  type RunOptions,
  runOptionsSchema,
} from "./coding-agents/run-options.ts";
export type { RunWarning, RunWarningCode } from "./coding-agents/run-warning.ts";
export {
  type NativeThinking,
  NO_THINKING,
  nativeThinking,
  type ThinkingRequest,
} from "./coding-agents/thinking.ts";
export type { CarriedThinking, ThinkingDialect, ThinkingParams } from "./coding-agents/thinking-dialects.ts";
export { isImage, type RunCheck, type StreamKind, validateRun } from "./coding-agents/validate-run.ts";
export { type ComposeGrants, type CountTokens, compose, REQUEST_ACCESS, toolText } from "./compose.ts";
export { type CapstanConfig, defineConfig } from "./config.ts";
export {
  type AgentCapabilities,
  type DiscoveredHarness,
  type DiscoveredModel,
  type DiscoveredServer,
  type DiscoverParts,
  discover,
  type SubAgent,
} from "./discover.ts";
export {
  AG_UI_VERSION,
  CUSTOM_EVENTS,
  type Interrupt,
  isTerminal,
  type JsonPatchOperation,
  type RunEvent,
  type RunEventType,
  type SegmentOutcome,
  type TokenUsage,
} from "./events.ts";
export { FAILURES, type FailureCode, fail } from "./failures/fail.ts";
export type { Failure } from "./failures/failure.ts";
export { type Fault, faultsOf } from "./faults.ts";
export {
  type Budget,
  type CallFacts,
  decideCall,
  type GateDecision,
  type ToolCall,
} from "./gate-decision.ts";
export type { GateHooks, HookCall, HookVerdict } from "./gate-hooks.ts";
export { wholePairs } from "./history/whole-pairs.ts";
export { type FittedWindow, fitWindow, messageTokens, type WindowOptions } from "./history/window.ts";
export { applyPatch, type Patched } from "./json-patch.ts";
export { argumentVector } from "./manifest/argument-vector.ts";
export { type FilteredManifest, filterByScopes, type HiddenByScope } from "./manifest/filter-by-scopes.ts";
export {
  MANIFEST_MAX_CHARS,
  type Manifest,
  type ManifestAction,
  readManifest,
} from "./manifest/manifest.ts";
export { type ActionInput, type ManifestTool, manifestTools } from "./manifest/manifest-tools.ts";
export {
  isCommandName,
  PACKAGE_NAME_RULE,
  type PackageName,
  type PackageRole,
  readPackageName,
} from "./manifest/package-names.ts";
export { isPath, type Parameter, readParameter } from "./manifest/parameters.ts";
export { type ActionChange, type PermissionDiff, permissionDiff } from "./manifest/permission-diff.ts";
export { SESSION_MANIFEST_PATH, sessionManifest } from "./manifest/session-manifest.ts";
export {
  DEFAULT_FILE_LIMITS,
  DEFAULT_GREP_LIMIT,
  type MemoryFileOptions,
  memoryFileStore,
} from "./memory-files.ts";
export {
  type AssistantPart,
  type ConversationMessage,
  type FilePart,
  type FileSource,
  openCalls,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolOutput,
  type ToolResultPart,
  textOf,
  toolCallsOf,
  toolOutputText,
  type UserPart,
} from "./messages.ts";
export { nearest } from "./nearest.ts";
export { type OpenBlocks, OpenBlockTracker, type OpenText, openBlocks } from "./open-events.ts";
export {
  ARCHIVE_LIMITS,
  type ArchiveCodec,
  type ArchiveFile,
  type ArchiveLimits,
  pathFault,
} from "./packaging/archive.ts";
export {
  binOf,
  buildNpmTarball,
  type PackageJson,
  readNpmPackage,
  stripTopFolder,
} from "./packaging/npm-package.ts";
export { type PackageContents, semverOf } from "./packaging/package-contents.ts";
export { readTarGz, writeTarGz } from "./packaging/tar.ts";
export { buildWheel, readWheel } from "./packaging/wheel.ts";
export { readZip, writeZip } from "./packaging/zip.ts";
export { type PathMatcher, pathPattern } from "./path-pattern.ts";
export { effectivePolicy, stricter } from "./policy.ts";
export { CapabilityRegistry } from "./registry.ts";
export { type Ok, ok, type Refused, type Result } from "./result.ts";
export {
  type ChoosableTool,
  chooseTool,
  type RankedTools,
  rankTools,
  stepsOf,
  type ToolChoice,
} from "./route/choose-tool.ts";
export { type RouteDocument, routeDocument, toolDocument } from "./route/document.ts";
export { type MappedPayload, mapPayload, type PayloadHints } from "./route/payload.ts";
export {
  intentOf,
  matchedCapabilities,
  NO_INTENT,
  type PlannedStep,
  type PlanParts,
  plan,
} from "./route/plan.ts";
export { type Match, type RankOptions, type RankResult, type Rejected, rank } from "./route/rank.ts";
export {
  postedDocument,
  type RankCatalogRequest,
  type RankedTask,
  rankCatalog,
  rankCatalogRequest,
} from "./route/rank-catalog.ts";
export { createRouteIndex, documentTexts, type RouteIndex } from "./route/route-index.ts";
export { taskTexts } from "./route/task.ts";
export {
  type ExecutedStep,
  type MatchedCapability,
  type TaskIntent,
  TaskRequest,
  type TaskResponse,
  type TaskStatus,
  type TaskStep,
  taskStatus,
} from "./route/task-contract.ts";
export {
  failureClass,
  type StepRecord,
  summarise,
  type TelemetrySummary,
  telemetryQuery,
  telemetryRecord,
} from "./route/telemetry-summary.ts";
export { normalizeTask } from "./route/text.ts";
export type { Embed } from "./route/vectors.ts";
export { LEXICAL_WEIGHTS, MINILM_WEIGHTS, type RouteWeights, STATIC_WEIGHTS } from "./route/weights.ts";
export type {
  ComposedCapability,
  HiddenReason,
  HiddenTool,
  RuntimeAgent,
  RuntimeTool,
} from "./runtime-agent.ts";
export { type JsonSchema, type JsonValue, type Parsed, type Schema, zodSchema } from "./schema.ts";
export { EVERY_SCOPE, effectiveScopes, missingScopes } from "./scopes.ts";
export { isSemver, isVersionPin, satisfies } from "./semver.ts";
export type {
  CompileGrep,
  FileLimits,
  FileStat,
  GrepMatch,
  LineFinder,
  SessionFileStore,
} from "./session-files.ts";
export { baseName, normalisePath, parentPath, parentPaths } from "./session-path.ts";
export {
  type AnyTool,
  type CallPlace,
  defineTool,
  type Tool,
  type ToolDefinition,
  type ToolPolicy,
  type Unavailable,
  whyUnavailable,
} from "./tool.ts";
export type {
  CapabilityStore,
  GuardedFetch,
  GuardedFetchOptions,
  Sandbox,
  SandboxLanguage,
  SandboxOutcome,
  SandboxRequest,
  ToolContext,
  ToolUser,
} from "./tool-context.ts";
export {
  type ChannelRule,
  DEFAULT_CHANNEL,
  type Delivery,
  decideDelivery,
  RoutingPreferences,
} from "./triggers/delivery.ts";
export { byAge, laneOf, startable, type WaitingTrigger } from "./triggers/lanes.ts";
export {
  advance,
  DEFAULT_RETRY,
  NEW_TRIGGER,
  pauseMs,
  type RetryPolicy,
  type TriggerEvent,
  type TriggerState,
  type TriggerStatus,
} from "./triggers/life-cycle.ts";
export {
  type Routing,
  readTrigger,
  readTriggerDocument,
  TRIGGER_MAX_BYTES,
  type Trigger,
  UserEmail,
} from "./triggers/trigger.ts";
export { whatIsWrong } from "./what-is-wrong.ts";
