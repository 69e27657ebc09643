/** Names shared by Capstan's own packages beyond the author API. Not a stable API: it can change with any version. */

export {
  type AgUiMessage,
  agUiMessages,
  encryptedOf,
  reasoningPieceId,
  textPieceId,
} from "./ag-ui-messages.ts";
export { AGENT_DEFAULTS, type ApprovalExpiry } from "./agent.ts";
export { type AgentRelease, firstRelease, nextRelease, offerOf } from "./agent-release.ts";
export { cappedExpiry, expiryOf } from "./approval-expiry.ts";
export {
  type Author,
  beyondAuthor,
  limitToAuthor,
  type Surroundings,
} from "./authority/agent-authority.ts";
export {
  AGENT_ACCESS,
  AGENT_RIGHTS,
  type AgentRight,
  type AgentShare,
  type AgentSharing,
  agentRights,
  sharesFrom,
  subjectsOf,
  UNSHARED,
  withApproversOf,
} from "./authority/agent-sharing.ts";
export { mayAnswer } from "./authority/answer-authority.ts";
export {
  type Action,
  includesRight,
  RIGHTS,
  type Right,
  rightFor,
  THINGS,
  type Thing,
} from "./authority/authority.ts";
export { ACTOR_BY_PATH, CALL_PATHS, type CallPath } from "./authority/call-authority.ts";
export { CHOOSES_HOST, chosenHosts } from "./authority/chosen-hosts.ts";
export {
  changeSealed,
  changeSecrets,
  hideSealed,
  holdsSealed,
  isSealed,
  keepSealed,
  SEALED_SHOWN,
} from "./authority/config-secrets.ts";
export { boundedRights, type Claims, type RoleRule, roleFrom } from "./authority/roles.ts";
export {
  AT_LIMIT,
  type AtLimit,
  alertReached,
  amountText,
  BUDGET_EACH,
  BUDGET_MEASURES,
  BUDGET_PERIODS,
  type BudgetEach,
  type BudgetMeasure,
  type BudgetPeriod,
  budgetFault,
  budgetSentence,
  forecastOf,
  type Spender,
  type SpendingBudget,
  subjectOf,
} from "./budgets/budget.ts";
export { roundedUsd } from "./budgets/rounded-usd.ts";
export { servesTasks } from "./capability.ts";
export type {
  AdapterEvent,
  AdapterRun,
  AdapterStep,
  CliMessage,
  CliSessionStore,
  CodingAgentAdapter,
  HttpChannel,
  LineReader,
  PlacedAttachment,
  RunCommand,
  RunExit,
  RunFile,
  RunPlace,
  SessionQuery,
  SideFile,
  StoredSession,
} from "./coding-agents/adapter.ts";
export { type AgentName, NATIVE_AGENT } from "./coding-agents/agent-name.ts";
export {
  type AgentPlatform,
  type AgentTransport,
  type ApprovalMode,
  type AuthMethod,
  CAPABILITY_GROUPS,
  type CapabilityGroup,
  type CodingAgentCapabilities,
  type EffectiveCapabilities,
  type InstallMethod,
  overTransport,
  type PluginFormat,
  type PluginRegistry,
  THINKING_EFFORT_LEVELS,
  type ThinkingEffortLevel,
  type Verification,
} from "./coding-agents/capabilities.ts";
export {
  CapabilityError,
  CodingAgentError,
  capabilityRefused,
  type GatedCapability,
  RunRefusedError,
  runError,
  ValidationError,
} from "./coding-agents/capability-error.ts";
export { type ContinueIn, inProgram } from "./coding-agents/continue-in.ts";
export type { RunStarted } from "./coding-agents/events.ts";
export {
  ANSWER_REPEATED,
  type CliUsage,
  type CodingAgentEvent,
  type CostSource,
  codingAgentEventSchema,
  type RunEnded,
  type RunLimit,
  type RunOutcome,
} from "./coding-agents/events.ts";
export { runFaults } from "./coding-agents/legal-run.ts";
export type { CodingAgentManifest } from "./coding-agents/manifest.ts";
export type {
  CostDetails,
  ModelCapabilities,
  ModelRegistry,
  ModelSnapshot,
  ModelValidationResult,
} from "./coding-agents/model.ts";
export { createModelRegistry, type ModelRefresher } from "./coding-agents/model-registry.ts";
export {
  lastWords,
  plainMessage,
  type ReportedError,
  type ReportedErrorCode,
  RUN_ERROR_CODES,
  type RunErrorCode,
  runErrorCode,
  runErrorFailure,
} from "./coding-agents/run-error.ts";
export {
  type Attachment,
  MAX_ATTACHMENT_BYTES,
  type McpServerConfig,
  type OutputFormat,
  parseRemoteRunOptions,
  parseRunOptions,
  type RunOptions,
  runOptionsSchema,
} from "./coding-agents/run-options.ts";
export { type NativeThinking, NO_THINKING, nativeThinking } from "./coding-agents/thinking.ts";
export {
  type CarriedThinking,
  type ThinkingDialect,
  type ThinkingParams,
  VERBATIM_LEVELS,
} from "./coding-agents/thinking-dialect.ts";
export { isImage, validateRun } from "./coding-agents/validate-run.ts";
export { REQUEST_ACCESS } from "./compose.ts";
export { ConnectionNeedDocument, joinNeeds } from "./connections/connection-need.ts";
export {
  concernsLabels,
  DATA_LABELS,
  DATA_READS,
  DATA_WRITES,
  type DataLabel,
  type DeclaredReads,
  type DeclaredWrites,
  flowOf,
  labelsOf,
} from "./data-flow/data-flow.ts";
export { declaredFlow, FLOW_FIELDS, flowIn } from "./data-flow/flow-fields.ts";
export { hintedFlow, scopedReads, takesAddress, withoutSharedWord } from "./data-flow/usual-flow.ts";
export type { DiscoveredModel } from "./discover.ts";
export { ATIF_VERSION, type AtifTrajectory, trajectoryOf } from "./evals/atif.ts";
export { readCsv } from "./evals/csv.ts";
export { type DatasetItem, itemOfRun, recordingOfItem } from "./evals/dataset-item.ts";
export { driftOf } from "./evals/drift.ts";
export { isPlain, plainScore, type ScorerHelp } from "./evals/plain-scorers.ts";
export type { Score, ScoredRun, Scorer } from "./evals/scorer.ts";
export { CALL_ORDERS, isPassed, type JudgeSpec, type ScorerSpec, scorerName } from "./evals/scorer-spec.ts";
export { type Scrubbed, scrub } from "./evals/scrub.ts";
export { agreementOf, intervalOf } from "./evals/statistics.ts";
export { type ScoredCell, summariseExperiment } from "./evals/summarise.ts";
export {
  AG_UI_VERSION,
  CUSTOM_EVENTS,
  type Interrupt,
  isTerminal,
  type JsonPatchOperation,
  type SegmentOutcome,
  type TokenUsage,
} from "./events.ts";
export type { ConnectionLack } from "./failures/connection-failures.ts";
export { FAILURES } from "./failures/fail.ts";
export { misspeltField, unknownField } from "./fault-messages.ts";
export { type Fault, faultsText, readInput } from "./faults.ts";
export { type Budget, decideCall } from "./gate-decision.ts";
export { tooDeep, unclearJson } from "./json-depth.ts";
export { applyPatch } from "./json-patch.ts";
export { localTokenFile, loopbackPort } from "./local-token.ts";
export { filterByScopes } from "./manifest/filter-by-scopes.ts";
export { proposeManifest } from "./manifest/help/propose-manifest.ts";
export { type CommandHelp, isHelp, readHelp } from "./manifest/help/read-help.ts";
export { MANIFEST_MAX_CHARS, unusedFields } from "./manifest/manifest.ts";
export { readPackageName } from "./manifest/package-names.ts";
export { isPath, type Parameter, readParameter } from "./manifest/parameters.ts";
export { manifestNeeds, type PermissionDiff, permissionDiff } from "./manifest/permission-diff.ts";
export { SESSION_MANIFEST_PATH, sessionManifest } from "./manifest/session-manifest.ts";
export { toolName } from "./manifest/tool-names.ts";
export { MEMORY_SCOPES, type MemoryAccess, type MemoryFact, type MemoryScope } from "./memory-access.ts";
export { DEFAULT_FILE_LIMITS, DEFAULT_GREP_LIMIT } from "./memory-files.ts";
export {
  type AssistantPart,
  type ConversationMessage,
  type FilePart,
  type FileSource,
  pendingCalls,
  SUMMARY_REQUEST,
  type ToolCallPart,
  type ToolOutput,
  type ToolResultPart,
  textOf,
  toolCallsOf,
  toolOutputText,
  type UserPart,
} from "./messages.ts";
export { nearest } from "./nearest.ts";
export { isSameJson } from "./ordered-json.ts";
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
export { pathPattern } from "./path-pattern.ts";
export { stricter } from "./policy.ts";
export { findCapability } from "./registry.ts";
export {
  CALL_CHANGES,
  compareReplay,
  type Divergence,
  type NotAsRecorded,
  type ReplayComparison,
  type ReplaySide,
  VERDICTS,
  type Verdict,
} from "./replay/compare-replay.ts";
export { claimsToRead, mayRunInReplay } from "./replay/may-run-in-replay.ts";
export { createRecording, type MatchKind, type RecordedCall } from "./replay/recording.ts";
export {
  GATE_ANSWERS,
  type GateAnswer,
  RESULT_SOURCES,
  type ResultSource,
} from "./replay/replay-call.ts";
export {
  comparedFailure,
  comparedOutput,
  isBreaking,
  TEST_VERDICTS,
  type TestedResult,
  type TestVerdict,
  unfitIn,
} from "./replay/tested-call.ts";
export { type Follows, isInShare, REVISION_LABELS, type RevisionLabel } from "./revisions/follows.ts";
export { type CapabilityPin, revisionDiff } from "./revisions/revision-diff.ts";
export { rightsGrowth } from "./revisions/rights-growth.ts";
export { calledByName } from "./route/called-by-name.ts";
export { type ChoosableTool, chooseTool, rankTools, stepsOf } from "./route/choose-tool.ts";
export { whatToConfirm } from "./route/confirmation.ts";
export { type RouteDocument, toolDocument } from "./route/document.ts";
export { type Gloss, inEnglish } from "./route/gloss.ts";
export type { PayloadHints } from "./route/mapping.ts";
export { mapPayload } from "./route/payload.ts";
export { intentOf, matchedCapabilities, type PlannedStep, planParts } from "./route/plan.ts";
export type { RankResult } from "./route/rank.ts";
export {
  postedDocument,
  type RankCatalogRequest,
  type RankedTask,
  rankCatalog,
  rankCatalogRequest,
} from "./route/rank-catalog.ts";
export { documentTexts, type RouteIndex } from "./route/route-index.ts";
export { valueFor } from "./route/step-output.ts";
export { taskTexts } from "./route/task.ts";
export {
  type ExecutedStep,
  type MatchedCapability,
  type TaskIntent,
  TaskRequest,
  type TaskResponse,
  taskStatus,
} from "./route/task-contract.ts";
export { type TaskPart, taskParts, withSwitches } from "./route/task-parts.ts";
export { summarise, telemetryRecord } from "./route/telemetry-summary.ts";
export { contentTerms, identifierWords, words } from "./route/text.ts";
export type { Embed } from "./route/vectors.ts";
export { MINILM_WEIGHTS } from "./route/weights.ts";
export { type KnownTool, ruleFaults } from "./rules/check-rule.ts";
export type { CompileExpression, ExpressionField, Holds } from "./rules/condition.ts";
export { DEFAULT_RULES } from "./rules/default-rules.ts";
export type { ToolFields } from "./rules/lost-fields.ts";
export { narrowestRule } from "./rules/narrow-rule.ts";
export {
  type AskedCall,
  COUNT_EACH,
  COUNT_PERIODS,
  RULE_DAYS,
  RULE_DECISIONS,
  RULE_EFFECTS,
  RULE_OPERATORS,
  type Rule,
  type RuleAsk,
  type RuleCall,
  type RuleCondition,
  type RuleCount,
  type RuleDecision,
  type RuleEffect,
  type RuleLimit,
  type SavedEffect,
} from "./rules/rule.ts";
export { ruleSentence } from "./rules/rule-sentence.ts";
export { createRuleSet, type RuleSet } from "./rules/rule-set.ts";
export type { Parsed } from "./schema.ts";
export { EVERY_SCOPE, effectiveScopes, missingScopes } from "./scopes.ts";
export { isSemver, isVersionPin, satisfies } from "./semver.ts";
export type { CompileGrep, FileLimits, GrepMatch, LineFinder } from "./session-files.ts";
export { baseName, normalisePath, parentPath, parentPaths } from "./session-path.ts";
export { titleFromMessage } from "./session-title.ts";
export { type ListedTask, taskListIn } from "./task-list.ts";
export {
  asksAbout,
  type CompiledCheck,
  checkLine,
  checkSentence,
  type FindSpans,
  findWords,
  inPlainTextToo,
  KIND_PATTERNS,
  type ModelFind,
  type Span,
  spansOfKind,
  TEXT_EFFECTS,
  TEXT_KINDS,
  type TextCheck,
  type TextEffect,
  type TextFind,
  type TextKind,
  unfinishedLine,
} from "./text-checks/text-check.ts";
export { riskOf, whyUnavailable } from "./tool.ts";
export {
  Routing,
  readTrigger,
  readTriggerDocument,
  TRIGGER_MAX_BYTES,
  type Trigger,
  UserEmail,
} from "./triggers/trigger.ts";
export { parseClearJson, unclearKey } from "./unclear-json.ts";
export { parseKeepingDigits } from "./unclear-values.ts";
