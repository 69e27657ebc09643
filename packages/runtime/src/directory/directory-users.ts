/** Users that a directory pushed. Names are unique regardless of case; a removed user leaves a hidden row. */
import { and, asc, count, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { directoryGroups, directoryMembers, directoryUsers } from "../db/schema/directory-tables.ts";
import { identities } from "../db/schema/people-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { directoryEntry } from "../users/directory-entry.ts";

export interface DirectoryUserInput {
  readonly userName: string;
  readonly externalId: string | null;
  readonly address: string | null;
  readonly active: boolean;
  readonly resource: Record<string, unknown>;
}

export interface DirectoryUser extends DirectoryUserInput {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A part of a list, in the order of creation. */
export interface DirectoryRange {
  readonly after?: string | undefined;
  readonly skip?: number;
  readonly limit: number;
}

/** The part of a filter that SQL checks; the rest is checked on the rows found. */
export interface DirectoryUserQuery {
  readonly id?: string;
  readonly userName?: string;
  readonly externalId?: string;
}

export interface DirectoryUsers {
  /** "taken": the name belongs to another user. */
  create(input: DirectoryUserInput): Promise<DirectoryUser | "taken">;
  get(id: string): Promise<DirectoryUser | undefined>;
  /** `change` sees the row as it is under a lock; what it returns is stored. A refusal changes nothing. */
  update<Refusal>(
    id: string,
    change: (user: DirectoryUser) => { value: DirectoryUserInput } | { refusal: Refusal },
  ): Promise<DirectoryUser | "taken" | "gone" | { refusal: Refusal }>;
  remove(id: string): Promise<DirectoryUser | undefined>;
  page(query: DirectoryUserQuery, range: DirectoryRange): Promise<DirectoryUser[]>;
  count(): Promise<number>;
  /** Which of these users are in which groups. */
  groupsOf(ids: readonly string[]): Promise<{ userId: string; groupId: string; name: string }[]>;
  /** Our users that this row is about: their rights depend on it. */
  ownersOf(user: DirectoryUser): Promise<string[]>;
}

const UNIQUE_VIOLATION = "23505";

export function directoryUserStore(database: Pick<Database, "orm" | "organisation">): DirectoryUsers {
  const { orm } = database;
  return {
    ...userLists(database),
    create: (input) =>
      unlessTaken(async () => {
        const [row] = await orm
          .insert(directoryUsers)
          .values({ id: uuidv7(), ...input })
          .returning();
        if (!row) throw new Error("the user just written is not there");
        return row;
      }),
    async get(id) {
      if (!isUuid(id)) return undefined;
      const [row] = await orm
        .select()
        .from(directoryUsers)
        .where(live(eq(directoryUsers.id, id)));
      return row;
    },
    update: (id, change) =>
      unlessTaken(async () => (isUuid(id) ? orm.transaction((tx) => updateUser(tx, id, change)) : "gone")),
    remove: (id) =>
      orm.transaction(async (tx) => {
        if (!isUuid(id)) return undefined;
        const [row] = await tx
          .update(directoryUsers)
          .set({ deletedAt: sql`now()`, active: false, resource: {} })
          .where(live(eq(directoryUsers.id, id)))
          .returning();
        await tx.delete(directoryMembers).where(eq(directoryMembers.userId, id));
        return row;
      }),
    ownersOf: (user) => ownersOf(database, user),
  };
}

const live = (which: SQL | undefined) => and(which, isNull(directoryUsers.deletedAt));

function userLists({ orm }: Pick<Database, "orm">): Pick<DirectoryUsers, "page" | "count" | "groupsOf"> {
  return {
    async page({ id, userName, externalId }, { after, skip = 0, limit }) {
      if (id !== undefined && !isUuid(id)) return [];
      const which = and(
        id === undefined ? undefined : eq(directoryUsers.id, id),
        userName === undefined
          ? undefined
          : eq(sql`lower(${directoryUsers.userName})`, userName.toLowerCase()),
        externalId === undefined ? undefined : eq(directoryUsers.externalId, externalId),
        after === undefined ? undefined : gt(directoryUsers.id, after),
      );
      return orm
        .select()
        .from(directoryUsers)
        .where(live(which))
        .orderBy(asc(directoryUsers.id))
        .limit(limit)
        .offset(skip);
    },
    async count() {
      const [row] = await orm.select({ all: count() }).from(directoryUsers).where(live(undefined));
      return row?.all ?? 0;
    },
    async groupsOf(ids) {
      if (ids.length === 0) return [];
      return orm
        .select({
          userId: directoryMembers.userId,
          groupId: directoryMembers.groupId,
          name: directoryGroups.displayName,
        })
        .from(directoryMembers)
        .innerJoin(directoryGroups, eq(directoryGroups.id, directoryMembers.groupId))
        .where(sql`${directoryMembers.userId} = any(${sql.param([...ids])}::uuid[])`);
    },
  };
}

type Transaction = Parameters<Parameters<Database["orm"]["transaction"]>[0]>[0];

async function updateUser<Refusal>(
  tx: Transaction,
  id: string,
  change: (user: DirectoryUser) => { value: DirectoryUserInput } | { refusal: Refusal },
): Promise<DirectoryUser | "gone" | { refusal: Refusal }> {
  const which = live(eq(directoryUsers.id, id));
  const [row] = await tx.select().from(directoryUsers).where(which).for("update");
  if (row === undefined) return "gone";
  const changed = change(row);
  if ("refusal" in changed) return changed;
  const set = { ...changed.value, updatedAt: sql`now()` };
  const [stored] = await tx.update(directoryUsers).set(set).where(which).returning();
  return stored ?? "gone";
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | "taken"> {
  try {
    return await write();
  } catch (error) {
    if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
    return "taken";
  }
}

/** Drizzle wraps what the driver throws. */
export function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code;
}

async function ownersOf(
  { orm, organisation }: Pick<Database, "orm" | "organisation">,
  { id, userName, address, externalId }: DirectoryUser,
): Promise<string[]> {
  const people = organisation?.directory.orm ?? orm;
  const named = [...new Set([userName.toLowerCase(), ...(address === null ? [] : [address])])];
  const { subject, claims, userEmail } = identities;
  const bySign = sql`${userEmail} = any(${sql.param(named)}::text[]) or ${subject} = ${externalId} or ${claims}->'oid' ? ${externalId}`;
  const signedIn = await people.select().from(identities).where(bySign).limit(100);
  const candidates = new Map(named.map((email) => [email, [] as string[]]));
  for (const each of signedIn) candidates.set(each.userEmail, [each.subject, ...(each.claims.oid ?? [])]);
  const found = await Promise.all(
    [...candidates].map(async ([email, ids]) => ({
      email,
      entry: await directoryEntry(orm, { email, ids }),
    })),
  );
  return found.filter(({ entry }) => entry?.id === id).map(({ email }) => email);
}
