/** A client's thread as a session of ours. A thread id that is a UUID is the session's id; any other text gets one of its own. */
import { createHash } from "node:crypto";
import { fail, ok, type Result } from "@capstan/core";
import type { SessionRecord } from "@capstan/runtime";
import type { Services } from "../services.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface Thread {
  readonly agentId: string;
  readonly owner: string;
  readonly threadId: string;
}

export async function threadSession(
  { sessions }: Pick<Services, "sessions">,
  thread: Thread,
): Promise<Result<SessionRecord>> {
  const id = sessionIdOf(thread);
  const found = await sessions.get(id);
  if (found.ok)
    return mayUse(found.value, thread) ? found : fail("not_found", { what: "session", id: thread.threadId });
  const metadata = id === thread.threadId ? {} : { thread_id: thread.threadId };
  return ok(await sessions.create({ id, agentId: thread.agentId, owner: thread.owner, metadata }));
}

export function sessionIdOf({ agentId, owner, threadId }: Thread): string {
  if (UUID.test(threadId)) return threadId.toLowerCase();
  const hash = createHash("sha256").update(`${agentId}\n${owner}\n${threadId}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

const mayUse = ({ agentId, owner }: SessionRecord, thread: Thread): boolean =>
  owner === thread.owner && (agentId === null || agentId === thread.agentId);
