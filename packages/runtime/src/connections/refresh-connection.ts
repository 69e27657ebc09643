/**
 * The secret of a connection, for one request. A refresh is made by one process: it takes a lease in the connection's row,
 * the others wait until the row has a new version, or fail with it. No transaction stays open while the provider is asked.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import type { Database } from "../db/database.ts";
import type { SecretBox } from "../users/secret-box.ts";
import type { ConfiguredProvider } from "./connection-providers.ts";
import { type ConnectionSecret, requestTokens, TOKEN_REQUEST_MS } from "./token-requests.ts";

const LEASE_SECONDS = Math.ceil(TOKEN_REQUEST_MS / 1000) + 5; // after this, a killed process no longer blocks others
const EARLY_MS = 60_000; // a token that expires during the call is useless
const EARLY_PART = 4; // of a shorter life: a token that was just refreshed is not refreshed again
const LOOK_AGAIN_MS = 50;
const LONGEST_WAIT_MS = (LEASE_SECONDS + 3) * 1000; // for others' refreshes; one of a killed process is over by then

export interface ConnectionRecord {
  readonly id: string;
  readonly userEmail: string;
  readonly provider: string;
  readonly account: string;
  readonly scopes: readonly string[];
  readonly version: number;
  readonly expiresAt: Date | null;
  readonly endedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A connection's secret with the version it was read at. */
export interface OpenedConnection {
  readonly record: ConnectionRecord;
  readonly secret: ConnectionSecret;
}

export interface ConnectionStoreParts {
  readonly database: Pick<Database, "pool">;
  readonly box: SecretBox;
  readonly fetch: GuardedFetch;
  readonly now?: () => Date;
}

export const COLUMNS = `id, user_email as "userEmail", provider, account, scopes, version, expires_at as "expiresAt",
  ended_at as "endedAt", created_at as "createdAt", updated_at as "updatedAt", last_used_at as "lastUsedAt"`;
const LEASE = `update connections set refreshing_until = now() + make_interval(secs => $3)
  where id = $1 and version = $2 and ended_at is null and (refreshing_until is null or refreshing_until < now())
  returning id`;
const STORE_REFRESHED = `update connections set secret = $3, expires_at = $4, scopes = coalesce($5::jsonb, scopes),
  version = version + 1, refreshing_until = null, updated_at = now() where id = $1 and version = $2 returning ${COLUMNS}`;
const RELEASE = "update connections set refreshing_until = null where id = $1 and version = $2";
export const END =
  "update connections set ended_at = now(), refreshing_until = null where id = $1 and version = $2";

export type SealedRow = ConnectionRecord & { readonly secret: string };

export async function openFresh(
  parts: ConnectionStoreParts,
  id: string,
  provider: ConfiguredProvider,
  refusedVersion: number | undefined,
): Promise<Result<OpenedConnection>> {
  const waitsUntil = performance.now() + LONGEST_WAIT_MS;
  for (let waitedFor: number | undefined; performance.now() < waitsUntil; ) {
    const found = await read(parts, id);
    if (!found) return gone(id);
    const { version } = found.record;
    // The refresh that this call waited for has failed: a provider that does not answer is not asked by each waiter in turn.
    const hasFailed = waitedFor === version && !found.isRefreshing;
    const opened = await openNow(parts, found, provider, { refusedVersion, hasFailed });
    if (opened) return opened;
    waitedFor = version;
    await sleep(LOOK_AGAIN_MS);
  }
  return unanswered(provider);
}

/** Undefined while another process refreshes it. */
async function openNow(
  parts: ConnectionStoreParts,
  opened: OpenedConnection,
  provider: ConfiguredProvider,
  { refusedVersion, hasFailed }: { refusedVersion: number | undefined; hasFailed: boolean },
): Promise<Result<OpenedConnection> | undefined> {
  const { pool } = parts.database;
  const { id, version } = opened.record;
  const state = stateOf(opened, refusedVersion, parts.now?.() ?? new Date());
  if (state === "good") return ok(opened);
  if (state === "over") {
    await pool.query(END, [id, version]);
    return gone(id);
  }
  if (hasFailed) return unanswered(provider);
  const { rowCount } = await pool.query(LEASE, [id, version, LEASE_SECONDS]);
  if (rowCount) return refresh(parts, opened, state, provider);
  return state.isAccepted ? ok(opened) : undefined;
}

const unanswered = ({ name }: ConfiguredProvider) =>
  fail("connection_refused", { provider: name, why: "it did not answer when the token had to be refreshed" });

const gone = (id: string) => fail("not_found", { what: "connection", id });

async function read(
  { database, box }: ConnectionStoreParts,
  id: string,
): Promise<(OpenedConnection & { readonly isRefreshing: boolean }) | undefined> {
  const { rows } = await database.pool.query<SealedRow & { isRefreshing: boolean }>(
    `select ${COLUMNS}, secret, refreshing_until is not null as "isRefreshing" from connections
      where id = $1 and ended_at is null`,
    [id],
  );
  if (!rows[0]) return undefined;
  const { isRefreshing, ...row } = rows[0];
  const opened = openedOf(box, row);
  return opened && { ...opened, isRefreshing };
}

interface NeedsRefresh {
  readonly refreshToken: string;
  /** The token may still be used meanwhile. */
  readonly isAccepted: boolean;
}

/** Refreshes a token that expires soon or that the provider refused; without a refresh token it is used until it expires. */
function stateOf(
  { record: { version, expiresAt, updatedAt }, secret: { refreshToken } }: OpenedConnection,
  refusedVersion: number | undefined,
  now: Date,
): "good" | "over" | NeedsRefresh {
  const lifeMs = expiresAt === null ? 0 : expiresAt.getTime() - updatedAt.getTime();
  const earlyMs = Math.min(EARLY_MS, Math.max(0, lifeMs / EARLY_PART));
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt.getTime() - now.getTime();
  const isAccepted = version !== refusedVersion && leftMs > 0;
  if (isAccepted && leftMs > earlyMs) return "good";
  if (refreshToken !== undefined) return { refreshToken, isAccepted };
  return isAccepted ? "good" : "over";
}

async function refresh(
  { database: { pool }, box, fetch, now = () => new Date() }: ConnectionStoreParts,
  opened: OpenedConnection,
  { refreshToken, isAccepted }: NeedsRefresh,
  provider: ConfiguredProvider,
): Promise<Result<OpenedConnection>> {
  const { id, version } = opened.record;
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
  const answer = await requestTokens(fetch, provider, grant, now());
  if (!answer.ok) {
    await pool.query(answer.isFinal ? END : RELEASE, [id, version]);
    if (answer.isFinal) return gone(id);
    return isAccepted ? ok(opened) : answer;
  }
  const { secret, expiresAt, scopes } = answer.value;
  const stored = await pool.query<ConnectionRecord>(STORE_REFRESHED, [
    id,
    version,
    box.seal(JSON.stringify(secret)),
    expiresAt ?? null,
    scopes === undefined ? null : JSON.stringify(scopes),
  ]);
  const [record] = stored.rows;
  return record ? ok({ record, secret }) : gone(id);
}

export function openedOf(box: SecretBox, { secret, ...record }: SealedRow): OpenedConnection | undefined {
  const opened = box.open(secret);
  return opened === undefined ? undefined : { record, secret: JSON.parse(opened) as ConnectionSecret };
}
