/**
 * A person known from a provider: they signed in, or a directory pushed them. Identities belong to the first
 * organisation; another organisation's directory applies only there. Groups come from the nearest directory that has
 * the person, because those of the last sign-in are older.
 */
import type { Claims } from "@capstan/core/internal";
import { eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { identities } from "../db/schema/people-tables.ts";
import { type DirectoryEntry, directoryEntry } from "./directory-entry.ts";

export type PeopleDatabase = Pick<Database, "orm" | "organisation">;

export interface KnownPerson {
  readonly name: string;
  readonly claims: Claims;
  /** A directory says that they left, or removed them. */
  readonly hasLeft: boolean;
  /** The provider no longer vouches for them, until they sign in again. */
  readonly mustSignIn: boolean;
}

export async function readKnownPerson(
  { orm, organisation }: PeopleDatabase,
  email: string,
): Promise<KnownPerson | undefined> {
  const first = organisation?.directory.orm ?? orm;
  const [identity] = await first.select().from(identities).where(eq(identities.userEmail, email));
  const subject = { email, ids: identity ? [identity.subject, ...(identity.claims.oid ?? [])] : [] };
  const stores = [...new Set([first, orm])];
  const found = await Promise.all(stores.map((store) => directoryEntry(store, subject)));
  const entries = found.filter((entry) => entry !== undefined);
  if (identity === undefined && entries.length === 0) return undefined;
  const groups = entries.findLast((entry) => entry.groups !== undefined)?.groups;
  return {
    name: identity?.name ?? entries.at(-1)?.name ?? email,
    claims: { ...(identity?.claims ?? pushedClaims(entries)), ...(groups !== undefined && { groups }) },
    hasLeft: entries.some(({ isActive }) => !isActive),
    mustSignIn: identity?.endedAt != null,
  };
}

/** For someone who never signed in: the directory verifies the address. */
const pushedClaims = (entries: readonly DirectoryEntry[]): Claims => {
  const address = entries.find((entry) => entry.address !== undefined)?.address;
  return address === undefined ? {} : { email: [address] };
};

export const claimsOfPerson = async (database: PeopleDatabase, email: string): Promise<Claims> =>
  (await readKnownPerson(database, email))?.claims ?? {};
