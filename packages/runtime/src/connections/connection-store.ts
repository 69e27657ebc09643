/** Users' connections: one per user and provider. Secrets are encrypted at rest and opened only for a request. */
import { fail, ok, type Result } from "@capstan/core";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { isAfterText, type Place, pageOf, placeText } from "../db/keyset.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../db/uuid.ts";
import type { ConfiguredProvider } from "./connection-providers.ts";
import {
  COLUMNS,
  type ConnectionRecord,
  type ConnectionStoreParts,
  END,
  type OpenedConnection,
  openedOf,
  openFresh,
  type SealedRow,
} from "./refresh-connection.ts";
import type { NewTokens } from "./token-requests.ts";

const KEPT_USES_DAYS = 90;

export interface ConsentRecord {
  readonly connectionId: string;
  readonly agentId: string;
  readonly callId: string | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

export interface ConnectionUse {
  readonly agentId: string;
  readonly capabilityId: string;
  readonly tool: string;
  readonly runId: string | null;
  readonly sessionId: string | null;
  readonly usedAt: Date;
}

/** How long an agent may use it: for one call, until a time, or for ever. */
export interface Consent {
  readonly agentId: string;
  readonly callId?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

export interface ConnectionStore {
  /** Newest first; without a user, those of everyone. */
  list(userEmail?: string): Promise<ConnectionRecord[]>;
  get(id: string): Promise<Result<ConnectionRecord>>;
  of(userEmail: string, provider: string): Promise<ConnectionRecord | undefined>;
  save(place: { userEmail: string; provider: string }, tokens: NewTokens): Promise<ConnectionRecord>;
  /** Deletes it and returns the secret, to be revoked at the provider. */
  remove(id: string): Promise<OpenedConnection | undefined>;
  allow(connectionId: string, consent: Consent): Promise<void>;
  consents(connectionIds: readonly string[]): Promise<ConsentRecord[]>;
  isAllowed(connectionId: string, agentId: string, callId: string): Promise<boolean>;
  /** Revokes an agent's consent. */
  disallow(connectionId: string, agentId: string): Promise<boolean>;
  /** For one request. Refreshed when it expires soon, or when it is still the version that the provider refused. */
  open(id: string, provider: ConfiguredProvider, refused?: number): Promise<Result<OpenedConnection>>;
  /** The provider no longer accepts it. */
  end(id: string, version: number): Promise<void>;
  recordUse(connectionId: string, use: Omit<ConnectionUse, "usedAt">): Promise<void>;
  /** Newest first. */
  uses(
    connectionId: string,
    page: {
      readonly limit: number;
      readonly after?: Place | undefined;
      readonly agentId?: string | undefined;
      /** Words from the tool or the capability. */
      readonly text?: string | undefined;
    },
  ): Promise<{ items: ConnectionUse[]; nextCursor?: string }>;
}

const SAVE = `insert into connections (id, user_email, provider, account, scopes, secret, expires_at)
  values ($1, $2, $3, $4, $5::jsonb, $6, $7)
  on conflict (user_email, provider) do update set account = excluded.account, scopes = excluded.scopes,
    secret = excluded.secret, expires_at = excluded.expires_at, version = connections.version + 1,
    refreshing_until = null, ended_at = null, updated_at = now()
  returning ${COLUMNS}`;
const USES = `select agent_id as "agentId", capability_id as "capabilityId", tool, run_id as "runId",
  session_id as "sessionId", used_at as "usedAt", id, ${placeText("used_at")} as "at"
  from connection_uses where connection_id = $1
  and ${isAfterText("used_at", "id", 2)}
  and ($4::text is null or agent_id = $4)
  and ($5::text is null or strpos(lower(concat_ws(' ', capability_id, tool)), lower($5)) > 0)
  order by used_at desc, id desc limit $6`;
const IS_ALLOWED = `select 1 from connection_consents where connection_id = $1 and agent_id in ($2, '*')
  and (call_id is null or call_id = $3) and (expires_at is null or expires_at > now()) limit 1`;
const USED = `with used as (insert into connection_uses (id, connection_id, agent_id, capability_id, tool, run_id, session_id)
    select $1, id, $3, $4, $5, $6, $7 from connections where id = $2 returning connection_id),
  old as (delete from connection_uses where connection_id = $2
    and used_at < now() - make_interval(days => ${KEPT_USES_DAYS}))
  update connections set last_used_at = now() where id in (select connection_id from used)`;

export function connectionStore(parts: ConnectionStoreParts): ConnectionStore {
  const { database, box } = parts;
  const { pool } = database;
  const rows = async <T extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
    (await pool.query<T>(sql, values)).rows;
  return {
    list: (userEmail) =>
      rows<ConnectionRecord>(
        `select ${COLUMNS} from connections where ($1::text is null or user_email = $1) order by created_at desc, id desc`,
        [userEmail ?? null],
      ),
    async get(id) {
      const [found] = isUuid(id)
        ? await rows<ConnectionRecord>(`select ${COLUMNS} from connections where id = $1`, [id])
        : [];
      return found ? ok(found) : fail("not_found", { what: "connection", id });
    },
    of: async (userEmail, provider) =>
      (
        await rows<ConnectionRecord>(
          `select ${COLUMNS} from connections where user_email = $1 and provider = $2`,
          [userEmail, provider],
        )
      )[0],
    async save({ userEmail, provider }, { secret, expiresAt, scopes = [], account = "" }) {
      const sealed = box.seal(JSON.stringify(secret));
      const values = [
        uuidv7(),
        userEmail,
        provider,
        account,
        JSON.stringify(scopes),
        sealed,
        expiresAt ?? null,
      ];
      const [saved] = await rows<ConnectionRecord>(SAVE, values);
      return saved as ConnectionRecord;
    },
    async remove(id) {
      const gone = isUuid(id)
        ? await rows<SealedRow>(`delete from connections where id = $1 returning ${COLUMNS}, secret`, [id])
        : [];
      return gone[0] && openedOf(box, gone[0]);
    },
    allow: (connectionId, consent) => allow(pool, connectionId, consent),
    consents: (ids) =>
      rows<ConsentRecord>(
        `select connection_id as "connectionId", agent_id as "agentId", call_id as "callId", expires_at as "expiresAt",
          created_at as "createdAt" from connection_consents where connection_id = any($1::uuid[]) and call_id is null
          and (expires_at is null or expires_at > now()) order by created_at`,
        [[...ids]],
      ),
    isAllowed: async (...place) => (await rows(IS_ALLOWED, place)).length > 0,
    async disallow(connectionId, agentId) {
      const { rowCount } = await pool.query(
        "delete from connection_consents where connection_id = $1 and agent_id = $2",
        [connectionId, agentId],
      );
      return (rowCount ?? 0) > 0;
    },
    open: (id, provider, refusedVersion) => openFresh(parts, id, provider, refusedVersion),
    end: async (id, version) => void (await pool.query(END, [id, version])),
    async recordUse(connectionId, { agentId, capabilityId, tool, runId, sessionId }) {
      await pool.query(USED, [uuidv7(), connectionId, agentId, capabilityId, tool, runId, sessionId]);
    },
    uses: (connectionId, page) => listUses(pool, connectionId, page),
  };
}

async function listUses(
  pool: pg.Pool,
  connectionId: string,
  { limit, after, agentId, text }: Parameters<ConnectionStore["uses"]>[1],
) {
  const values = [
    connectionId,
    after?.at ?? null,
    after?.id ?? null,
    agentId ?? null,
    text ?? null,
    limit + 1,
  ];
  const { rows } = await pool.query<ConnectionUse & Place>(USES, values);
  return pageOf(rows, limit, (place) => place);
}

/** A newer consent of the same agent replaces the older one; one for a single call lies next to it. */
function allow(pool: pg.Pool, connectionId: string, { agentId, callId, expiresAt }: Consent): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(
      `delete from connection_consents where connection_id = $1 and agent_id = $2
        and (call_id is not distinct from $3 or expires_at < now())`,
      [connectionId, agentId, callId ?? null],
    );
    await client.query(
      "insert into connection_consents (id, connection_id, agent_id, call_id, expires_at) values ($1, $2, $3, $4, $5)",
      [uuidv7(), connectionId, agentId, callId ?? null, expiresAt ?? null],
    );
  });
}
