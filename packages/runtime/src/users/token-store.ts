/**
 * Tokens that act as an agent, or inside one run: shown once, stored as a hash, with an expiry and a call limit.
 * A run's token is valid only while the run is active; nobody has to revoke it.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Follows } from "@capstan/core/internal";
import { and, desc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { runs } from "../db/schema/run-tables.ts";
import { tokens } from "../db/schema/token-tables.ts";
import { isUuid } from "../db/uuid.ts";

export type TokenKind = "agent" | "run";

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
}

export interface NewToken {
  readonly name?: string;
  readonly agentId: string;
  readonly userEmail: string;
  readonly createdBy: string;
  readonly runId?: string;
  readonly sessionId?: string;
  readonly follows?: Follows | undefined;
  readonly maxCalls?: number | undefined;
  readonly expiresAt?: Date | undefined;
}

export interface TokenStore {
  /** With a `runId` it is that run's token, otherwise the agent's. */
  create(input: NewToken): Promise<{ token: string; record: TokenRecord }>;
  /** The token's record, if it is currently valid. */
  find(token: string): Promise<TokenRecord | undefined>;
  /** Counts one call; returns how many there were before. */
  spend(id: string): Promise<number>;
  list(agentId: string): Promise<TokenRecord[]>;
  revoke(agentId: string, id: string): Promise<boolean>;
  revokeOfRun(runId: string): Promise<void>;
}

const PREFIXES: Record<TokenKind, string> = { agent: "agent_", run: "run_" };
const SHOWN_CHARS = 12;
const MOST_LISTED = 500;

export function tokenStore({ orm }: Pick<Database, "orm">): TokenStore {
  return {
    create: (input) => createToken(orm, input),
    async find(token) {
      if (!Object.values(PREFIXES).some((prefix) => token.startsWith(prefix))) return undefined;
      const [row] = await orm
        .select({ token: tokens })
        .from(tokens)
        .leftJoin(runs, eq(runs.id, tokens.runId))
        .where(
          and(
            eq(tokens.hash, hashOf(token)),
            isNull(tokens.revokedAt),
            or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
            or(isNull(tokens.runId), inArray(runs.status, ["running", "waiting"])),
          ),
        );
      return row && recordOf(row.token);
    },
    async spend(id) {
      const [row] = await orm
        .update(tokens)
        .set({ calls: sql`${tokens.calls} + 1`, lastUsedAt: sql`now()` })
        .where(eq(tokens.id, id))
        .returning({ calls: tokens.calls });
      return (row?.calls ?? 1) - 1;
    },
    async list(agentId) {
      if (!isUuid(agentId)) return [];
      const rows = await orm
        .select()
        .from(tokens)
        .where(and(eq(tokens.agentId, agentId), eq(tokens.kind, "agent"), isNull(tokens.revokedAt)))
        .orderBy(desc(tokens.id))
        .limit(MOST_LISTED);
      return rows.map(recordOf);
    },
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

async function createToken(
  orm: Database["orm"],
  { name = "", runId, sessionId, maxCalls, expiresAt, ...input }: NewToken,
): Promise<{ token: string; record: TokenRecord }> {
  const kind: TokenKind = runId === undefined ? "agent" : "run";
  const token = PREFIXES[kind] + randomBytes(32).toString("base64url");
  const [row] = await orm
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
      maxCalls: maxCalls ?? null,
      expiresAt: expiresAt ?? null,
    })
    .returning();
  if (!row) throw new Error("the token just written is not there");
  return { token, record: recordOf(row) };
}

/** Tokens are 256 random bits, so a plain hash cannot be brute-forced. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

function recordOf({ hash: _, kind, ...row }: typeof tokens.$inferSelect): TokenRecord {
  return { ...row, kind: kind as TokenKind };
}
