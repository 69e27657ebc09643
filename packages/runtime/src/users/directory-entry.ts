/**
 * A user's entry in a directory. A row belongs to a user if it has the id of their logins (`sub`, or `oid` at
 * Entra), otherwise if it has their name or address. A removed row still counts: a removed user loses all access, also where
 * an older login gave them groups.
 */
import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { directoryGroups, directoryMembers, directoryUsers } from "../db/schema/directory-tables.ts";

export interface DirectoryEntry {
  readonly id: string;
  readonly isActive: boolean;
  readonly name: string | undefined;
  readonly address: string | undefined;
  /** Names and external ids; undefined as long as the directory never pushed a group. */
  readonly groups: readonly string[] | undefined;
}

/** As far as it is known before the directory is asked. */
export interface DirectorySubject {
  readonly email: string;
  /** What the provider calls them in logins. */
  readonly ids: readonly string[];
}

type Row = typeof directoryUsers.$inferSelect;

const MOST_MATCHES = 50; // addresses may be shared; every read is bounded

export async function directoryEntry(
  orm: Database["orm"],
  { email, ids }: DirectorySubject,
): Promise<DirectoryEntry | undefined> {
  const lower = email.toLowerCase();
  const { externalId, userName, address, deletedAt } = directoryUsers;
  const rows = await orm
    .select()
    .from(directoryUsers)
    .where(
      or(
        ids.length === 0 ? undefined : inArray(externalId, [...ids]),
        eq(sql`lower(${userName})`, lower),
        eq(address, lower),
      ),
    )
    .orderBy(sql`${deletedAt} desc nulls first`)
    .limit(MOST_MATCHES);
  const row = closest(rows, { email: lower, ids });
  if (row === undefined) return undefined;
  const isActive = row.active && row.deletedAt === null;
  return {
    id: row.id,
    isActive,
    name: nameOf(row),
    address: row.address ?? undefined,
    groups: isActive ? await groupsOf(orm, row.id) : [],
  };
}

/** By the strongest match, then active before inactive; of two equal rows, the one with fewer rights. */
function closest(rows: readonly Row[], subject: DirectorySubject): Row | undefined {
  const weight = (row: Row): number =>
    signOf(row, subject) * 4 + (row.deletedAt === null ? 2 : 0) + (row.active ? 0 : 1);
  return [...rows].sort((a, b) => weight(b) - weight(a))[0];
}

function signOf(row: Row, { email, ids }: DirectorySubject): number {
  if (row.externalId !== null && ids.includes(row.externalId)) return 2;
  return row.userName.toLowerCase() === email ? 1 : 0;
}

async function groupsOf(orm: Database["orm"], userId: string): Promise<readonly string[] | undefined> {
  const rows = await orm
    .select({ name: directoryGroups.displayName, externalId: directoryGroups.externalId })
    .from(directoryMembers)
    .innerJoin(directoryGroups, eq(directoryGroups.id, directoryMembers.groupId))
    .where(and(eq(directoryMembers.userId, userId), isNull(directoryGroups.deletedAt)));
  if (rows.length > 0)
    return [...new Set(rows.flatMap(({ name, externalId }) => [name, ...(externalId ? [externalId] : [])]))];
  const any = await orm.select({ id: directoryGroups.id }).from(directoryGroups).limit(1);
  return any.length > 0 ? [] : undefined;
}

function nameOf({ resource, userName }: Row): string {
  const { displayName, name } = resource;
  const formatted =
    name !== null && typeof name === "object" && "formatted" in name ? name.formatted : undefined;
  const given = [displayName, formatted].find((each) => typeof each === "string" && each !== "");
  return String(given ?? userName).slice(0, 200);
}
