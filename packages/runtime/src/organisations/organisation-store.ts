/** The organisations and their members. Stored in the first organisation. */
import { fail, ok, type Result } from "@capstan/core";
import type { Right } from "@capstan/core/internal";
import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { organisationMembers, organisations } from "../db/schema/organisation-tables.ts";
import { FIRST_ORGANISATION } from "./organisation-schema.ts";

export interface OrganisationRecord {
  readonly id: string;
  readonly name: string;
  readonly requestsPerMinute: number | null;
  readonly weight: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly isDisabled: boolean;
}

export interface OrganisationMember {
  readonly userEmail: string;
  readonly role: Right;
  readonly addedBy: string;
  readonly addedAt: Date;
}

export type OrganisationChange = Partial<
  Pick<OrganisationRecord, "name" | "requestsPerMinute" | "weight" | "isDisabled">
>;

export interface OrganisationStore {
  /** Organisations whose tables exist. */
  list(): Promise<OrganisationRecord[]>;
  /** Reserves the id; nobody enters it before `ready`. Continuing an interrupted creation is not a conflict. */
  create(input: {
    readonly id: string;
    readonly name: string;
    readonly requestsPerMinute: number | null;
    readonly weight?: number;
    readonly by: string;
  }): Promise<Result<true>>;
  ready(id: string): Promise<void>;
  change(id: string, change: OrganisationChange): Promise<OrganisationRecord | undefined>;
  remove(id: string): Promise<boolean>;
  members(id: string): Promise<OrganisationMember[]>;
  setMember(id: string, member: Pick<OrganisationMember, "userEmail" | "role" | "addedBy">): Promise<void>;
  removeMember(id: string, userEmail: string): Promise<boolean>;
}

const MOST_ORGANISATIONS = 200; // each has its own tables and connections
const MOST_MEMBERS = 10_000; // every read is bounded

export function organisationStore({ orm }: Pick<Database, "orm">): OrganisationStore {
  return {
    async list() {
      const rows = await orm
        .select()
        .from(organisations)
        .where(isNotNull(organisations.readyAt))
        .orderBy(asc(organisations.id))
        .limit(MOST_ORGANISATIONS);
      return rows.map(recordOf);
    },
    async create({ id, name, requestsPerMinute, weight = 1, by }) {
      if (id === FIRST_ORGANISATION) return fail("organisation_exists", { id });
      const [count] = await orm.select({ all: sql<number>`count(*)::int` }).from(organisations);
      if ((count?.all ?? 0) >= MOST_ORGANISATIONS)
        return fail("input_invalid", { where: `there are ${MOST_ORGANISATIONS} organisations already` });
      const values = { name, requestsPerMinute, weight, createdBy: by };
      const rows = await orm
        .insert(organisations)
        .values({ id, ...values })
        .onConflictDoUpdate({
          target: organisations.id,
          set: values,
          setWhere: sql`${organisations.readyAt} is null`,
        })
        .returning({ id: organisations.id });
      return rows.length > 0 ? ok(true) : fail("organisation_exists", { id });
    },
    async ready(id) {
      await orm.update(organisations).set({ readyAt: sql`now()` }).where(eq(organisations.id, id));
    },
    async change(id, { isDisabled, ...change }) {
      const set = {
        ...change,
        ...(isDisabled !== undefined && { disabledAt: isDisabled ? sql`now()` : null }),
        id, // an empty change is still a statement
      };
      const [row] = await orm
        .update(organisations)
        .set(set)
        .where(and(eq(organisations.id, id), isNotNull(organisations.readyAt)))
        .returning();
      return row && recordOf(row);
    },
    async remove(id) {
      const rows = await orm.delete(organisations).where(eq(organisations.id, id)).returning();
      return rows.length > 0;
    },
    ...memberRows(orm),
  };
}

function memberRows(orm: Database["orm"]): Pick<OrganisationStore, "members" | "setMember" | "removeMember"> {
  return {
    async members(id) {
      const rows = await orm
        .select()
        .from(organisationMembers)
        .where(eq(organisationMembers.organisationId, id))
        .orderBy(asc(organisationMembers.userEmail))
        .limit(MOST_MEMBERS);
      return rows.map(({ userEmail, role, addedBy, addedAt }) => ({
        userEmail,
        role: role as Right,
        addedBy,
        addedAt,
      }));
    },
    async setMember(id, { userEmail, role, addedBy }) {
      await orm
        .insert(organisationMembers)
        .values({ organisationId: id, userEmail, role, addedBy })
        .onConflictDoUpdate({
          target: [organisationMembers.organisationId, organisationMembers.userEmail],
          set: { role, addedBy, addedAt: sql`now()` },
        });
    },
    async removeMember(id, userEmail) {
      const rows = await orm
        .delete(organisationMembers)
        .where(and(eq(organisationMembers.organisationId, id), eq(organisationMembers.userEmail, userEmail)))
        .returning();
      return rows.length > 0;
    },
  };
}

const recordOf = (row: typeof organisations.$inferSelect): OrganisationRecord => ({
  id: row.id,
  name: row.name,
  requestsPerMinute: row.requestsPerMinute,
  weight: row.weight,
  createdBy: row.createdBy,
  createdAt: row.createdAt,
  isDisabled: row.disabledAt !== null,
});
