/**
 * Read-only links to one session, limited in time and revocable. The secret is only in the link; its hash is stored.
 * The reader of the link decides what is shown, at most the session's messages and files.
 */
import { createHash, randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { isUuid } from "../db/uuid.ts";

const SECRET_BYTES = 32;
const MOST_LINKS = 100; // links in effect per session
const SECRET = /^[\w-]{43}$/;

export interface SessionLink {
  readonly id: string;
  readonly sessionId: string;
  readonly withFiles: boolean;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface SessionLinks {
  /** Undefined: the session has too many. */
  create(
    sessionId: string,
    link: { withFiles: boolean; hours: number; by: string },
  ): Promise<{ link: SessionLink; secret: string } | undefined>;
  /** Newest first, including expired ones. */
  list(sessionId: string): Promise<SessionLink[]>;
  revoke(sessionId: string, id: string): Promise<boolean>;
  /** The valid link with this secret. */
  open(secret: string): Promise<SessionLink | undefined>;
}

const COLUMNS = `id, session_id as "sessionId", with_files as "withFiles", created_by as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;
const IN_FORCE = "revoked_at is null and expires_at > now()";

export function sessionLinkStore({ pool }: Pick<Database, "pool">): SessionLinks {
  return {
    async create(sessionId, { withFiles, hours, by }) {
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      const { rows } = await pool.query<SessionLink>(
        `insert into session_links (id, session_id, hash, with_files, created_by, expires_at)
          select $1, $2, $3, $4, $5, now() + make_interval(hours => $6)
          where (select count(*) from session_links where session_id = $2 and ${IN_FORCE}) < ${MOST_LINKS}
          returning ${COLUMNS}`,
        [uuidv7(), sessionId, hashOf(secret), withFiles, by, hours],
      );
      return rows[0] && { link: rows[0], secret };
    },
    async list(sessionId) {
      const { rows } = await pool.query<SessionLink>(
        `select ${COLUMNS} from session_links where session_id = $1 order by created_at desc, id desc limit 1000`,
        [sessionId],
      );
      return rows;
    },
    async revoke(sessionId, id) {
      if (!isUuid(id)) return false;
      const { rowCount } = await pool.query(
        "update session_links set revoked_at = now() where id = $1 and session_id = $2 and revoked_at is null",
        [id, sessionId],
      );
      return (rowCount ?? 0) > 0;
    },
    async open(secret) {
      if (!SECRET.test(secret)) return undefined;
      const { rows } = await pool.query<SessionLink>(
        `update session_links set last_used_at = now() where hash = $1 and ${IN_FORCE} returning ${COLUMNS}`,
        [hashOf(secret)],
      );
      return rows[0];
    },
  };
}

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");
