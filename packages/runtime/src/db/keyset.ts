/**
 * The position where a page of a list ends: the creation time and id of its last row. Ids alone are not enough where clients
 * choose them, nor times alone where two rows have the same one.
 */
import { fail, ok, type Result } from "@capstan/core";
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { isUuid } from "./uuid.ts";

export interface Place {
  /** With microseconds, as in the database; a JavaScript date would lose them. */
  readonly at: string;
  readonly id: string;
}

export const cursorAt = ({ at, id }: Place): string => Buffer.from(`${at} ${id}`).toString("base64url");

/** Parses one of our cursors; refuses anything else. */
export function readCursor(
  cursor: string | undefined,
  isId: (id: string) => boolean = isUuid,
): Result<Place | undefined> {
  if (cursor === undefined) return ok(undefined);
  const [day = "", time = "", id = ""] = Buffer.from(cursor, "base64url").toString().split(" ");
  const at = `${day} ${time}`;
  const isOurs = /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/.test(at) && isId(id);
  return isOurs ? ok({ at, id }) : fail("cursor_invalid", { cursor });
}

/** A position in a numbered list, such as the audit log. */
export function readNumberCursor(cursor: string | undefined): Result<number | undefined> {
  if (cursor === undefined) return ok(undefined);
  const number = /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined;
  return number === undefined ? fail("cursor_invalid", { cursor }) : ok(number);
}

/** Turns rows read with one extra into a page, and the cursor of the next one if there is one. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => Place,
): { items: Row[]; nextCursor?: string } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(rows.length > limit && last && { nextCursor: cursorAt(placeOf(last)) }) };
}

/** A page of a list that is small enough to be read whole, newest first. `keyOf` orders rows of the same time. */
export function pageInMemory<Row extends { readonly createdAt: Date }>(
  rows: readonly Row[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  {
    keyOf,
    isKey = isUuid,
  }: { readonly keyOf: (row: Row) => string; readonly isKey?: (key: string) => boolean },
): Result<{ items: Row[]; total: number; nextCursor?: string }> {
  const after = readCursor(cursor, isKey);
  if (!after.ok) return after;
  const places = rows.map((row) => ({ row, place: { at: momentOf(row.createdAt), id: keyOf(row) } }));
  places.sort((a, b) => (isBefore(a.place, b.place) ? 1 : -1));
  const { value: from } = after;
  const rest = from ? places.filter(({ place }) => isBefore(place, from)) : places;
  const { items, ...next } = pageOf(rest, limit, ({ place }) => place);
  return ok({ items: items.map(({ row }) => row), total: rows.length, ...next });
}

const isBefore = (a: Place, b: Place): boolean => a.at < b.at || (a.at === b.at && a.id < b.id);

const momentOf = (date: Date): string => date.toISOString().replace("T", " ").replace("Z", "000");

export const placeAt = (createdAt: PgColumn): SQL<string> =>
  sql<string>`to_char(${createdAt} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;

/** Rows after this position, newest first. */
export const isAfter = (createdAt: PgColumn, id: PgColumn, place: Place): SQL =>
  sql`(${createdAt}, ${id}) < (${place.at}::timestamp at time zone 'UTC', ${place.id}::uuid)`;

/** The same two for hand-written SQL: parameters `n` and `n + 1` are the position, null for the first page. */
export const placeText = (createdAt: string): string =>
  `to_char(${createdAt} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;
export const isAfterText = (createdAt: string, id: string, n: number): string =>
  `($${n}::timestamp is null or (${createdAt}, ${id}) < ($${n}::timestamp at time zone 'UTC', $${n + 1}::uuid))`;
