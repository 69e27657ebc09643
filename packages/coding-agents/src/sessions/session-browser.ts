/**
 * An agent's stored sessions: list them, read one, continue it, fork it. Read-only: resuming and forking are runs.
 *
 * Everything is bounded: other people's session folders hold gigabytes.
 */
import { open, stat } from "node:fs/promises";
import { fail, ok, type Result } from "@capstan/core";
import type { CliMessage, CliSessionStore, CodingAgentAdapter, StoredSession } from "@capstan/core/internal";
import type { CommandRunner } from "../command/run-command.ts";
import { matchingPaths } from "../files/matching-paths.ts";
import { aboutSession, toldApart } from "./about-session.ts";

const MAX_SESSIONS = 500;
const MAX_HEAD_BYTES = 262_144; // before the first words of a person, some store all their instructions
const MAX_SESSION_BYTES = 32_000_000;
const MAX_MESSAGES = 5_000;
const COMMAND_TIMEOUT_MS = 60_000;

export interface ReadOptions {
  /** Also instructions: system prompts, and context that a program puts into a person's mouth. */
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

/** The sessions an agent has stored, the latest first. An agent without a store has none. */
export async function listSessions(
  { sessions }: CodingAgentAdapter,
  place: SessionPlace,
): Promise<StoredSession[]> {
  if (!sessions) return [];
  if (sessions.kind === "command") return runList(sessions, place);
  const files = await sessionFiles(sessions, place);
  const listed = await Promise.all(
    files.slice(0, MAX_SESSIONS).map(async ({ path, modified }): Promise<StoredSession[]> => {
      const head = await readHead(path, MAX_HEAD_BYTES);
      const id = sessions.id(path, firstLineOf(head));
      const messages = sessions.messages(head);
      const isEmpty = messages.length === 0 && head.length < MAX_HEAD_BYTES; // Gemini leaves such beside a session
      if (id === undefined || isEmpty) return [];
      return [{ id, ...aboutSession(head, messages), updatedAt: modified.toISOString() }];
    }),
  );
  return listed.flat();
}

/** What was said, without the instructions that programs put before it, unless `system` asks for those. */
export async function readSession(
  adapter: CodingAgentAdapter,
  id: string,
  place: SessionPlace,
  { system = false }: ReadOptions = {},
): Promise<Result<readonly CliMessage[]>> {
  const { sessions, name } = adapter;
  const text =
    sessions?.kind === "files" ? await sessionText(sessions, id, place) : await runRead(sessions, id, place);
  if (text === undefined || !sessions) return fail("session_not_found", { agent: name, id });
  const messages = sessions.messages(text).map(toldApart);
  return ok(messages.filter(({ role }) => system || role !== "system").slice(0, MAX_MESSAGES));
}

async function runList({ lists, sessions }: CommandStore, place: SessionPlace): Promise<StoredSession[]> {
  const { run, env, cwd } = place;
  const where = cwd === undefined ? {} : { cwd };
  for (const list of lists) {
    const { outcome, code, stdout } = await run(list, { env, timeoutMs: COMMAND_TIMEOUT_MS, ...where });
    if (outcome === "exited" && code === 0) return sessions(stdout).slice(0, MAX_SESSIONS);
  }
  return [];
}

async function runRead(
  store: CommandStore | undefined,
  id: string,
  { run, env }: SessionPlace,
): Promise<string | undefined> {
  // An id goes onto a command line: one that starts with a dash would be an option.
  if (!store || !/^\w[\w.:-]*$/.test(id)) return undefined;
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
  { pattern, moved }: FileStore,
  { home, env }: SessionPlace,
): Promise<SessionFile[]> {
  const elsewhere = moved && env[moved.variable];
  const [root, rest] =
    moved && elsewhere ? [elsewhere, pattern.slice(moved.folder.length + 1)] : [home, pattern];
  const paths = await matchingPaths(root, rest);
  const files = await Promise.all(
    paths.map(async (path): Promise<SessionFile[]> => {
      const info = await stat(path).catch(() => undefined);
      return info?.isFile() ? [{ path, modified: info.mtime }] : [];
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
