/**
 * Tokens that act as an agent, inside one run, or for a client that logged in: shown once, stored as a hash, with an
 * expiry and a call limit. A run's token is valid only while the run is active, a client's only while its login is.
 */
import { createHash } from "node:crypto";
import type { Follows } from "@capstan/core/internal";
import { and, desc, eq, gt, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { clientLogins } from "../db/schema/client-login-tables.ts";
import { runs } from "../db/schema/run-tables.ts";
import { tokens } from "../db/schema/token-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { newBearerText } from "./bearer-text.ts";

export type TokenKind = "agent" | "run" | "client";

/** What the person allowed the client that holds the token. */
export interface TokenLogin {
  readonly id: string;
  readonly clientId: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

export interface TokenRecord {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly sessionId: string | null;
  readonly follows: Follows | null;
  readonly userEmail: string;
  /** The first characters, to tell tokens apart. */
  readonly prefix: string;
  readonly maxCalls: number | null;
  readonly calls: number;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** Of a client's token. */
  readonly login?: TokenLogin;
}

export interface NewToken {
  readonly name?: string;
  readonly agentId: string;
  readonly userEmail: string;
  readonly createdBy: string;
  readonly runId?: string;
  readonly sessionId?: string;
  readonly follows?: Follows | undefined;
  readonly loginId?: string;
  readonly maxCalls?: number | undefined;
  readonly expiresAt?: Date | undefined;
}

export interface TokenStore {
  /** With a `runId` it is that run's token, with a `loginId` that client's, otherwise the agent's. */
  create(input: NewToken): Promise<{ token: string; record: TokenRecord }>;
  /** The token's record, if it is currently valid. */
  find(token: string): Promise<TokenRecord | undefined>;
  /** Counts one call; returns how many there were before. */
  spend(id: string): Promise<number>;
  list(agentId: string): Promise<TokenRecord[]>;
  /** Agents' tokens, of one person or of all, newest first. */
  listOf(userEmail?: string): Promise<TokenRecord[]>;
  revoke(agentId: string, id: string): Promise<boolean>;
  revokeOfRun(runId: string): Promise<void>;
}

const PREFIXES: Record<TokenKind, string> = { agent: "agent_", run: "run_", client: "access_" };

/** Whether this is one of our tokens by its form: then it is never a person's key. */
export const isTokenText = (text: string): boolean =>
  Object.values(PREFIXES).some((prefix) => text.startsWith(prefix));

const SHOWN_CHARS = 12;

export function tokenStore(database: TokenDatabase): TokenStore {
  const { orm } = database;
  return {
    create: (input) => createToken(database, input),
    async find(token) {
      if (!isTokenText(token)) return undefined;
      const [row] = await orm
        .select({ token: tokens, login: clientLogins })
        .from(tokens)
        .leftJoin(runs, eq(runs.id, tokens.runId))
        .leftJoin(clientLogins, eq(clientLogins.id, tokens.loginId))
        .where(
          and(
            eq(tokens.hash, hashOf(token)),
            isNull(tokens.revokedAt),
            or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
            or(isNull(tokens.runId), inArray(runs.status, ["running", "waiting"])),
            isNull(clientLogins.revokedAt),
          ),
        );
      return row && recordOf(row.token, row.login);
    },
    async spend(id) {
      const [row] = await orm
        .update(tokens)
        .set({ calls: sql`${tokens.calls} + 1`, lastUsedAt: sql`now()` })
        .where(eq(tokens.id, id))
        .returning({ calls: tokens.calls });
      return (row?.calls ?? 1) - 1;
    },
    list: async (agentId) => (isUuid(agentId) ? listTokens(orm, eq(tokens.agentId, agentId)) : []),
    listOf: (userEmail) =>
      listTokens(orm, userEmail === undefined ? undefined : eq(tokens.userEmail, userEmail)),
    async revoke(agentId, id) {
      if (!isUuid(id) || !isUuid(agentId)) return false;
      const rows = await orm
        .update(tokens)
        .set({ revokedAt: sql`now()` })
        .where(and(eq(tokens.id, id), eq(tokens.agentId, agentId), isNull(tokens.revokedAt)))
        .returning({ id: tokens.id });
      return rows.length > 0;
    },
    async revokeOfRun(runId) {
      await orm
        .update(tokens)
        .set({ revokedAt: sql`now()` })
        .where(and(eq(tokens.runId, runId), isNull(tokens.revokedAt)));
    },
  };
}

/** Agents' tokens; a run's is never listed, a client's by its login. */
async function listTokens(orm: Database["orm"], which: SQL | undefined): Promise<TokenRecord[]> {
  const rows = await orm
    .select()
    .from(tokens)
    .where(and(which, eq(tokens.kind, "agent"), isNull(tokens.revokedAt)))
    .orderBy(desc(tokens.id));
  return rows.map((row) => recordOf(row));
}

type TokenDatabase = Pick<Database, "orm" | "organisation">;

async function createToken(
  database: TokenDatabase,
  { name = "", runId, sessionId, loginId, maxCalls, expiresAt, ...input }: NewToken,
): Promise<{ token: string; record: TokenRecord }> {
  const kind = kindOf(runId, loginId);
  const token = newBearerText(PREFIXES[kind], database);
  const [row] = await database.orm
    .insert(tokens)
    .values({
      ...input,
      id: uuidv7(),
      kind,
      name,
      hash: hashOf(token),
      prefix: token.slice(0, SHOWN_CHARS),
      runId: runId ?? null,
      sessionId: sessionId ?? null,
      loginId: loginId ?? null,
      maxCalls: maxCalls ?? null,
      expiresAt: expiresAt ?? null,
    })
    .returning();
  if (!row) throw new Error("the token just written is not there");
  return { token, record: recordOf(row) };
}

/** Tokens are 256 random bits, so a plain hash cannot be brute-forced. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

function kindOf(runId: string | undefined, loginId: string | undefined): TokenKind {
  if (runId !== undefined) return "run";
  return loginId === undefined ? "agent" : "client";
}

type LoginRow = typeof clientLogins.$inferSelect;

function recordOf(
  { hash: _, loginId: __, kind, ...row }: typeof tokens.$inferSelect,
  login?: LoginRow | null,
): TokenRecord {
  const record = { ...row, kind: kind as TokenKind };
  if (!login) return record;
  const { id, clientId, resource, scopes } = login;
  return { ...record, login: { id, clientId, resource, scopes } };
}
