export {
  type CommandOptions,
  type CommandResult,
  type CommandRunner,
  runCommand,
} from "./command/run-command.ts";
export type { AgentCheck, CheckEffects, LoginState, VersionStanding } from "./doctor/check-agent.ts";
export { type AgentDiagnosis, createDoctor, type Doctor, type DoctorOptions } from "./doctor/doctor.ts";
export { effectiveCapabilities } from "./doctor/effective.ts";
export {
  type ProbeDifference,
  type ProbeReport,
  type ProbeRun,
  probeAgent,
} from "./doctor/probe-agent.ts";
export { ALL_MANIFESTS, MANIFESTS } from "./manifests/all.ts";
export {
  MATRIX_COLUMNS,
  type MatrixColumn,
  type MatrixRow,
  matrixMarkdown,
  matrixRows,
} from "./manifests/matrix.ts";
export { MODEL_SNAPSHOTS } from "./models/all.ts";
export { createRefreshers, type RefreshEffects } from "./models/refreshers.ts";
export { createPlugins, type PluginEffects, type PluginOperations } from "./plugins/plugin-operations.ts";
export type { InstalledPlugin, PluginListing } from "./plugins/read-plugins.ts";
export { SIM_ANSWER, SIM_THINKING, type SimPlan, type SimScript } from "./sim/sim-plan.ts";
export type { SimRequest } from "./sim/sim-request.ts";
export { type Sim, type SimOptions, startSim } from "./sim/sim-server.ts";
export { type SimWiring, wireToSim } from "./sim/sim-wiring.ts";
