/** Budgets: how much may be spent per minute, hour, day, week or month, and whose spending counts. */

export const BUDGET_MEASURES = ["cost_usd", "tokens", "calls"] as const;
export type BudgetMeasure = (typeof BUDGET_MEASURES)[number];

export const BUDGET_PERIODS = ["minute", "hour", "day", "week", "month"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const BUDGET_EACH = ["user", "agent"] as const;
export type BudgetEach = (typeof BUDGET_EACH)[number];

/** At the limit: wait for an admin's approval, wait for the next period, or refuse. */
export const AT_LIMIT = ["ask", "wait", "deny"] as const;
export type AtLimit = (typeof AT_LIMIT)[number];

/** Percent of the limit at which an alert is raised, once per period. */
export const BUDGET_ALERTS = [50, 80, 100] as const;

export interface SpendingBudget {
  readonly id: string;
  readonly name: string;
  /** `cost_usd` and `tokens` count what models use, `calls` counts tool calls. */
  readonly measure: BudgetMeasure;
  readonly limit: number;
  readonly period: BudgetPeriod;
  /** Where the period begins at midnight. */
  readonly timeZone: string;
  /** Only this agent's, user's or capability's spending counts. */
  readonly agentId?: string | undefined;
  readonly user?: string | undefined;
  readonly capabilityId?: string | undefined;
  /** Each user or each agent has the whole limit; otherwise all share it. */
  readonly forEach?: BudgetEach | undefined;
  readonly atLimit: AtLimit;
  /** Called with each alert. */
  readonly webhookUrl?: string | undefined;
}

/** Who spends. A model call belongs to no capability. */
export interface Spender {
  readonly agentId: string;
  readonly user: string;
  readonly capabilityId?: string | undefined;
}

/** The share this counts against: a user's, an agent's, or "" for all together. Undefined: it does not count. */
export function subjectOf(budget: SpendingBudget, spender: Spender): string | undefined {
  const { agentId, user, capabilityId, forEach } = budget;
  const counts =
    (agentId === undefined || agentId === spender.agentId) &&
    (user === undefined || user === spender.user) &&
    (capabilityId === undefined || capabilityId === spender.capabilityId);
  if (!counts) return undefined;
  if (forEach === undefined) return "";
  return forEach === "user" ? spender.user : spender.agentId;
}

/** Why the budget could never count anything; undefined if it can. */
export function budgetFault({
  measure,
  capabilityId,
  user,
  agentId,
  forEach,
}: Pick<SpendingBudget, "measure" | "capabilityId" | "user" | "agentId" | "forEach">): string | undefined {
  if (capabilityId !== undefined && measure !== "calls")
    return "a capability has no model cost of its own; its budget counts calls";
  if (forEach === "user" && user !== undefined) return "it names one user and is for each user";
  if (forEach === "agent" && agentId !== undefined) return "it names one agent and is for each agent";
  return undefined;
}

/** The highest alert that this spending has reached; 0 for none. */
export function alertReached(spent: number, limit: number): number {
  const percent = limit > 0 ? (spent / limit) * 100 : 100;
  return BUDGET_ALERTS.findLast((alert) => percent >= alert) ?? 0;
}

export interface BudgetForecast {
  /** What will be spent by the end of the period at this pace. */
  readonly amount: number;
  /** When the limit is reached at this pace; undefined when it is not. */
  readonly reachedAt?: Date;
}

/** At the pace of the period so far. Undefined before a hundredth of it has passed: too little to say. */
export function forecastOf(
  { spent, limit, start, end }: { spent: number; limit: number; start: Date; end: Date },
  now: Date,
): BudgetForecast | undefined {
  const whole = end.getTime() - start.getTime();
  const past = now.getTime() - start.getTime();
  if (past < whole / 100) return undefined;
  const perMs = spent / past;
  const amount = perMs * whole;
  if (spent >= limit || amount < limit) return { amount };
  return { amount, reachedAt: new Date(start.getTime() + limit / perMs) };
}

const UNITS: Readonly<Record<BudgetMeasure, (amount: number) => string>> = {
  cost_usd: (amount) => `$${amount.toFixed(amount < 1 ? 4 : 2)}`,
  tokens: (amount) => `${Math.round(amount)} tokens`,
  calls: (amount) => `${Math.round(amount)} calls`,
};

export const amountText = (measure: BudgetMeasure, amount: number): string => UNITS[measure](amount);

const THEN: Readonly<Record<AtLimit, string>> = {
  ask: "then ask an admin",
  wait: "then wait for the next period",
  deny: "then refuse",
};

/** The budget in words: "$5.00 a day for each user". */
export function budgetSentence(budget: Omit<SpendingBudget, "id" | "name">): string {
  const { measure, limit, period, agentId, user, capabilityId, forEach, atLimit } = budget;
  const whose = [
    ...(forEach === undefined ? [] : [`for each ${forEach}`]),
    ...(user === undefined ? [] : [`for ${user}`]),
    ...(agentId === undefined ? [] : [`by agent ${agentId}`]),
    ...(capabilityId === undefined ? [] : [`of ${capabilityId}`]),
  ];
  return [`${amountText(measure, limit)} ${period === "hour" ? "an" : "a"} ${period}`, ...whose]
    .join(" ")
    .concat(`, ${THEN[atLimit]}`);
}
