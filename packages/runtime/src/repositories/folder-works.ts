/** The rows of work in real folders: one open at a time per session. */
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { isUuid } from "../db/uuid.ts";

export type FolderWorkStatus = "open" | "applying" | "applied" | "discarded";

export interface FolderWork {
  readonly id: string;
  readonly sessionId: string;
  readonly folder: string;
  readonly branch: string;
  readonly base: string;
  readonly start: string;
  readonly status: FolderWorkStatus;
  readonly commit: string | null;
  readonly settledBy: string | null;
  readonly settledAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface FolderWorks {
  /** The newest of a session, settled or not. */
  latest(sessionId: string): Promise<FolderWork | undefined>;
  /** The unsettled work of the session that this one was branched from. */
  ofOrigin(sessionId: string): Promise<FolderWork | undefined>;
  begin(work: Pick<FolderWork, "sessionId" | "folder" | "branch" | "base" | "start">): Promise<FolderWork>;
  /** From open to another status, unless a run of the session is under way. */
  leave(id: string, status: "applying" | "discarded", by: string): Promise<boolean>;
  noteCommit(id: string, commit: string): Promise<void>;
  finish(id: string): Promise<void>;
  reopen(id: string): Promise<void>;
  /** Settled work, and work of deleted sessions, whose worktree is still there. */
  listLeftovers(): Promise<FolderWork[]>;
  noteCleared(id: string): Promise<void>;
}

const COLUMNS = `id, session_id as "sessionId", folder, branch, base, start, status, commit, settled_by as "settledBy",
  settled_at as "settledAt", created_at as "createdAt", updated_at as "updatedAt"`;
const OF_SESSION = `select ${COLUMNS} from folder_works where session_id = $1 order by created_at desc, id desc limit 1`;
const OF_ORIGIN = `select ${COLUMNS} from folder_works where status in ('open', 'applying')
  and session_id = (select forked_from from sessions where id = $1)`;
const BEGIN = `insert into folder_works(id, session_id, folder, branch, base, start) values ($1, $2, $3, $4, $5, $6)
  returning ${COLUMNS}`;
/** A run that starts after this finds the new status; one that started before it is seen here. */
const LEAVE = `update folder_works set status = $2, settled_by = $3, commit = null, updated_at = now(),
    settled_at = case when $2 = 'discarded' then now() end
  where id = $1 and status = 'open' and not exists (select 1 from runs
    where runs.session_id = folder_works.session_id and runs.status in ('queued', 'running', 'waiting'))
  returning id`;
const LEFT = `select ${COLUMNS} from folder_works where cleared_at is null and
  (status in ('applied', 'discarded') or not exists (select 1 from sessions where sessions.id = session_id))`;
const APPLIED = `update folder_works set status = 'applied', settled_at = now(), updated_at = now()
  where id = $1 and status = 'applying'`;
const REOPEN = `update folder_works set status = 'open', commit = null, settled_by = null, updated_at = now()
  where id = $1 and status = 'applying'`;

export function folderWorks(pool: pg.Pool): FolderWorks {
  const first = async (query: string, values: unknown[]): Promise<FolderWork | undefined> =>
    (await pool.query<FolderWork>(query, values)).rows[0];
  return {
    latest: async (sessionId) => (isUuid(sessionId) ? first(OF_SESSION, [sessionId]) : undefined),
    ofOrigin: (sessionId) => first(OF_ORIGIN, [sessionId]),
    async begin({ sessionId, folder, branch, base, start }) {
      const made = await first(BEGIN, [uuidv7(), sessionId, folder, branch, base, start]);
      if (!made) throw new Error("the row just written is not there");
      return made;
    },
    leave: async (id, status, by) => (await first(LEAVE, [id, status, by])) !== undefined,
    async noteCommit(id, commit) {
      await pool.query("update folder_works set commit = $2, updated_at = now() where id = $1", [id, commit]);
    },
    async finish(id) {
      await pool.query(APPLIED, [id]);
    },
    async reopen(id) {
      await pool.query(REOPEN, [id]);
    },
    listLeftovers: async () => (await pool.query<FolderWork>(LEFT)).rows,
    async noteCleared(id) {
      await pool.query("update folder_works set cleared_at = now() where id = $1", [id]);
    },
  };
}
