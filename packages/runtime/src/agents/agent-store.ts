/** Agents in the database. `compose` decides whether an agent is valid; this only stores what passed. */
import { fail, ok, type Result } from "@capstan/core";
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { isAfter, type Place, pageOf, placeAt } from "../db/keyset.ts";
import { agentCapabilities, agentRevisions, agents } from "../db/schema/agent-tables.ts";
import { isUuid } from "../db/uuid.ts";
import type { ConfigSeal } from "../users/config-seal.ts";
import { type AgentInput, type AgentRecord, type AgentRow, agentRecord } from "./agent-record.ts";
import {
  type AgentChange,
  addRevision,
  agentColumns,
  keepLive,
  type Orm,
  putCapabilities,
  writeLive,
} from "./agent-rows.ts";
import { isSharedTo, type SharedTo } from "./agent-sharing.ts";

export interface Page<T> {
  readonly items: T[];
  /** Pass it back for the next page; absent on the last one. */
  readonly nextCursor?: string;
}

export interface AgentFilter {
  readonly limit: number;
  /** Where the previous page ended. */
  readonly after?: Place | undefined;
  readonly status?: string | undefined;
  /** Text in the name or the description, case-insensitive. */
  readonly text?: string | undefined;
  /** Only agents that list this capability. */
  readonly capability?: string | undefined;
  /** Only those that this person may see. */
  readonly sharedTo?: SharedTo | undefined;
}

export interface AgentStore {
  /** By its owner and without a reason, unless the change says otherwise. */
  create(owner: string, input: AgentInput, change?: AgentChange): Promise<AgentRecord>;
  get(id: string): Promise<Result<AgentRecord>>;
  /** Adds a revision and makes it live. */
  update(id: string, input: AgentInput, change: AgentChange): Promise<Result<AgentRecord>>;
  delete(id: string): Promise<Result<AgentRecord>>;
  /** Newest first by creation time; inserts neither repeat nor skip a row. */
  list(options: AgentFilter): Promise<Page<AgentRecord>>;
  count(filter?: Omit<AgentFilter, "limit" | "after">): Promise<number>;
  /** Agents that list a capability, for "in use" and to show what an uninstall breaks. */
  using(
    capabilityId: string,
    of?: { readonly owner?: string | undefined; readonly sharedTo?: SharedTo | undefined },
  ): Promise<{ id: string; name: string }[]>;
  /** Names by id; deleted agents have no entry. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Secrets in configs are sealed before they are written, and never returned to readers. */
export function agentStore(
  { orm, policyChanges }: Pick<Database, "orm" | "policyChanges">,
  seal: ConfigSeal["seal"],
): AgentStore {
  const read = { orm, seal };
  return {
    async create(owner, input, change = { by: owner }) {
      const id = uuidv7();
      await orm.transaction(async (tx) => {
        await tx.insert(agents).values({ id, owner, ...agentColumns(input) });
        await putCapabilities(tx, id, input, seal);
        await addRevision(tx, id, input, change, seal);
      });
      return mustFind(read, id);
    },
    get: (id) => find(read, id),
    async update(id, input, change) {
      if (!isUuid(id)) return fail("not_found", { what: "agent", id });
      const changed = await orm.transaction(async (tx) => {
        await keepLive(tx, id);
        const [row] = await tx.select({ id: agents.id }).from(agents).where(eq(agents.id, id));
        if (!row) return false;
        const number = await addRevision(tx, id, input, change, seal);
        return writeLive(tx, id, { number, input, seal });
      });
      await policyChanges.announce();
      return changed ? find(read, id) : fail("not_found", { what: "agent", id });
    },
    async delete(id) {
      const found = await find(read, id);
      if (found.ok) await orm.delete(agents).where(eq(agents.id, id));
      await policyChanges.announce();
      return found;
    },
    list: (options) => list(read, options),
    async count(filter = {}) {
      const [row] = await orm.select({ n: sql<number>`count(*)::int` }).from(agents).where(matching(filter));
      return row?.n ?? 0;
    },
    using: (capabilityId, { owner, sharedTo } = {}) =>
      orm
        .select({ id: agents.id, name: agents.name })
        .from(agentCapabilities)
        .innerJoin(agents, eq(agents.id, agentCapabilities.agentId))
        .where(
          and(
            eq(agentCapabilities.capabilityId, capabilityId),
            owner === undefined ? undefined : eq(agents.owner, owner),
            sharedTo === undefined ? undefined : isSharedTo(sharedTo),
          ),
        )
        .orderBy(asc(agents.name)),
    async names(ids) {
      const known = ids.filter(isUuid);
      if (known.length === 0) return new Map();
      const rows = await orm
        .select({ id: agents.id, name: agents.name })
        .from(agents)
        .where(inArray(agents.id, known));
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
  };
}

interface Read {
  readonly orm: Orm;
  readonly seal: ConfigSeal["seal"];
}

const IS_LIVE = and(eq(agentRevisions.agentId, agents.id), eq(agentRevisions.number, agents.version));

/** An agent saved before revisions existed counts as saved by its owner. */
const authored = ({ row, by }: { row: typeof agents.$inferSelect; by: string | null }): AgentRow => ({
  ...row,
  author: by ?? row.owner,
});

function matching({ status, text, capability, sharedTo }: Omit<AgentFilter, "limit" | "after">) {
  const about = sql`lower(${agents.name} || chr(10) || ${agents.description})`;
  const lists = sql`exists (select 1 from ${agentCapabilities} where ${agentCapabilities.agentId} = ${agents.id}
    and ${agentCapabilities.capabilityId} = ${capability})`;
  return and(
    status === undefined ? undefined : eq(agents.status, status),
    text === undefined ? undefined : sql`position(lower(${text}) in ${about}) > 0`,
    capability === undefined ? undefined : lists,
    sharedTo === undefined ? undefined : isSharedTo(sharedTo),
  );
}

async function list(read: Read, { limit, after, ...filter }: AgentFilter): Promise<Page<AgentRecord>> {
  const found = await read.orm
    .select({ row: agents, by: agentRevisions.by, at: placeAt(agents.createdAt) })
    .from(agents)
    .leftJoin(agentRevisions, IS_LIVE)
    .where(and(after && isAfter(agents.createdAt, agents.id, after), matching(filter)))
    .orderBy(desc(agents.createdAt), desc(agents.id))
    .limit(limit + 1);
  const { items, ...next } = pageOf(found, limit, ({ at, row }) => ({ at, id: row.id }));
  const records = await withCapabilities(read, items.map(authored));
  return { items: records, ...next };
}

async function find(read: Read, id: string): Promise<Result<AgentRecord>> {
  if (!isUuid(id)) return fail("not_found", { what: "agent", id });
  const rows = await read.orm
    .select({ row: agents, by: agentRevisions.by })
    .from(agents)
    .leftJoin(agentRevisions, IS_LIVE)
    .where(eq(agents.id, id));
  const [found] = await withCapabilities(read, rows.map(authored));
  return found ? ok(found) : fail("not_found", { what: "agent", id });
}

async function mustFind(read: Read, id: string): Promise<AgentRecord> {
  const found = await find(read, id);
  if (!found.ok) throw new Error("the agent just written is not there");
  return found.value;
}

/** Also seals values stored before their field was marked as a secret. */
async function withCapabilities({ orm, seal }: Read, rows: readonly AgentRow[]): Promise<AgentRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const all = await orm
    .select()
    .from(agentCapabilities)
    .where(inArray(agentCapabilities.agentId, ids))
    .orderBy(asc(agentCapabilities.position));
  return rows.map((row) =>
    agentRecord(
      row,
      all
        .filter(({ agentId }) => agentId === row.id)
        .map((each) => ({ ...each, config: seal(each.capabilityId, each.config) })),
    ),
  );
}
