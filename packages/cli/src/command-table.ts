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
    summary: "Show which capability a task goes to, and why",
    load: async () => (await import("./commands/route.ts")).route,
  },
  capabilities: {
    summary: "List capabilities, or show one",
    load: async () => (await import("./commands/capabilities.ts")).capabilities,
  },
  capability: {
    summary: "Test a capability on the calls that were recorded",
    load: async () => (await import("./commands/capability.ts")).capability,
  },
  agents: {
    summary: "List, show, create, delete and export agents",
    load: async () => (await import("./commands/agents.ts")).agents,
  },
  apply: {
    summary: "Apply agent files, after showing the difference",
    load: async () => (await import("./commands/apply.ts")).apply,
  },
  rules: {
    summary: "Which calls are allowed, asked for or denied",
    load: async () => (await import("./commands/rules.ts")).rules,
  },
  budgets: {
    summary: "What may be spent in a day, a week or a month",
    load: async () => (await import("./commands/budgets.ts")).budgets,
  },
  "text-checks": {
    summary: "What models may not say: masked, blocked, or read by a person first",
    load: async () => (await import("./commands/text-checks.ts")).textChecks,
  },
  connections: {
    summary: "Your accounts at other services, what used them, and their providers",
    load: async () => (await import("./commands/connections.ts")).connections,
  },
  replay: {
    summary: "Run recorded runs again with a change, and see what becomes different",
    load: async () => (await import("./commands/replay.ts")).replay,
  },
  datasets: {
    summary: "Cases to measure agents on, from recorded runs, from files, or by hand",
    load: async () => (await import("./commands/datasets.ts")).datasets,
  },
  eval: {
    summary: "Measure variants of an agent on a dataset, with an exit code for builds",
    load: async () => (await import("./commands/eval.ts")).evaluate,
  },
  experiments: {
    summary: "What was measured, and the answers that wait for a person's score",
    load: async () => (await import("./commands/experiments.ts")).experiments,
  },
  monitors: {
    summary: "Live runs scored in the background, and alerts when a revision is worse",
    load: async () => (await import("./commands/monitors.ts")).monitors,
  },
  memories: {
    summary: "What agents remember between conversations",
    load: async () => (await import("./commands/memories.ts")).memories,
  },
  explain: {
    summary: "Why a call was allowed, asked for or denied",
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
    summary: "Make a capability of any npm package or program with a command line",
    load: async () => (await import("./commands/wrap.ts")).wrap,
  },
  uninstall: {
    summary: "Uninstall a package",
    load: async () => (await import("./commands/packages.ts")).uninstall,
  },
  output: {
    summary: "Everything a failed command printed",
    load: async () => (await import("./commands/output.ts")).output,
  },
  packages: {
    summary: "Installed packages",
    load: async () => (await import("./commands/packages.ts")).packages,
  },
  services: {
    summary: "Background services",
    load: async () => (await import("./commands/services.ts")).services,
  },
  audit: {
    summary: "Show the audit log, or verify it",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  schedules: {
    summary: "Agents that run at set times: next run, last outcome, run now, pause",
    load: async () => (await import("./commands/schedules.ts")).schedules,
  },
  usage: {
    summary: "Tokens, cost and tools, over time",
    load: async () => (await import("./commands/usage.ts")).usage,
  },
  triggers: {
    summary: "List triggers and their outcome",
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
    summary: "Sign out, and forget the login",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  whoami: {
    summary: "Who you are on the server, and what you may do",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
  logins: {
    summary: "List where people are signed in, and sign them out",
    load: async () => (await import("./commands/logins.ts")).logins,
  },
  scim: {
    summary: "Tokens with which a directory pushes users and groups",
    load: async () => (await import("./commands/scim.ts")).scim,
  },
  roles: {
    summary: "Which rights the groups and claims of a provider give",
    load: async () => (await import("./commands/roles.ts")).roles,
  },
  organisations: {
    summary: "List, make and bound organisations, and who is in them",
    load: async () => (await import("./commands/organisations.ts")).organisations,
  },
  users: {
    summary: "List users, disable and enable them",
    load: async () => (await import("./commands/users.ts")).users,
  },
  tokens: {
    summary: "List and revoke clients that logged in and agents' tokens",
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
