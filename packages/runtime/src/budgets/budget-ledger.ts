/**
 * Spending of budgets. A model call reserves before it is made and settles afterwards; a tool call counts when it is
 * made. Reserving is one statement on the budget's row, so several processes cannot spend the same remainder twice.
 */
import { alertReached, type Spender, type SpendingBudget, subjectOf } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { firstIdAt } from "../db/uuid.ts";
import { COUNT_CALL, RAISE_ALERT, RELEASE, RELEASE_STALE, RESERVE, SETTLE } from "./budget-statements.ts";
import type { BudgetSpending, BudgetStore } from "./budget-store.ts";

const LONGEST_CALL_MS = 15 * 60_000; // of one model call outside a run

/** The most that a model call may cost; a missing cost is unknown. */
export interface Estimate {
  readonly costUsd: number | undefined;
  readonly tokens: number;
}

export interface Spent {
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
}

/** An exhausted budget, and how much of it was spent. */
export interface UsedUp extends Pick<BudgetSpending, "subject" | "spent" | "reserved" | "extra"> {
  readonly budget: SpendingBudget;
  readonly startsAt: Date;
  readonly endsAt: Date;
}

export type Reserving =
  | { readonly kind: "reserved"; readonly counted: boolean }
  | { readonly kind: "used_up"; readonly usedUp: UsedUp }
  /** A budget in US dollars, and a model without a known price. */
  | { readonly kind: "unpriced"; readonly budget: SpendingBudget };

export interface BudgetAlert {
  readonly budget: SpendingBudget;
  readonly subject: string;
  readonly percent: number;
  readonly spent: number;
}

export interface BudgetLedger {
  /** Reserves before a model call of this run; releases the run's earlier reservation. */
  reserve(runId: string, spender: Spender, estimate: () => Promise<Estimate>): Promise<Reserving>;
  /** After the model has answered. */
  settle(runId: string, spent: Spent): Promise<void>;
  /** The call was not made, or was interrupted. */
  release(runId: string): Promise<void>;
  /** Counts a tool call, or returns the budget without room for it. `isApproved`: it counts even above the limit. */
  countCall(spender: Spender, isApproved: boolean): Promise<UsedUp | undefined>;
}

interface Wanted {
  readonly budget: SpendingBudget;
  readonly subject: string;
  readonly amount: number;
}

interface Counted {
  readonly id: string;
  readonly subject: string;
  readonly startsAt: Date;
  readonly spent: number;
  readonly alerted: number;
}

export interface LedgerParts {
  readonly database: Pick<Database, "pool">;
  readonly store: BudgetStore;
  /** Called once per alert and period; must not throw. */
  readonly alert: (alert: BudgetAlert) => void;
  readonly now?: () => Date;
}

export function budgetLedger({ database, store, alert, now = () => new Date() }: LedgerParts): BudgetLedger {
  const { pool } = database;
  const matching = async (spender: Spender, isCall: boolean): Promise<Omit<Wanted, "amount">[]> =>
    (await store.inForce()).flatMap((budget) => {
      const subject = (budget.measure === "calls") === isCall ? subjectOf(budget, spender) : undefined;
      return subject === undefined ? [] : [{ budget, subject }];
    });
  const raiseAlerts = alertRaiser(pool, store, alert, now);
  /** Reserves in all budgets or in none; returns the budget without room. */
  const takeAll = async (
    wanted: readonly Wanted[],
    take: (client: pg.PoolClient, asked: string) => Promise<readonly { readonly id: string }[]>,
  ): Promise<UsedUp | undefined> => {
    const asked = JSON.stringify(
      wanted.map(({ budget, subject, amount }) => ({ id: budget.id, subject, amount })),
    );
    try {
      await inTransaction(pool, async (client) => {
        const taken = new Set((await take(client, asked)).map(({ id }) => id));
        const without = wanted.find(({ budget }) => !taken.has(budget.id));
        if (without) throw new NoRoom(without);
      });
      return undefined;
    } catch (error) {
      if (error instanceof NoRoom) return stateOf(store, error.wanted);
      throw error;
    }
  };
  const releaseStale = async (wanted: readonly Wanted[]): Promise<boolean> => {
    const oldest = firstIdAt(new Date(Date.now() - LONGEST_CALL_MS)); // ids contain the machine's time
    const { rowCount } = await pool.query(RELEASE_STALE, [wanted.map(({ budget }) => budget.id), oldest]);
    return (rowCount ?? 0) > 0;
  };
  return {
    async reserve(runId, spender, estimate) {
      const found = await matching(spender, false);
      if (found.length === 0) return { kind: "reserved", counted: false };
      const { costUsd, tokens } = await estimate();
      const unpriced = found.find(({ budget }) => budget.measure === "cost_usd" && costUsd === undefined);
      if (unpriced) return { kind: "unpriced", budget: unpriced.budget };
      const wanted = found.map((each) => ({
        ...each,
        amount: each.budget.measure === "cost_usd" ? (costUsd ?? 0) : tokens,
      }));
      const reserve = () =>
        takeAll(wanted, async (client, asked) => {
          await client.query(RELEASE, [runId]);
          return (await client.query<{ id: string }>(RESERVE, [asked, now(), runId])).rows;
        });
      let usedUp = await reserve();
      if (usedUp && (await releaseStale(wanted))) usedUp = await reserve();
      return usedUp ? { kind: "used_up", usedUp } : { kind: "reserved", counted: true };
    },
    async settle(runId, { costUsd, tokens }) {
      const { rows } = await pool.query<Counted>(SETTLE, [runId, costUsd ?? null, tokens ?? null]);
      await raiseAlerts(rows);
    },
    async release(runId) {
      await pool.query(RELEASE, [runId]);
    },
    async countCall(spender, isApproved) {
      const wanted = (await matching(spender, true)).map((each) => ({ ...each, amount: 1 }));
      if (wanted.length === 0) return undefined;
      let counted: readonly Counted[] = [];
      const usedUp = await takeAll(wanted, async (client, asked) => {
        counted = (await client.query<Counted>(COUNT_CALL, [asked, now(), isApproved])).rows;
        return counted;
      });
      if (!usedUp) await raiseAlerts(counted);
      return usedUp;
    },
  };
}

function alertRaiser(pool: pg.Pool, store: BudgetStore, alert: LedgerParts["alert"], now: () => Date) {
  return async (counted: readonly Counted[]): Promise<void> => {
    const budgets = new Map((await store.inForce()).map((budget) => [budget.id, budget]));
    for (const { id, subject, startsAt, spent, alerted } of counted) {
      const budget = budgets.get(id);
      const percent = budget ? alertReached(spent, budget.limit) : 0;
      if (!budget || percent <= alerted) continue;
      const raised = { budget, subject, percent, spent };
      const values = [id, subject, startsAt, percent, uuidv7(), alertPayload(raised, startsAt, now())];
      if ((await pool.query(RAISE_ALERT, values)).rowCount) alert(raised);
    }
  };
}

/** The body of the webhook. */
const alertPayload = ({ budget, subject, percent, spent }: BudgetAlert, startsAt: Date, at: Date) => ({
  type: "budget.alert",
  budget: {
    id: budget.id,
    name: budget.name,
    measure: budget.measure,
    limit: budget.limit,
    period: budget.period,
  },
  for: subject === "" ? null : subject,
  percent,
  spent,
  period_start: startsAt.toISOString(),
  at: at.toISOString(),
});

/** Rolls the transaction back. */
class NoRoom extends Error {
  readonly wanted: Wanted;
  constructor(wanted: Wanted) {
    super("a budget has no room");
    this.wanted = wanted;
  }
}

async function stateOf(store: BudgetStore, { budget, subject }: Wanted): Promise<UsedUp | undefined> {
  const state = (await store.states(budget.id, subject)).get(budget.id);
  if (!state) return undefined; // deleted in the meantime
  const none = { subject, spent: 0, reserved: 0, extra: 0 };
  const { startsAt, endsAt } = state;
  return { budget, startsAt, endsAt, ...none, ...state.spending.find((each) => each.subject === subject) };
}
