/** Groups that a directory pushed, and their members. Members change in one transaction: all or nothing. */
import { and, asc, count, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { directoryGroups, directoryMembers, directoryUsers } from "../db/schema/directory-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { codeOf, type DirectoryRange } from "./directory-users.ts";

export interface DirectoryGroupInput {
  readonly displayName: string;
  readonly externalId: string | null;
}

export interface DirectoryGroup extends DirectoryGroupInput {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DirectoryGroupQuery {
  readonly id?: string;
  readonly displayName?: string;
  readonly externalId?: string;
}

/** In order; `clear` removes all. */
export type MemberChange =
  | { readonly add: readonly string[] }
  | { readonly remove: readonly string[] }
  | "clear";

export interface DirectoryGroupChange {
  readonly group?: Partial<DirectoryGroupInput>;
  readonly members?: readonly MemberChange[];
}

/** "no member": one of them is not in the directory; nothing was changed. */
export type GroupRefusal = "taken" | "gone" | "no member";

export interface DirectoryGroups {
  create(input: DirectoryGroupInput, members: readonly string[]): Promise<DirectoryGroup | GroupRefusal>;
  get(id: string): Promise<DirectoryGroup | undefined>;
  change(id: string, change: DirectoryGroupChange): Promise<DirectoryGroup | GroupRefusal>;
  remove(id: string): Promise<DirectoryGroup | undefined>;
  page(query: DirectoryGroupQuery, range: DirectoryRange): Promise<DirectoryGroup[]>;
  count(): Promise<number>;
  membersOf(ids: readonly string[]): Promise<{ groupId: string; userId: string; userName: string }[]>;
}

const UNIQUE_VIOLATION = "23505";

type Transaction = Parameters<Parameters<Database["orm"]["transaction"]>[0]>[0];

/** Ends the transaction; never leaves this file. */
class Refused extends Error {
  readonly refusal: GroupRefusal;

  constructor(refusal: GroupRefusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

export function directoryGroupStore({ orm }: Pick<Database, "orm">): DirectoryGroups {
  return {
    ...groupLists({ orm }),
    create: (input, members) =>
      refusable(() =>
        orm.transaction(async (tx) => {
          const [row] = await tx
            .insert(directoryGroups)
            .values({ id: uuidv7(), ...input })
            .returning();
          if (!row) throw new Error("the group just written is not there");
          await changeMembers(tx, row.id, { add: members });
          return row;
        }),
      ),
    async get(id) {
      if (!isUuid(id)) return undefined;
      const [row] = await orm
        .select()
        .from(directoryGroups)
        .where(live(eq(directoryGroups.id, id)));
      return row;
    },
    change: (id, { group = {}, members = [] }) =>
      refusable(() =>
        orm.transaction(async (tx) => {
          if (!isUuid(id)) throw new Refused("gone");
          const [row] = await tx
            .update(directoryGroups)
            .set({ ...group, updatedAt: sql`now()` })
            .where(live(eq(directoryGroups.id, id)))
            .returning();
          if (!row) throw new Refused("gone");
          for (const each of members) await changeMembers(tx, id, each);
          return row;
        }),
      ),
    remove: (id) =>
      orm.transaction(async (tx) => {
        if (!isUuid(id)) return undefined;
        await tx.delete(directoryMembers).where(eq(directoryMembers.groupId, id));
        const [row] = await tx
          .update(directoryGroups)
          .set({ deletedAt: sql`now()` })
          .where(live(eq(directoryGroups.id, id)))
          .returning();
        return row;
      }),
  };
}

const live = (which: SQL | undefined) => and(which, isNull(directoryGroups.deletedAt));

function groupLists({ orm }: Pick<Database, "orm">): Pick<DirectoryGroups, "page" | "count" | "membersOf"> {
  return {
    async page({ id, displayName, externalId }, { after, skip = 0, limit }) {
      if (id !== undefined && !isUuid(id)) return [];
      const named = sql`lower(${directoryGroups.displayName})`;
      const which = and(
        id === undefined ? undefined : eq(directoryGroups.id, id),
        displayName === undefined ? undefined : eq(named, displayName.toLowerCase()),
        externalId === undefined ? undefined : eq(directoryGroups.externalId, externalId),
        after === undefined ? undefined : gt(directoryGroups.id, after),
      );
      const rows = orm.select().from(directoryGroups).where(live(which));
      return rows.orderBy(asc(directoryGroups.id)).limit(limit).offset(skip);
    },
    async count() {
      const [row] = await orm.select({ all: count() }).from(directoryGroups).where(live(undefined));
      return row?.all ?? 0;
    },
    async membersOf(ids) {
      if (ids.length === 0) return [];
      const { groupId, userId } = directoryMembers;
      return orm
        .select({ groupId, userId, userName: directoryUsers.userName })
        .from(directoryMembers)
        .innerJoin(directoryUsers, eq(directoryUsers.id, userId))
        .where(inArray(groupId, [...ids]))
        .orderBy(asc(userId));
    },
  };
}

async function refusable<T>(write: () => Promise<T>): Promise<T | GroupRefusal> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    if (codeOf(error) === UNIQUE_VIOLATION) return "taken";
    throw error;
  }
}

async function changeMembers(tx: Transaction, id: string, change: MemberChange): Promise<void> {
  const { groupId, userId } = directoryMembers;
  if (change === "clear") return void (await tx.delete(directoryMembers).where(eq(groupId, id)));
  if ("remove" in change) {
    const ids = change.remove.filter(isUuid); // removing a non-member changes nothing
    if (ids.length > 0) await tx.delete(directoryMembers).where(and(eq(groupId, id), inArray(userId, ids)));
    return;
  }
  const ids = [...new Set(change.add)];
  if (ids.length === 0) return;
  if (!ids.every(isUuid)) throw new Refused("no member");
  const known = await tx
    .select({ id: directoryUsers.id })
    .from(directoryUsers)
    .where(and(inArray(directoryUsers.id, ids), isNull(directoryUsers.deletedAt)))
    .for("share"); // nobody is removed in the meantime
  if (known.length < ids.length) throw new Refused("no member");
  await tx
    .insert(directoryMembers)
    .values(ids.map((each) => ({ groupId: id, userId: each })))
    .onConflictDoNothing();
}
