/** The remaining budgets of a run, read from its rows: for calls that reach its session from outside the loop. */
import type { RunLimits } from "@capstan/core";
import type { Budget } from "@capstan/core/internal";
import type pg from "pg";
import { isUuid } from "../../db/uuid.ts";
import type { RunUsage } from "../contract/run-types.ts";
import type { StoredUsage } from "../log/stored-call.ts";
import { DEFAULT_LIMITS, effectiveLimits, RunMeter } from "./run-meter.ts";

const READ = `select r.usage, r.input->'limits' as asked, (select json_agg(m.usage) from messages m
    where m.session_id = r.session_id and m.run_id = r.id and m.usage is not null) as usages
  from runs r where r.session_id = $1 and r.status in ('running', 'waiting')`;

interface BudgetRow {
  readonly usage: RunUsage | null;
  readonly asked: RunLimits | null;
  readonly usages: readonly StoredUsage[] | null;
}

/** The budgets of the session's active run; empty when there is none. */
export async function storedBudgets(pool: pg.Pool, sessionId: string, limits: RunLimits): Promise<Budget[]> {
  const { rows } = isUuid(sessionId) ? await pool.query<BudgetRow>(READ, [sessionId]) : { rows: [] };
  const [run] = rows;
  if (!run) return [];
  const { usage, asked, usages } = run;
  const allowed = effectiveLimits(limits, asked ?? undefined, DEFAULT_LIMITS);
  return new RunMeter(allowed, { usages: usages ?? [], activeMs: usage?.activeMs ?? 0 }).budgets();
}
