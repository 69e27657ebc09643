/**
 * Clients that logged in (OAuth): a person allowed a client to act as an agent. The code is valid once, for a minute;
 * each refresh token is valid once. A second use means that it was copied, so the login ends with all its tokens.
 */
import { createHash } from "node:crypto";
import { and, desc, eq, gt, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { clientLogins, clientRefreshTokens } from "../db/schema/client-login-tables.ts";
import { tokens } from "../db/schema/token-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { newBearerText } from "./bearer-text.ts";
import { scopeRefusals } from "./scope-refusals.ts";
import type { TokenStore } from "./token-store.ts";

export interface ClientLogin {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: string[];
  readonly agentId: string;
  readonly userEmail: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface NewLogin {
  readonly clientId: string;
  readonly clientName: string;
  readonly mustSign?: boolean;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly agentId: string;
  readonly userEmail: string;
  readonly codeChallenge: string;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly string[];
}

export interface CodeProof {
  readonly code: string;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource?: string | undefined;
  /** Then it must always sign: whoever copies its refresh token does not have its key. */
  readonly hasSigned?: boolean;
}

export interface RefreshProof {
  readonly refreshToken: string;
  readonly clientId: string;
  readonly resource?: string | undefined;
}

/** Whose login a code or a refresh token belongs to, before it is used. */
export interface GrantHolder {
  readonly clientId: string;
  readonly userEmail: string;
  readonly mustSign: boolean;
}

/** Why no tokens were issued, for the client's log. */
export interface GrantRefusal {
  readonly refused: string;
  /** The grant is still valid; the client should ask the person. */
  readonly needsPerson?: boolean;
}

export interface ClientLogins {
  /** The code to send to the client. */
  allow(login: NewLogin): Promise<{ code: string; id: string }>;
  exchangeCode(proof: CodeProof): Promise<IssuedTokens | GrantRefusal>;
  refresh(proof: RefreshProof): Promise<IssuedTokens | GrantRefusal>;
  /** A call of this login was refused for its scopes: a refresh right after it is for more, which only the person can give. */
  lacksScopes(id: string): void;
  holderOf(grant: { code: string } | { refreshToken: string }): Promise<GrantHolder | undefined>;
  /** Active ones, of one person or of all, newest first. */
  list(userEmail?: string): Promise<ClientLogin[]>;
  revoke(id: string): Promise<boolean>;
  /** By one of its tokens, as RFC 7009 has it; the id of the login that ended. */
  revokeByToken(token: string, clientId: string): Promise<string | undefined>;
}

const CODE_SECONDS = 60;
export const ACCESS_SECONDS = 3600;
const REFRESH_DAYS = 30; // since the last use; a client that nobody uses has to log in again
const REFRESH_PREFIX = "refresh_";
const NO_LOGIN = "00000000-0000-0000-0000-000000000000";

export interface ClientLoginParts {
  readonly database: Pick<Database, "orm" | "organisation">;
  readonly tokens: Pick<TokenStore, "create" | "find">;
}

export function clientLoginStore({ database, tokens: accessTokens }: ClientLoginParts): ClientLogins {
  const { orm } = database;
  const revoke = (id: string) => revokeLogin(orm, id);
  const issue = (login: ClientLogin) => issueTokens(database, accessTokens, login);
  const { note: lacksScopes, take: needsPerson } = scopeRefusals();
  return {
    async allow({ scopes, ...login }) {
      await forgetUnused(orm);
      const code = newBearerText("code_", database);
      const id = uuidv7();
      const codeExpiresAt = sql`now() + ${CODE_SECONDS} * interval '1 second'`;
      const row = { ...login, id, scopes: [...scopes], codeHash: hashOf(code), codeExpiresAt };
      await orm.insert(clientLogins).values(row);
      return { code, id };
    },
    async exchangeCode(proof) {
      const [row] = await orm
        .select()
        .from(clientLogins)
        .where(eq(clientLogins.codeHash, hashOf(proof.code)));
      const fault = row === undefined ? "the code is unknown" : faultInCode(row, proof);
      if (row === undefined || fault !== undefined) return { refused: fault ?? "" };
      const [used] = await orm
        .update(clientLogins)
        .set({ codeUsedAt: sql`now()`, ...(proof.hasSigned && { mustSign: true }) })
        .where(
          and(
            eq(clientLogins.id, row.id),
            isNull(clientLogins.codeUsedAt),
            isNull(clientLogins.revokedAt),
            gt(clientLogins.codeExpiresAt, sql`now()`),
          ),
        )
        .returning();
      if (used) return issue(used);
      const [now] = await orm.select().from(clientLogins).where(eq(clientLogins.id, row.id));
      if (now?.codeUsedAt) await revoke(row.id);
      return { refused: "the code was used before, has expired or was revoked" };
    },
    refresh: (proof) => refreshLogin(orm, proof, issue, needsPerson),
    lacksScopes,
    holderOf: (grant) => holderOf(orm, grant),
    async list(userEmail) {
      const rows = await orm
        .select()
        .from(clientLogins)
        .where(
          and(
            userEmail === undefined ? undefined : eq(clientLogins.userEmail, userEmail),
            isNotNull(clientLogins.codeUsedAt),
            isNull(clientLogins.revokedAt),
          ),
        )
        .orderBy(desc(clientLogins.id));
      return rows.map(loginOf);
    },
    revoke,
    async revokeByToken(token, clientId) {
      const id = token.startsWith(REFRESH_PREFIX)
        ? (await refreshRow(orm, token))?.loginId
        : (await accessTokens.find(token))?.login?.id;
      if (id === undefined) return undefined;
      const [login] = await orm.select().from(clientLogins).where(eq(clientLogins.id, id));
      return login?.clientId === clientId && (await revoke(id)) ? id : undefined;
    },
  };
}

type Row = typeof clientLogins.$inferSelect;

async function holderOf(
  orm: Database["orm"],
  grant: { code: string } | { refreshToken: string },
): Promise<GrantHolder | undefined> {
  const isLogin =
    "code" in grant
      ? eq(clientLogins.codeHash, hashOf(grant.code))
      : eq(clientLogins.id, (await refreshRow(orm, grant.refreshToken))?.loginId ?? NO_LOGIN);
  const { clientId, userEmail, mustSign } = clientLogins;
  const [row] = await orm.select({ clientId, userEmail, mustSign }).from(clientLogins).where(isLogin);
  return row;
}

function faultInCode(row: Row, { clientId, redirectUri, resource, verifier }: CodeProof): string | undefined {
  if (row.clientId !== clientId) return "the code was issued to another client";
  if (row.redirectUri !== redirectUri) return "redirect_uri differs from the one of the request";
  if (resource !== undefined && resource !== row.resource)
    return "resource differs from the one of the request";
  if (challengeOf(verifier) !== row.codeChallenge) return "code_verifier does not match the code_challenge";
  return undefined;
}

/** PKCE with S256, the only method offered. */
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

async function refreshLogin(
  orm: Database["orm"],
  { refreshToken, clientId, resource }: RefreshProof,
  issue: (login: ClientLogin) => Promise<IssuedTokens>,
  needsPerson: (id: string) => boolean,
): Promise<IssuedTokens | GrantRefusal> {
  const row = await refreshRow(orm, refreshToken);
  if (row === undefined) return { refused: "the refresh token is unknown" };
  const [login] = await orm.select().from(clientLogins).where(eq(clientLogins.id, row.loginId));
  if (login === undefined || login.revokedAt !== null) return { refused: "the login was revoked" };
  if (login.clientId !== clientId) return { refused: "the refresh token was issued to another client" };
  if (resource !== undefined && resource !== login.resource)
    return { refused: "resource differs from the one of the login" };
  if (needsPerson(login.id))
    return { refused: "a refresh gives no more scopes; send the person to /authorize", needsPerson: true };
  const [used] = await orm
    .update(clientRefreshTokens)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(clientRefreshTokens.hash, row.hash),
        isNull(clientRefreshTokens.usedAt),
        gt(clientRefreshTokens.expiresAt, sql`now()`),
      ),
    )
    .returning({ hash: clientRefreshTokens.hash });
  if (used) return issue(login);
  const [now] = await orm.select().from(clientRefreshTokens).where(eq(clientRefreshTokens.hash, row.hash));
  if (!now?.usedAt) return { refused: "the refresh token has expired" };
  await revokeLogin(orm, login.id);
  return { refused: "the refresh token was used before, so the login was ended" };
}

async function refreshRow(orm: Database["orm"], token: string) {
  const [row] = await orm
    .select()
    .from(clientRefreshTokens)
    .where(eq(clientRefreshTokens.hash, hashOf(token)));
  return row;
}

async function issueTokens(
  database: ClientLoginParts["database"],
  accessTokens: ClientLoginParts["tokens"],
  login: ClientLogin,
): Promise<IssuedTokens> {
  const { orm } = database;
  const refreshToken = newBearerText(REFRESH_PREFIX, database);
  const expiresAt = sql`now() + ${REFRESH_DAYS} * interval '1 day'`;
  await orm.insert(clientRefreshTokens).values({ hash: hashOf(refreshToken), loginId: login.id, expiresAt });
  await orm
    .delete(tokens)
    .where(and(eq(tokens.loginId, login.id), lt(tokens.expiresAt, sql`now() - interval '1 hour'`)));
  await orm.update(clientLogins).set({ lastUsedAt: sql`now()` }).where(eq(clientLogins.id, login.id));
  const { token } = await accessTokens.create({
    name: login.clientName,
    agentId: login.agentId,
    userEmail: login.userEmail,
    createdBy: login.userEmail,
    loginId: login.id,
    expiresAt: new Date(Date.now() + ACCESS_SECONDS * 1000),
  });
  return { accessToken: token, refreshToken, expiresInSeconds: ACCESS_SECONDS, scopes: login.scopes };
}

async function revokeLogin(orm: Database["orm"], id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const rows = await orm
    .update(clientLogins)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(clientLogins.id, id), isNull(clientLogins.revokedAt)))
    .returning({ id: clientLogins.id });
  return rows.length > 0;
}

/** Codes that no client redeemed. */
async function forgetUnused(orm: Database["orm"]): Promise<void> {
  await orm
    .delete(clientLogins)
    .where(
      and(isNull(clientLogins.codeUsedAt), lt(clientLogins.codeExpiresAt, sql`now() - interval '1 hour'`)),
    );
}

/** Codes and tokens are 256 random bits, so a plain hash cannot be brute-forced. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

function loginOf(row: Row): ClientLogin {
  const { id, clientId, clientName, redirectUri, resource, scopes } = row;
  const { agentId, userEmail, createdAt, lastUsedAt } = row;
  return {
    id,
    clientId,
    clientName,
    redirectUri,
    resource,
    scopes,
    agentId,
    userEmail,
    createdAt,
    lastUsedAt,
  };
}
