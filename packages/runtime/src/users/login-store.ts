/**
 * Where people are signed in. A browser's token is replaced every hour; the one before stays valid until the browser
 * shows that it has the new one. A later use means that it was copied, so the login ends.
 */
import { createHash, randomBytes } from "node:crypto";
import { and, desc, eq, gt, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { logins } from "../db/schema/people-tables.ts";
import { isUuid } from "../db/uuid.ts";

export type LoginKind = "browser" | "command line";

export interface Login {
  readonly id: string;
  readonly kind: LoginKind;
  readonly issuer: string;
  readonly subject: string;
  readonly userEmail: string;
  readonly device: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

export interface NewLogin {
  readonly kind: LoginKind;
  readonly issuer: string;
  readonly subject: string;
  readonly sid: string | undefined;
  readonly userEmail: string;
  readonly device: string;
}

/** Who signed out at the provider: one session there, or all of one person. */
export interface SignedOut {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
}

export interface LoginStore {
  create(login: NewLogin): Promise<{ token: string; login: Login }>;
  /** The login, if it is in effect; with a token that replaces the one sent, when it is time. */
  find(token: string): Promise<{ login: Login; replacedBy?: string } | undefined>;
  /** In force, of one person or of all, newest first. */
  list(userEmail?: string): Promise<Login[]>;
  revoke(id: string): Promise<boolean>;
  /** All of one person; how many ended. */
  revokeOf(userEmail: string): Promise<number>;
  /** How many ended. */
  revokeAt(which: SignedOut): Promise<number>;
}

export interface LoginParts {
  readonly database: Pick<Database, "orm" | "organisation">;
  /** From sign-in to the next one, however much it is used. */
  readonly hours: number;
}

const PREFIX = "login_";
const ROTATE_MINUTES = 60;
const GRACE_SECONDS = 60; // requests that were under way when the token was replaced
const MOST_DEVICE_CHARS = 200;

export const isLoginText = (text: string): boolean => text.startsWith(PREFIX);

/** People sign in at the server, not at an organisation: their logins are in the first one's store. */
export function loginStore({ database, hours }: LoginParts): LoginStore {
  const { orm } = database.organisation?.directory ?? database;
  return {
    async create({ device, sid, ...login }) {
      await forgetEnded(orm);
      const token = newToken();
      const [row] = await orm
        .insert(logins)
        .values({
          ...login,
          id: uuidv7(),
          hash: hashOf(token),
          sid: sid ?? null,
          device: device.slice(0, MOST_DEVICE_CHARS),
          expiresAt: sql`now() + ${hours} * interval '1 hour'`,
        })
        .returning();
      if (!row) throw new Error("the login just written is not there");
      return { token, login: loginOf(row) };
    },
    async find(token) {
      if (!isLoginText(token)) return undefined;
      const hash = hashOf(token);
      const [found] = await orm
        .select({ row: logins, isOld: OLD, isLate: LATE, wasConfirmedLongAgo: CONFIRMED_LONG_AGO })
        .from(logins)
        .where(and(or(eq(logins.hash, hash), eq(logins.previousHash, hash)), IN_FORCE));
      if (found === undefined) return undefined;
      const login = loginOf(found.row);
      return found.row.hash === hash ? sentCurrent(orm, found, login) : sentPrevious(orm, found, login);
    },
    async list(userEmail) {
      const whose = userEmail === undefined ? undefined : eq(logins.userEmail, userEmail);
      const rows = await orm.select().from(logins).where(and(whose, IN_FORCE)).orderBy(desc(logins.id));
      return rows.map(loginOf);
    },
    revoke: async (id) => isUuid(id) && (await revokeWhere(orm, eq(logins.id, id))) > 0,
    revokeOf: (userEmail) => revokeWhere(orm, eq(logins.userEmail, userEmail)),
    async revokeAt({ issuer, subject, sid }) {
      if (subject === undefined && sid === undefined) return 0;
      const of = eq(logins.issuer, issuer);
      const whose = subject === undefined ? undefined : eq(logins.subject, subject);
      return revokeWhere(orm, and(of, whose, sid === undefined ? undefined : eq(logins.sid, sid)));
    },
  };
}

type Row = typeof logins.$inferSelect;

interface Found {
  readonly row: Row;
  readonly isOld: boolean;
  readonly isLate: boolean;
  readonly wasConfirmedLongAgo: boolean;
}

const IN_FORCE = and(isNull(logins.revokedAt), gt(logins.expiresAt, sql`now()`));
const OLD = sql<boolean>`${logins.rotatedAt} < now() - ${ROTATE_MINUTES} * interval '1 minute'`;
const LATE = sql<boolean>`${logins.rotatedAt} < now() - ${GRACE_SECONDS} * interval '1 second'`;
const CONFIRMED_LONG_AGO = sql<boolean>`coalesce(${logins.confirmedAt} < now() - ${GRACE_SECONDS} * interval '1 second', false)`;

async function sentCurrent(orm: Database["orm"], { row, isOld }: Found, login: Login) {
  if (row.kind === "browser" && isOld) return rotate(orm, login, { hash: row.hash, previousHash: row.hash });
  const isUsedAgain = Date.now() - row.lastUsedAt.getTime() > GRACE_SECONDS * 1000;
  if (row.confirmedAt === null || isUsedAgain)
    await orm
      .update(logins)
      .set({ lastUsedAt: sql`now()`, confirmedAt: sql`coalesce(${logins.confirmedAt}, now())` })
      .where(and(eq(logins.id, row.id), eq(logins.hash, row.hash)));
  return { login };
}

/** The answer with the new token may have been lost: then it is replaced once more. */
async function sentPrevious(orm: Database["orm"], found: Found, login: Login) {
  const { row, isLate, wasConfirmedLongAgo } = found;
  if (wasConfirmedLongAgo) {
    await revokeWhere(orm, eq(logins.id, row.id));
    return undefined;
  }
  if (row.confirmedAt !== null || !isLate) return { login };
  return rotate(orm, login, { hash: row.hash, previousHash: row.previousHash });
}

async function rotate(
  orm: Database["orm"],
  login: Login,
  { hash, previousHash }: Pick<Row, "hash" | "previousHash">,
) {
  const token = newToken();
  const rows = await orm
    .update(logins)
    .set({
      hash: hashOf(token),
      previousHash,
      rotatedAt: sql`now()`,
      confirmedAt: null,
      lastUsedAt: sql`now()`,
    })
    .where(and(eq(logins.id, login.id), eq(logins.hash, hash)))
    .returning({ id: logins.id });
  return rows.length > 0 ? { login, replacedBy: token } : { login }; // another request was first
}

async function revokeWhere(orm: Database["orm"], which: SQL | undefined): Promise<number> {
  const rows = await orm
    .update(logins)
    .set({ revokedAt: sql`now()` })
    .where(and(which, isNull(logins.revokedAt)))
    .returning({ id: logins.id });
  return rows.length;
}

async function forgetEnded(orm: Database["orm"]): Promise<void> {
  await orm.delete(logins).where(lt(logins.expiresAt, sql`now() - interval '30 days'`));
}

const newToken = (): string => PREFIX + randomBytes(32).toString("base64url");

/** Tokens are 256 random bits, so a plain hash cannot be brute-forced. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

function loginOf(row: Row): Login {
  const { id, issuer, subject, userEmail, device, createdAt, lastUsedAt, expiresAt } = row;
  return {
    id,
    kind: row.kind as LoginKind,
    issuer,
    subject,
    userEmail,
    device,
    createdAt,
    lastUsedAt,
    expiresAt,
  };
}
