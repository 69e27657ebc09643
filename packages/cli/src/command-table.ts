/** Every command by name. To add one: its file in commands/, and a line here. */
import type { Command } from "./command.ts";

export interface CommandEntry {
  readonly summary: string;
  load(): Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: "Start the server (the default)",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  chat: { summary: "Chat with an agent", load: async () => (await import("./commands/chat.ts")).chat },
  approvals: {
    summary: "List pending approvals and answer them",
    load: async () => (await import("./commands/approvals.ts")).approvals,
  },
  run: { summary: "Execute a task", load: async () => (await import("./commands/run.ts")).run },
  route: {
    summary: "Show which capability a task is routed to, and why",
    load: async () => (await import("./commands/route.ts")).route,
  },
  capabilities: {
    summary: "List capabilities, or show one",
    load: async () => (await import("./commands/capabilities.ts")).capabilities,
  },
  capability: {
    summary: "Test a capability against recorded calls",
    load: async () => (await import("./commands/capability.ts")).capability,
  },
  agents: {
    summary: "List, show, create, delete and export agents",
    load: async () => (await import("./commands/agents.ts")).agents,
  },
  apply: {
    summary: "Show how agent files differ from the server, and apply them",
    load: async () => (await import("./commands/apply.ts")).apply,
  },
  rules: {
    summary: "List, add and test rules that allow, ask for or deny calls",
    load: async () => (await import("./commands/rules.ts")).rules,
  },
  budgets: {
    summary: "List, add and change spending limits and rate limits",
    load: async () => (await import("./commands/budgets.ts")).budgets,
  },
  "text-checks": {
    summary: "List, add and test checks that mask, block or hold what models say",
    load: async () => (await import("./commands/text-checks.ts")).textChecks,
  },
  connections: {
    summary: "Connect accounts at other services, and see what used them",
    load: async () => (await import("./commands/connections.ts")).connections,
  },
  replay: {
    summary: "Replay recorded runs with a change, and compare the results",
    load: async () => (await import("./commands/replay.ts")).replay,
  },
  datasets: {
    summary: "Collect test cases for agents, from recorded runs or files",
    load: async () => (await import("./commands/datasets.ts")).datasets,
  },
  eval: {
    summary: "Measure variants of an agent on a dataset, with an exit code for builds",
    load: async () => (await import("./commands/eval.ts")).evaluate,
  },
  experiments: {
    summary: "Show results of evaluations, and score answers by hand",
    load: async () => (await import("./commands/experiments.ts")).experiments,
  },
  monitors: {
    summary: "Score live runs in the background, with alerts when a revision is worse",
    load: async () => (await import("./commands/monitors.ts")).monitors,
  },
  memories: {
    summary: "List and edit what agents remember between conversations",
    load: async () => (await import("./commands/memories.ts")).memories,
  },
  explain: {
    summary: "Explain why a call was allowed, held for approval or denied",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  tool: {
    summary: "Run one tool through the gate",
    load: async () => (await import("./commands/tool.ts")).tool,
  },
  sessions: {
    summary: "List sessions, or show one",
    load: async () => (await import("./commands/sessions.ts")).sessions,
  },
  install: {
    summary: "Review and install a package",
    load: async () => (await import("./commands/install.ts")).install,
  },
  wrap: {
    summary: "Turn any command-line program or npm package into a capability",
    load: async () => (await import("./commands/wrap.ts")).wrap,
  },
  uninstall: {
    summary: "Uninstall a package",
    load: async () => (await import("./commands/packages.ts")).uninstall,
  },
  output: {
    summary: "Print the full output of a failed command",
    load: async () => (await import("./commands/output.ts")).output,
  },
  packages: {
    summary: "List installed packages",
    load: async () => (await import("./commands/packages.ts")).packages,
  },
  services: {
    summary: "Start, stop and show background services",
    load: async () => (await import("./commands/services.ts")).services,
  },
  audit: {
    summary: "Show the audit log, or verify it",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  schedules: {
    summary: "List, create, run and pause scheduled agent runs",
    load: async () => (await import("./commands/schedules.ts")).schedules,
  },
  usage: {
    summary: "Show tokens, cost and tool success over time",
    load: async () => (await import("./commands/usage.ts")).usage,
  },
  triggers: {
    summary: "List triggers and their outcomes; retry or drop one",
    load: async () => (await import("./commands/triggers.ts")).triggers,
  },
  new: {
    summary: "Create a capability project",
    load: async () => (await import("./commands/new.ts")).newProject,
  },
  pack: {
    summary: "Build a wheel or tarball of a project",
    load: async () => (await import("./commands/new.ts")).pack,
  },
  "coding-agents": {
    summary: "Compare coding agents; run, replay and install them",
    load: async () => (await import("./commands/coding-agents.ts")).codingAgents,
  },
  doctor: {
    summary: "Check the coding agents on this machine",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  models: {
    summary: "List models and prices; choose the default with `models use`",
    load: async () => (await import("./commands/models.ts")).models,
  },
  providers: {
    summary: "List, add and remove model providers",
    load: async () => (await import("./commands/providers.ts")).providers,
  },
  delegate: {
    summary: "Delegate a task to a coding agent",
    load: async () => (await import("./commands/delegate.ts")).delegate,
  },
  secrets: {
    summary: "Give secrets to capabilities",
    load: async () => (await import("./commands/secrets.ts")).secrets,
  },
  keys: {
    summary: "List, create and revoke API keys",
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  login: {
    summary: "Sign in with the server's OpenID provider",
    load: async () => (await import("./commands/login.ts")).login,
  },
  logout: {
    summary: "Sign out and delete the stored login",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  whoami: {
    summary: "Show who you are on the server and what you may do",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
  logins: {
    summary: "List sign-ins and end them",
    load: async () => (await import("./commands/logins.ts")).logins,
  },
  scim: {
    summary: "Manage tokens for a directory that pushes users and groups (SCIM)",
    load: async () => (await import("./commands/scim.ts")).scim,
  },
  roles: {
    summary: "Map a provider's groups and claims to rights",
    load: async () => (await import("./commands/roles.ts")).roles,
  },
  organisations: {
    summary: "List, create and limit organisations, and manage their members",
    load: async () => (await import("./commands/organisations.ts")).organisations,
  },
  users: {
    summary: "List, disable, enable and delete users",
    load: async () => (await import("./commands/users.ts")).users,
  },
  tokens: {
    summary: "List and revoke agents' tokens and logged-in clients",
    load: async () => (await import("./commands/tokens.ts")).tokens,
  },
  backup: {
    summary: "Back up the whole installation to one file",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    summary: "Restore a backup into an empty installation",
    load: async () => (await import("./commands/backup.ts")).restore,
  },
  migrate: {
    summary: "Move the embedded store to Postgres",
    load: async () => (await import("./commands/backup.ts")).migrate,
  },
};
