/**
 * An agent's stored sessions: list them, read one, continue it, fork it. Read-only: resuming and forking are runs.
 *
 * Everything is bounded: other people's session folders hold gigabytes.
 */
import { open, stat } from "node:fs/promises";
import { fail, ok, type Result } from "@capstan/core";
import {
  type CliMessage,
  type CliSessionStore,
  type CodingAgentAdapter,
  runError,
  type StoredSession,
} from "@capstan/core/internal";
import type { CommandResult, CommandRunner } from "../command/run-command.ts";
import { matchingPaths } from "../files/matching-paths.ts";
import { aboutSession, toldApart } from "./about-session.ts";
import { readDatabase } from "./session-database.ts";

const MAX_SESSIONS = 500;
const MAX_HEAD_BYTES = 262_144; // before the first words of a person, some store all their instructions
const MAX_SESSION_BYTES = 32_000_000;
const MAX_MESSAGES = 5_000;
const COMMAND_TIMEOUT_MS = 60_000;

export interface ReadOptions {
  /** Include instructions: system prompts, and context that a program adds in a person's name. */
  readonly system?: boolean | undefined;
}

export interface SessionPlace {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: CommandRunner;
  readonly cwd?: string;
}

type FileStore = Extract<CliSessionStore, { kind: "files" }>;
type CommandStore = Extract<CliSessionStore, { kind: "command" }>;
type DatabaseStore = Extract<CliSessionStore, { kind: "database" }>;

/** The sessions an agent has stored, latest first. Throws if that cannot be known: an empty list would mean that there are none. */
export async function listSessions(
  { name, sessions }: CodingAgentAdapter,
  place: SessionPlace,
): Promise<StoredSession[]> {
  if (!sessions) throw runError(unsupported(name));
  if (sessions.kind === "command") return runList(name, sessions, place);
  return sessions.kind === "files" ? listFiles(sessions, place) : listDatabases(name, sessions, place);
}

const unsupported = (agent: string) =>
  fail("CAPABILITY_ERROR", {
    agent,
    capability: "sessions",
    message: `Agent '${agent}' does not say where it stores its sessions`,
  }).failure;

async function listFiles(sessions: FileStore, place: SessionPlace): Promise<StoredSession[]> {
  const files = await sessionFiles(sessions, place);
  const listed = await Promise.all(
    files.slice(0, MAX_SESSIONS).map(async ({ path, modified }): Promise<StoredSession[]> => {
      const head = await readHead(path, MAX_HEAD_BYTES);
      const id = sessions.id(path, firstLineOf(head));
      const messages = sessions.messages(head);
      const isSaid = messages.some((message) => toldApart(message).role !== "system");
      const isEmpty = !isSaid && head.length < MAX_HEAD_BYTES; // Gemini leaves such files beside a session
      if (id === undefined || isEmpty) return [];
      return [{ id, ...aboutSession(head, messages), updatedAt: modified.toISOString() }];
    }),
  );
  return listed.flat();
}

/** The conversation, without the instructions that programs put before it unless `system` is set. */
export async function readSession(
  adapter: CodingAgentAdapter,
  id: string,
  place: SessionPlace,
  { system = false }: ReadOptions = {},
): Promise<Result<readonly CliMessage[]>> {
  const { sessions, name } = adapter;
  if (!sessions) return { ok: false, failure: unsupported(name) };
  const found = await storedMessages(name, sessions, id, place);
  if (!found.ok) return found;
  if (found.value === undefined) return fail("session_not_found", { agent: name, id });
  const messages = found.value.map(toldApart);
  return ok(messages.filter(({ role }) => system || role !== "system").slice(0, MAX_MESSAGES));
}

type Found = Result<readonly CliMessage[] | undefined>;

async function storedMessages(
  agent: string,
  store: CliSessionStore,
  id: string,
  place: SessionPlace,
): Promise<Found> {
  if (store.kind === "database") return databaseMessages(agent, store, id, place);
  const text = store.kind === "files" ? await sessionText(store, id, place) : await runRead(store, id, place);
  return ok(text === undefined ? undefined : store.messages(text));
}

async function listDatabases(
  agent: string,
  store: DatabaseStore,
  place: SessionPlace,
): Promise<StoredSession[]> {
  const listed: StoredSession[] = [];
  for (const { path, modified } of (await sessionFiles(store, place)).slice(0, MAX_SESSIONS)) {
    const read = await readDatabase(agent, path, (query) => store.sessions(query, path));
    if (!read.ok) throw runError(read.failure);
    listed.push(...read.value.map((one) => ({ ...one, updatedAt: one.updatedAt ?? modified.toISOString() })));
  }
  return listed
    .toSorted((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""))
    .slice(0, MAX_SESSIONS);
}

async function databaseMessages(
  agent: string,
  store: DatabaseStore,
  id: string,
  place: SessionPlace,
): Promise<Found> {
  for (const { path } of await sessionFiles(store, place)) {
    const read = await readDatabase(agent, path, (query) => store.messages(query, id));
    if (!read.ok || read.value !== undefined) return read;
  }
  return ok(undefined);
}

async function runList(
  agent: string,
  { lists, sessions }: CommandStore,
  place: SessionPlace,
): Promise<StoredSession[]> {
  const { run, env, cwd } = place;
  const where = cwd === undefined ? {} : { cwd };
  let last = { store: "", why: "it has no command for it" };
  for (const list of lists) {
    const { outcome, code, stdout } = await run(list, { env, timeoutMs: COMMAND_TIMEOUT_MS, ...where });
    if (outcome === "exited" && code === 0) return sessions(stdout).slice(0, MAX_SESSIONS);
    last = {
      store: list.slice(0, 2).join(" "),
      why: outcome === "exited" ? `it exited with ${code}` : WHY_NOT[outcome],
    };
  }
  throw runError(fail("sessions_unreadable", { agent, ...last }).failure);
}

const WHY_NOT: Readonly<Record<Exclude<CommandResult["outcome"], "exited">, string>> = {
  not_found: "the program is not installed",
  stopped: "it was stopped",
  timeout: "it did not answer in time",
  too_large: "its list is too long",
};

async function runRead(
  store: CommandStore,
  id: string,
  { run, env }: SessionPlace,
): Promise<string | undefined> {
  // An id goes onto a command line: one that starts with a dash would be an option.
  if (!/^\w[\w.:-]*$/.test(id)) return undefined;
  const { outcome, code, stdout } = await run(store.read(id), { env, timeoutMs: COMMAND_TIMEOUT_MS });
  return outcome === "exited" && code === 0 ? stdout : undefined;
}

async function sessionText(store: FileStore, id: string, place: SessionPlace): Promise<string | undefined> {
  for (const { path } of await sessionFiles(store, place)) {
    if (store.id(path, await firstLine(path)) === id) return readHead(path, MAX_SESSION_BYTES);
  }
  return undefined;
}

interface SessionFile {
  readonly path: string;
  readonly modified: Date;
}

async function sessionFiles(
  { pattern, moved }: FileStore | DatabaseStore,
  { home, env }: SessionPlace,
): Promise<SessionFile[]> {
  const elsewhere = moved && env[moved.variable];
  const ownHome = ((moved?.homeVariable && env[moved.homeVariable]) || home).replace(/^~(?=$|[\\/])/, home);
  const [root, rest] =
    moved && elsewhere ? [elsewhere, pattern.slice(moved.folder.length + 1)] : [ownHome, pattern];
  const paths = await matchingPaths(root, rest);
  const files = await Promise.all(
    paths.map(async (path): Promise<SessionFile[]> => {
      const info = await stat(path).catch(() => undefined);
      return info?.isFile() && info.size > 0 ? [{ path, modified: info.mtime }] : [];
    }),
  );
  return files.flat().toSorted((a, b) => b.modified.getTime() - a.modified.getTime());
}

const firstLine = async (path: string) => firstLineOf(await readHead(path, MAX_HEAD_BYTES));
const firstLineOf = (head: string) => head.split("\n", 1)[0] ?? "";

async function readHead(path: string, bytes: number): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(bytes, size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
