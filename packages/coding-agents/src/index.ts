export type {
  AdapterEvent,
  AdapterRun,
  AdapterStep,
  AgentPlatform,
  AgentTransport,
  ApprovalMode,
  Attachment,
  AuthMethod,
  CapabilityGroup,
  CliMessage,
  CodingAgentAdapter,
  CodingAgentAdapter as AgentAdapter,
  CodingAgentCapabilities as AgentCapabilities,
  CodingAgentEvent as AgentEvent,
  CodingAgentManifest,
  CostDetails,
  CostSource,
  EffectiveCapabilities,
  GatedCapability,
  InstallMethod,
  LineReader,
  McpServerConfig,
  ModelCapabilities,
  ModelRegistry,
  ModelValidationResult,
  OutputFormat,
  PluginFormat,
  PluginRegistry,
  RunCommand,
  RunErrorCode as ErrorCode,
  RunExit,
  RunOutcome,
  RunPlace,
  StoredSession,
  ThinkingEffortLevel,
} from "@capstan/core/internal";
export {
  CapabilityError,
  CodingAgentError,
  CodingAgentError as AgentMuxError,
  RUN_ERROR_CODES,
  RunRefusedError,
  ValidationError,
} from "@capstan/core/internal";
export {
  type AdapterRegistry,
  createAdapterRegistry,
  type DetectedAgent,
} from "./adapter-registry.ts";
export { type AcpAgent, acpAdapter } from "./adapters/acp.ts";
export type { AcpQuirks } from "./adapters/acp-reader.ts";
export { BaseAgentAdapter } from "./adapters/base-agent-adapter.ts";
export { type AgentName, BUILT_IN_ADAPTERS, type BuiltInAgentName } from "./built-in/built-in-agents.ts";
export { ALL_MANIFESTS, MANIFESTS } from "./built-in/manifests.ts";
export {
  MATRIX_COLUMNS,
  type MatrixColumn,
  type MatrixRow,
  matrixMarkdown,
  matrixRows,
} from "./built-in/matrix.ts";
export { MODEL_SNAPSHOTS } from "./built-in/models.ts";
export { createRefreshers } from "./built-in/refreshers.ts";
export { createClient } from "./client.ts";
export type {
  BaseEvent,
  ClientOptions,
  CodingAgentClient,
  CodingAgentClient as AgentMuxClient,
  HostOptions,
  RunOptions,
  SessionBrowser,
} from "./coding-agent-client.ts";
export {
  type CommandOptions,
  type CommandResult,
  type CommandRunner,
  runCommand,
} from "./command/run-command.ts";
export type { AgentCheck, CheckEffects, LoginState, LoginState as AuthState } from "./doctor/check-agent.ts";
export { type AgentDiagnosis, createDoctor, type Doctor, type DoctorOptions } from "./doctor/doctor.ts";
export { effectiveCapabilities } from "./doctor/effective.ts";
export {
  type LocalAgents,
  type OpenDoctorOptions,
  openDoctor,
  openLocalAgents,
} from "./doctor/open-doctor.ts";
export {
  type FeatureFinding,
  isProbeClean,
  type ProbeDifference,
  type ProbeReport,
  type ProbeRun,
  probeAgent,
} from "./doctor/probe-agent.ts";
export type { VersionStanding } from "./doctor/version-standing.ts";
export type { RefreshEffects } from "./models/model-sources.ts";
export {
  createPlugins,
  type PluginEffects,
  type PluginInstallOptions,
  type PluginOperations,
  type PluginSearchOptions,
} from "./plugins/plugin-operations.ts";
export type { InstalledPlugin, PluginListing } from "./plugins/read-plugins.ts";
export { createRunHost, type HostedRun, type RunHost, runCommandSchema } from "./remote/run-host.ts";
export { type RecordingReader, replay } from "./replay/replay.ts";
export type { RunHandle, RunResult } from "./runner/run-handle.ts";
export { RUNNER_SETTINGS, type RunnerSettings } from "./runner/runner-settings.ts";
export { SIM_ANSWER, SIM_THINKING, type SimPlan, type SimScript } from "./sim/sim-plan.ts";
export type { SimRequest } from "./sim/sim-request.ts";
export { type Sim, type SimOptions, startSim } from "./sim/sim-server.ts";
export { type SimWiring, wireToSim } from "./sim/sim-wiring.ts";
