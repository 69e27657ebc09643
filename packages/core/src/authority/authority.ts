/**
 * Who may do what, as data: every actor and every kind of thing. Routes look up the required right here, the
 * documentation prints it, and a test tries every cell. A thing or an actor without a cell does not compile.
 */

/** What a key may hold. Each right includes the ones before it. */
export const RIGHTS = ["read", "run", "author", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

export const THINGS = [
  "session",
  "file",
  "change",
  "run",
  "task",
  "replay",
  "dataset",
  "experiment",
  "monitor",
  "approval",
  "agent",
  "token",
  "login",
  "capability",
  "package",
  "service",
  "secret",
  "connection",
  "grant",
  "rule",
  "text check",
  "budget",
  "memory",
  "user",
  "organisation",
  "key",
  "schedule",
  "trigger",
  "transcript",
  "coding agent",
  "provider",
  "model",
  "audit log",
  "server",
  "host file",
  "network",
] as const;
export type Thing = (typeof THINGS)[number];

/** See: read or list. Use: run, answer, call. Change: create, edit, delete. */
export type Action = "see" | "use" | "change";
export const ACTIONS: readonly Action[] = ["see", "use", "change"];

/** Whose things: the actor's own, or everyone's. For an admin it is always everyone's. */
export type Whose = "own" | "all";

/** The right a key needs for an action; absent means no key may, not even an admin's. */
interface KeyRule {
  readonly see?: Right;
  readonly use?: Right;
  readonly change?: Right;
  readonly whose: Whose;
}

export const KEY_RULES: Readonly<Record<Thing, KeyRule>> = {
  session: { see: "read", use: "run", change: "run", whose: "own" },
  file: { see: "read", use: "run", change: "run", whose: "own" },
  change: { see: "read", use: "admin", change: "run", whose: "own" }, // of a real folder; to use it is to apply it
  run: { see: "read", use: "run", change: "run", whose: "own" },
  task: { see: "read", use: "run", whose: "own" },
  replay: { see: "read", change: "author", whose: "own" }, // of runs one may see
  dataset: { see: "read", change: "author", whose: "own" }, // made of runs one may see
  experiment: { see: "read", use: "run", change: "author", whose: "own" }, // to use it is to review its answers
  monitor: { see: "read", change: "author", whose: "own" }, // of live runs one may see
  approval: { see: "read", use: "run", whose: "own" },
  agent: { see: "read", use: "run", change: "author", whose: "own" }, // and what others shared with them
  token: { see: "run", change: "run", whose: "own" },
  login: { see: "read", change: "read", whose: "own" }, // sign-ins; to change one is to end it
  capability: { see: "read", use: "run", change: "admin", whose: "all" },
  package: { see: "read", use: "run", change: "admin", whose: "all" },
  service: { see: "read", change: "admin", whose: "all" },
  secret: { see: "run", change: "run", whose: "own" }, // names only; values are never shown
  connection: { see: "run", use: "run", change: "run", whose: "own" }, // which account; its token is never shown
  grant: { see: "read", change: "admin", whose: "all" },
  rule: { see: "read", change: "run", whose: "own" }, // one's own; only admins change those for everyone
  "text check": { see: "read", change: "admin", whose: "all" },
  budget: { see: "read", change: "admin", whose: "own" }, // shared ones are visible to everyone
  memory: { see: "read", change: "run", whose: "own" }, // one's own facts; only admins change the organisation's
  user: { see: "read", change: "admin", whose: "own" },
  organisation: { see: "read", change: "admin", whose: "own" }, // made by admins of the first one; each changes its own members
  key: { see: "admin", change: "admin", whose: "all" },
  schedule: { see: "read", change: "author", whose: "own" },
  trigger: { see: "read", use: "run", whose: "own" },
  transcript: { see: "admin", whose: "all" },
  "coding agent": { see: "read", use: "admin", whose: "all" },
  provider: { see: "read", change: "admin", whose: "all" },
  model: { see: "read", change: "admin", whose: "all" },
  "audit log": { see: "admin", whose: "all" },
  server: { see: "read", whose: "all" },
  "host file": { see: "admin", whose: "all" },
  network: { whose: "all" },
};

/** Actors without a key. What a key may do follows from `KEY_RULES`. */
export const PROGRAMS = [
  "nobody",
  "an agent's token",
  "a client's login",
  "a run's token",
  "the model",
  "package code",
  "a service",
  "a coding agent's program",
  "another user of the machine",
] as const;
export type Program = (typeof PROGRAMS)[number];
export type Actor = `${Right} key` | Program;
export const ACTORS: readonly Actor[] = [
  "nobody",
  ...RIGHTS.map((right) => `${right} key` as const),
  ...PROGRAMS.slice(1),
];

/** What an actor may do with a kind of thing, and through which path. An empty list is a refusal. */
export interface Cell {
  readonly may: readonly Action[];
  readonly how: string;
}

const NOTHING: Cell = { may: [], how: "" };
const THROUGH_TOOLS: Cell = { may: ["use"], how: "through the gate, with its agent's tools and scopes" };
const OWN_SESSION: Cell = { may: ["see", "change"], how: "in its own session, through tools" };
const OWN_FOLDER: Cell = { may: ["see", "change"], how: "in its assigned folder" };
const DECLARED: Cell = {
  may: ["use"],
  how: "public addresses, its own service and CAPSTAN_ALLOW_HOSTS; no other local ports",
};
const GUARDED: Cell = { may: ["use"], how: "public addresses, through the guarded fetch" };

const FACTS: Cell = {
  may: ["see", "change"],
  how: "of its user, its agent and the organisation, through tools; forgetting, or changing facts of anyone but its user, needs approval",
};

type Cells = Partial<Record<Thing, Cell>>;

/** Exceptions from the default, which is nothing. */
const PROGRAM_CELLS: Readonly<Record<Program, Cells>> = {
  nobody: {},
  "an agent's token": {
    capability: THROUGH_TOOLS,
    run: { may: ["use"], how: "its own agent, through the MCP tool ask_agent" },
    session: OWN_SESSION,
    file: OWN_SESSION,
    memory: FACTS,
    network: GUARDED,
  },
  "a client's login": {
    capability: { may: ["use"], how: "through the gate: the tools of one agent that the person allowed" },
    run: {
      may: ["use"],
      how: "runs of that agent that it started itself, over MCP, A2A, AG-UI, the AI SDK and the OpenAI API",
    },
    agent: { may: ["see"], how: "that agent's name and capabilities, over the same protocols" },
    approval: { may: ["use"], how: "those of its own runs, when the client shows them to the person" },
    session: OWN_SESSION,
    file: OWN_SESSION,
    memory: FACTS,
    network: GUARDED,
  },
  "a run's token": { capability: THROUGH_TOOLS, file: OWN_SESSION, memory: FACTS, network: GUARDED },
  "the model": {
    capability: THROUGH_TOOLS,
    memory: FACTS,
    file: OWN_SESSION,
    network: GUARDED,
    approval: { may: [], how: "it can request approval, never answer" },
    grant: { may: [], how: "it can ask with request_access; an admin answers" },
  },
  "package code": { file: OWN_FOLDER, network: DECLARED },
  "a service": {
    file: OWN_FOLDER,
    trigger: { may: ["change"], how: "triggers of its own capability" },
    network: DECLARED,
  },
  "a coding agent's program": {
    capability: THROUGH_TOOLS,
    file: OWN_FOLDER,
    memory: FACTS,
    network: {
      may: ["use"],
      how: "everything the machine can reach: it is a third-party program, chosen by an admin",
    },
  },
  "another user of the machine": {},
};

export function cellOf(actor: Actor, thing: Thing): Cell {
  const right = rightOf(actor);
  if (right === undefined) return PROGRAM_CELLS[actor as Program][thing] ?? NOTHING;
  const rule = KEY_RULES[thing];
  const may = ACTIONS.filter((action) => {
    const needed = rule[action];
    return needed !== undefined && includesRight([right], needed);
  });
  if (may.length === 0) return NOTHING;
  const whose = right === "admin" || rule.whose === "all" ? "everybody's" : "their own";
  return {
    may,
    how: thing === "agent" ? "change their own; see and use agents available to them; more if shared" : whose,
  };
}

const rightOf = (actor: Actor): Right | undefined => RIGHTS.find((right) => actor === `${right} key`);

/** The right a key needs; undefined when no key may. */
export const rightFor = (thing: Thing, action: Action): Right | undefined => KEY_RULES[thing][action];

export const includesRight = (held: readonly Right[], needed: Right): boolean =>
  held.some((right) => RIGHTS.indexOf(right) >= RIGHTS.indexOf(needed));
