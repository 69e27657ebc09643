/** The saved budgets and their spending. */
import { fail, ok, type Result } from "@capstan/core";
import type {
  AtLimit,
  BudgetEach,
  BudgetMeasure,
  BudgetPeriod,
  SpendingBudget,
} from "@capstan/core/internal";
import { desc, eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { keptPolicies } from "../db/kept-policies.ts";
import { budgetPeriods, budgets } from "../db/schema/budget-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { FILL, STATES } from "./budget-statements.ts";

export interface BudgetRecord extends SpendingBudget {
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
export type BudgetDraft = Omit<SpendingBudget, "id">;

/** One subject's spending in the current period. */
export interface BudgetSpending {
  readonly subject: string;
  readonly spent: number;
  readonly reserved: number;
  readonly extra: number;
  /** The highest alert raised, in percent. */
  readonly alerted: number;
}

export interface BudgetState {
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Highest spending first. */
  readonly spending: readonly BudgetSpending[];
}

export interface BudgetStore {
  /** Newest first. */
  list(): Promise<BudgetRecord[]>;
  get(id: string): Promise<Result<BudgetRecord>>;
  create(draft: BudgetDraft, by: string): Promise<BudgetRecord>;
  change(id: string, draft: BudgetDraft): Promise<Result<BudgetRecord>>;
  remove(id: string): Promise<Result<BudgetRecord>>;
  /** The current period of each budget, or of one, by id. */
  states(id?: string, subject?: string): Promise<ReadonlyMap<string, BudgetState>>;
  /** The budgets in effect. A local change counts at once, one by another process within half a second. */
  inForce(): Promise<readonly SpendingBudget[]>;
}

/** Stands for the creator: only the server's operator may change the budget. */
export const OPERATOR = "operator";

export function budgetStore(
  { orm, pool }: Pick<Database, "orm" | "pool">,
  now: () => Date = () => new Date(),
): BudgetStore {
  const list = async (): Promise<BudgetRecord[]> =>
    (await orm.select().from(budgets).orderBy(desc(budgets.createdAt), desc(budgets.id))).map(recordOf);
  const current = keptPolicies<readonly SpendingBudget[]>({ pool }, "budgets", list);
  const fill = (id: string) => pool.query(FILL, [id, now()]);
  return {
    list,
    async get(id) {
      const [found] = isUuid(id) ? await orm.select().from(budgets).where(eq(budgets.id, id)) : [];
      return found ? ok(recordOf(found)) : fail("not_found", { what: "budget", id });
    },
    async create(draft, by) {
      const row = { id: uuidv7(), createdBy: by, ...rowOf(draft) };
      const [made] = await orm.insert(budgets).values(row).returning();
      await fill(row.id);
      current.forget();
      return recordOf(made as Row);
    },
    async change(id, draft) {
      if (!isUuid(id)) return fail("not_found", { what: "budget", id });
      const changes = { ...rowOf(draft), updatedAt: sql`now()` };
      const [before] = await orm.select().from(budgets).where(eq(budgets.id, id));
      const [changed] = await orm.update(budgets).set(changes).where(eq(budgets.id, id)).returning();
      if (!before || !changed) return fail("not_found", { what: "budget", id });
      if (countsOther(before, changed)) {
        await orm.delete(budgetPeriods).where(eq(budgetPeriods.budgetId, id));
        await fill(id);
      }
      current.forget();
      return ok(recordOf(changed));
    },
    async remove(id) {
      if (!isUuid(id)) return fail("not_found", { what: "budget", id });
      const [gone] = await orm.delete(budgets).where(eq(budgets.id, id)).returning();
      current.forget();
      return gone ? ok(recordOf(gone)) : fail("not_found", { what: "budget", id });
    },
    async states(id, subject) {
      const { rows } = await pool.query<StateRow>(STATES, [now(), id ?? null, subject ?? null]);
      return statesOf(rows);
    },
    inForce: current.get,
  };
}

type Row = typeof budgets.$inferSelect;
type StateRow = { readonly id: string; readonly startsAt: Date; readonly endsAt: Date } & (
  | BudgetSpending
  | { readonly subject: null }
);

function statesOf(rows: readonly StateRow[]): ReadonlyMap<string, BudgetState> {
  const states = new Map<string, BudgetState & { spending: BudgetSpending[] }>();
  for (const { id, startsAt, endsAt, ...spending } of rows) {
    const state = states.get(id) ?? { startsAt, endsAt, spending: [] };
    if (spending.subject !== null) state.spending.push(spending);
    states.set(id, state);
  }
  return states;
}

/** Whether the change alters what is counted; if so, the current period is counted anew. */
const COUNTED = ["measure", "period", "timeZone", "agentId", "userEmail", "capabilityId", "forEach"] as const;
const countsOther = (before: Row, after: Row): boolean =>
  COUNTED.some((field) => before[field] !== after[field]);

const rowOf = ({
  name,
  measure,
  limit,
  period,
  timeZone,
  agentId,
  user,
  capabilityId,
  forEach,
  atLimit,
  webhookUrl,
}: BudgetDraft) => ({
  name,
  measure,
  amount: limit,
  period,
  timeZone,
  agentId: agentId ?? null,
  userEmail: user ?? null,
  capabilityId: capabilityId ?? null,
  forEach: forEach ?? null,
  atLimit,
  webhookUrl: webhookUrl ?? null,
});

/** Only budgets of this shape are written. */
const recordOf = ({
  amount,
  userEmail,
  agentId,
  capabilityId,
  forEach,
  measure,
  period,
  atLimit,
  webhookUrl,
  ...row
}: Row): BudgetRecord => ({
  ...row,
  limit: amount,
  measure: measure as BudgetMeasure,
  period: period as BudgetPeriod,
  atLimit: atLimit as AtLimit,
  ...(webhookUrl !== null && { webhookUrl }),
  ...(agentId !== null && { agentId }),
  ...(userEmail !== null && { user: userEmail }),
  ...(capabilityId !== null && { capabilityId }),
  ...(forEach !== null && { forEach: forEach as BudgetEach }),
});
