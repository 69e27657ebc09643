/**
 * The session of a task's tools: the one the caller named, or a new one once a tool needs it. A new one has the task's
 * own id, so that another process which takes over the task finds its files.
 */
import { type AnyTool, fail, ok, type Result, type SessionFileStore } from "@capstan/core";
import type { TaskRequest, TaskResponse } from "@capstan/core/internal";
import type { SessionStore } from "../sessions/session-store.ts";

export interface TaskSessionParts {
  readonly sessions: Pick<SessionStore, "create" | "get">;
  readonly files: (sessionId: string) => Pick<SessionFileStore, "list">;
}

const TITLE_CHARS = 80;
const MOST_FILES = 100;
const MOST_FOLDERS = 20;

/** Another user's session is treated as missing. */
export async function checkSession(
  { sessions }: TaskSessionParts,
  { sessionId }: TaskRequest,
  email: string,
): Promise<Result<true>> {
  if (sessionId === undefined) return ok(true);
  const found = await sessions.get(sessionId);
  return found.ok && found.value.owner === email
    ? ok(true)
    : fail("not_found", { what: "session", id: sessionId });
}

export function taskSession(
  { sessions, files }: TaskSessionParts,
  { sessionId, agentId, task }: TaskRequest,
  { email, taskId }: { readonly email: string; readonly taskId: string },
) {
  let fresh: string | undefined;
  return {
    async forTool({ requiresContext }: Pick<AnyTool, "requiresContext">): Promise<string | undefined> {
      if (sessionId !== undefined || !requiresContext) return sessionId;
      fresh ??= (
        await sessions.create({ id: taskId, owner: email, agentId, title: task.slice(0, TITLE_CHARS) })
      ).id;
      return fresh;
    },
    /** For the response: which session was used, and its current files. */
    async inTheEnd(): Promise<TaskResponse["session"]> {
      const id = sessionId ?? fresh;
      return id === undefined ? undefined : { id, files: await pathsIn(files(id)) };
    },
  };
}

async function pathsIn(store: Pick<SessionFileStore, "list">): Promise<string[]> {
  const found: string[] = [];
  const folders = ["/"];
  for (let at = 0; at < folders.length && at < MOST_FOLDERS; at++) {
    const listed = await store.list(folders[at] ?? "/");
    for (const { path, isDirectory } of listed.ok ? listed.value : [])
      (isDirectory ? folders : found).push(path);
  }
  return found.slice(0, MOST_FILES);
}
