/** Maps a client's thread to a session. A thread id that is a UUID is the session's id; for any other text one is derived. */
import { fail, ok, type Result } from "@capstan/core";
import {
  type Database,
  hasRunIn,
  isUuid,
  newSessionView,
  type Runs,
  type SessionRecord,
  type SessionStore,
  type SessionView,
  uuidFrom,
} from "@capstan/runtime";

export interface Thread {
  readonly agentId: string;
  readonly owner: string;
  readonly threadId: string;
  /** The login of a client: it reaches the conversations it started, and none of its user's others. */
  readonly client?: string | undefined;
}

export interface ThreadParts {
  readonly sessions: SessionStore;
  readonly database: Database;
}

export async function threadSession(
  { sessions, database }: ThreadParts,
  thread: Thread,
): Promise<Result<SessionRecord>> {
  const id = sessionIdOf(thread);
  const found = await sessions.get(id);
  if (found.ok) {
    const { owner, metadata } = found.value;
    const isKnown = owner === thread.owner && isBegunBy(thread.client, metadata);
    const may = isKnown && (await isOf(database, found.value, thread.agentId));
    return may ? found : fail("not_found", { what: "session", id: thread.threadId });
  }
  const metadata = metadataOf(thread, id);
  return ok(await sessions.create({ id, agentId: thread.agentId, owner: thread.owner, metadata }));
}

/** The thread at the start of a turn. A new one is stored with its first message. */
export interface ThreadAtStart {
  readonly session: Pick<SessionRecord, "id" | "agentId" | "owner">;
  readonly view: SessionView;
}

export async function readThread(
  { runs, database }: Pick<ThreadParts, "database"> & { readonly runs: Pick<Runs, "view"> },
  thread: Thread,
  messageId: string,
): Promise<Result<ThreadAtStart>> {
  const { agentId, owner, threadId } = thread;
  const id = sessionIdOf(thread);
  const view = await runs.view(id, messageId);
  if (!view) return ok(newThread(thread));
  const session = { id, agentId: view.agent_id, owner: view.owner };
  const isKnown = session.owner === owner && isBegunBy(thread.client, view.metadata);
  const may = isKnown && (await isOf(database, session, agentId));
  return may ? ok({ session, view }) : fail("not_found", { what: "session", id: threadId });
}

/** A thread assumed to be new; the claim of its first run verifies that. */
export function newThread(thread: Thread): ThreadAtStart {
  const { agentId, owner } = thread;
  const id = sessionIdOf(thread);
  const metadata = metadataOf(thread, id);
  return { session: { id, agentId, owner }, view: newSessionView({ agentId, owner, metadata }) };
}

export function sessionIdOf({ agentId, owner, threadId, client }: Thread): string {
  if (isUuid(threadId)) return threadId.toLowerCase();
  return uuidFrom([agentId, owner, ...(client === undefined ? [] : [client]), threadId].join("\n"));
}

const metadataOf = ({ threadId, client }: Thread, id: string) => ({
  ...(id !== threadId && { thread_id: threadId }),
  ...(client !== undefined && { client_login: client }),
});

/** Whether a session belongs to this client; a person reaches all of their own. */
export const isBegunBy = (client: string | undefined, metadata: unknown): boolean =>
  client === undefined || (metadata as { client_login?: unknown } | null)?.client_login === client;

/** A conversation that was handed over stays with its client, whichever agent answers. */
async function isOf(
  database: Pick<Database, "pool">,
  { id, agentId }: Pick<SessionRecord, "id" | "agentId">,
  asked: string,
): Promise<boolean> {
  if (agentId === null || agentId === asked) return true;
  return hasRunIn(database, id, asked);
}
