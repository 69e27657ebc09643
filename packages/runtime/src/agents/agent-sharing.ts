/** Who agents are shared with, in the database. A change takes effect on every process within a second. */
import {
  type AgentRight,
  type AgentSharing,
  agentRights,
  subjectsOf,
  UNSHARED,
  withApproversOf,
} from "@capstan/core/internal";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { agents } from "../db/schema/agent-tables.ts";
import { agentSharing } from "../db/schema/sharing-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { claimsOfPerson } from "../users/known-person.ts";

/** The names under which agents may be shared with a person, for lists. */
export interface SharedTo {
  readonly email: string;
  readonly subjects: readonly string[];
  /** Only agents that this right is given for; absent: any right. */
  readonly right?: AgentRight | undefined;
}

export interface AgentSharings {
  get(agentId: string): Promise<AgentSharing>;
  put(agentId: string, sharing: AgentSharing, by: string): Promise<void>;
  /** Empty: this person cannot see the agent. */
  rightsOf(agentId: string, person: { email: string; isAdmin: boolean }): Promise<AgentRight[]>;
  /** For a person known only by address; whether they are an admin is looked up only where it matters. */
  mayUse(agentId: string, email: string): Promise<boolean>;
  mayChange(agentId: string, email: string): Promise<boolean>;
  sharedTo(email: string): Promise<SharedTo>;
  /** Agents whose approvals this person may answer for others. */
  approvesFor(email: string): Promise<string[]>;
}

export interface AgentSharingParts {
  readonly database: Pick<Database, "orm" | "policyChanges" | "organisation">;
  readonly isAdmin: (email: string) => Promise<boolean>;
}

export function agentSharings({ database, isAdmin }: AgentSharingParts): AgentSharings {
  const { orm, policyChanges } = database;
  const find = async (agentId: string) => {
    if (!isUuid(agentId)) return undefined;
    const [row] = await orm
      .select({ owner: agents.owner, ...SHARING })
      .from(agents)
      .leftJoin(agentSharing, eq(agentSharing.agentId, agents.id))
      .where(eq(agents.id, agentId));
    return row && { owner: row.owner, sharing: sharingOf(row) };
  };
  const subjects = async (email: string, named: readonly string[]) => {
    const isAsked = named.some((name) => name.startsWith("group:"));
    return subjectsOf(email, isAsked ? await claimsOfPerson(database, email) : {}, named);
  };
  const withStandingApprovers = async (sharing: AgentSharing) => {
    const givers = new Set(sharing.shares.flatMap(({ approvalsFrom = [] }) => approvalsFrom));
    const admins = new Set<string>();
    for (const giver of givers) if (await isAdmin(giver)) admins.add(giver);
    return withApproversOf(sharing, admins);
  };
  const rightsOf: AgentSharings["rightsOf"] = async (agentId, { email, isAdmin: holdsAdmin }) => {
    const found = await find(agentId);
    if (!found) return [];
    const named = found.sharing.shares.map((share) => share.with);
    const person = { isOwner: found.owner === email, isAdmin: holdsAdmin };
    return agentRights(await withStandingApprovers(found.sharing), {
      ...person,
      subjects: await subjects(email, named),
    });
  };
  const may = (right: AgentRight) => async (agentId: string, email: string) => {
    const rights = await rightsOf(agentId, { email, isAdmin: false });
    return rights.includes(right) || ((await find(agentId)) !== undefined && isAdmin(email));
  };
  return {
    get: async (agentId) => (await find(agentId))?.sharing ?? UNSHARED,
    async put(agentId, { access, shares }, by) {
      const set = { access, shares: [...shares], by, at: sql`now()` };
      await orm
        .insert(agentSharing)
        .values({ agentId, ...set })
        .onConflictDoUpdate({ target: agentSharing.agentId, set });
      await policyChanges.announce();
    },
    rightsOf,
    mayUse: may("use"),
    mayChange: may("change"),
    async sharedTo(email) {
      const rows = await orm
        .selectDistinct({ name: sql<string>`share->>'with'` })
        .from(sql`${agentSharing}, jsonb_array_elements(${agentSharing.shares}) as share`);
      const named = rows.map(({ name }) => name);
      return { email, subjects: await subjects(email, named) };
    },
    async approvesFor(email) {
      const rows = await orm
        .select({ id: agentSharing.agentId, ...SHARING })
        .from(agentSharing)
        .where(sql`${agentSharing.shares}::text like '%"approve"%'`);
      const named = [...new Set(rows.flatMap(({ shares }) => shares.map((share) => share.with)))];
      const person = { isOwner: false, isAdmin: false, subjects: await subjects(email, named) };
      const ids: string[] = [];
      for (const row of rows) {
        const standing = await withStandingApprovers(sharingOf(row));
        if (agentRights(standing, person).includes("approve")) ids.push(row.id);
      }
      return ids;
    },
  };
}

const SHARING = { access: agentSharing.access, shares: agentSharing.shares, by: agentSharing.by };

interface SharingRow {
  readonly access: string | null;
  readonly shares: AgentSharing["shares"] | null;
  readonly by: string | null;
}

/** Shares of before it was stored who gave the right to approve are those of whoever shared the agent last. */
function sharingOf({ access, shares, by }: SharingRow): AgentSharing {
  if (access === null) return UNSHARED;
  const known = (shares ?? []).map((share) =>
    share.rights.includes("approve") ? { approvalsFrom: by ?? "", ...share } : share,
  );
  return { access: access as AgentSharing["access"], shares: known };
}

/** Condition for a query over `agents`: only those that this person may see, or has this right to. */
export const isSharedTo = ({ email, subjects, right }: SharedTo) => sql`(${agents.owner} = ${email}
  or not exists (select 1 from ${agentSharing} where ${agentSharing.agentId} = ${agents.id} and ${agentSharing.access} <> 'all')
  or exists (select 1 from ${agentSharing}, jsonb_array_elements(${agentSharing.shares}) as share
    where ${agentSharing.agentId} = ${agents.id} and ${agentSharing.access} <> 'private'
    and ${right === undefined ? sql`jsonb_array_length(share->'rights') > 0` : sql`share->'rights' @> ${JSON.stringify([right])}::jsonb`}
    and share->>'with' in (select jsonb_array_elements_text(${JSON.stringify(subjects)}::jsonb))))`;
