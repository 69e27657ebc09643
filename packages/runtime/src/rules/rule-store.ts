/** The saved rules, and the compiled set that every call is evaluated against. */
import { type CapabilityRegistry, fail, ok, type Result } from "@capstan/core";
import {
  createRuleSet,
  type Rule,
  type RuleSet,
  type SavedEffect,
  type ToolFields,
} from "@capstan/core/internal";
import { and, desc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { keptPolicies } from "../db/kept-policies.ts";
import { rules } from "../db/schema/rule-tables.ts";
import { isUuid } from "../db/uuid.ts";
import type { AskRules } from "../gate/ask-rules.ts";
import { compileCel } from "./cel.ts";
import { decideBy } from "./decide-by.ts";
import { groupsIn } from "./groups.ts";
import { type RuleCounts, ruleCounts } from "./rule-counts.ts";

export interface RuleRecord extends Rule {
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
export type RuleDraft = Omit<Rule, "id">;

export interface RuleStore {
  /** Newest first; with an agent, its own rules and those for every agent. */
  list(agentId?: string): Promise<RuleRecord[]>;
  get(id: string): Promise<Result<RuleRecord>>;
  create(draft: RuleDraft, by: string): Promise<RuleRecord>;
  change(id: string, draft: RuleDraft): Promise<Result<RuleRecord>>;
  remove(id: string): Promise<Result<RuleRecord>>;
  /** These rules in place of the saved ones. */
  compile(rules: readonly Rule[]): RuleSet;
  /** The rules' decision on a call. A change applies immediately, also one by another process. */
  readonly decide: AskRules;
  /** Counts a call that is made. */
  readonly takeCounts: RuleCounts["take"];
}

export function ruleStore(
  database: Pick<Database, "orm" | "pool" | "policyChanges" | "organisation">,
  registry: Pick<CapabilityRegistry, "list">,
): RuleStore {
  const { orm, policyChanges } = database;
  const counts = ruleCounts(database);
  const groupsOf = (email: string) => groupsIn(database, email);
  const compile = (rules: readonly Rule[]): RuleSet =>
    createRuleSet(rules, compileCel, { tools: () => toolFields(registry) });
  const all = async (where?: SQL): Promise<RuleRecord[]> =>
    (await orm.select().from(rules).where(where).orderBy(desc(rules.createdAt), desc(rules.id))).map(
      recordOf,
    );
  const current = keptPolicies(database, "rules", async () => compile(await all()));
  const get = async (id: string): Promise<Result<RuleRecord>> => {
    const [found] = isUuid(id) ? await all(eq(rules.id, id)) : [];
    return found ? ok(found) : fail("not_found", { what: "rule", id });
  };
  return {
    get,
    compile,
    list: (agentId) =>
      all(agentId === undefined ? undefined : or(eq(rules.agentId, agentId), isNull(rules.agentId))),
    async create(draft, by) {
      const [made] = await orm
        .insert(rules)
        .values({ id: uuidv7(), createdBy: by, ...rowOf(draft) })
        .returning();
      await policyChanges.announce();
      return recordOf(made as Row);
    },
    async change(id, draft) {
      if (!isUuid(id)) return fail("not_found", { what: "rule", id });
      const [changed] = await orm
        .update(rules)
        .set({ ...rowOf(draft), updatedAt: sql`now()` })
        .where(and(eq(rules.id, id)))
        .returning();
      await policyChanges.announce();
      return changed ? ok(recordOf(changed)) : fail("not_found", { what: "rule", id });
    },
    async remove(id) {
      if (!isUuid(id)) return fail("not_found", { what: "rule", id });
      const [gone] = await orm.delete(rules).where(eq(rules.id, id)).returning();
      await policyChanges.announce();
      return gone ? ok(recordOf(gone)) : fail("not_found", { what: "rule", id });
    },
    decide: async (call, facts) => decideBy(await current.get(), call, facts, { groupsOf, counts }),
    takeCounts: counts.take,
  };
}

const toolFields = (registry: Pick<CapabilityRegistry, "list">): ToolFields[] =>
  registry
    .list()
    .flatMap(({ id, tools }) =>
      tools.map(({ name, input }) => ({ name, capabilityId: id, inputSchema: input.jsonSchema })),
    );

type Row = typeof rules.$inferSelect;

const rowOf = ({ name, agentId, owner, ask, limit, tools, when, effect, words, expiresAt }: RuleDraft) => ({
  name,
  agentId: agentId ?? null,
  owner: owner ?? null,
  ask: ask ?? null,
  limit: limit ?? null,
  tools: [...tools],
  conditions: [...when],
  effect,
  words: words ?? null,
  expiresAt: expiresAt ?? null,
});

const recordOf = ({
  agentId,
  owner,
  ask,
  limit,
  conditions,
  effect,
  words,
  expiresAt,
  ...row
}: Row): RuleRecord => ({
  ...row,
  when: conditions,
  effect: effect as SavedEffect, // only rules of this shape are written
  ...(agentId !== null && { agentId }),
  ...(owner !== null && { owner }),
  ...(ask !== null && { ask }),
  ...(limit !== null && { limit }),
  ...(words !== null && { words }),
  ...(expiresAt !== null && { expiresAt }),
});
