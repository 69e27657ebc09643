/**
 * /v1/usage: tokens and cost by agent, model and user, and the success of tools. A key sees its owner's usage, an
 * admin everyone's.
 */
import {
  ToolUsageList,
  ToolUsageQuery,
  Usage,
  UsagePeriodQuery,
  UsageQuery,
  type UsageSums,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { roundedUsd } from "@capstan/core/internal";
import type {
  AgentStore,
  ToolUsage,
  UsagePeriod,
  UsageStore,
  UsageSums as UsageSumsRecord,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ownerFilter } from "../auth/ownership.ts";
import { type AppEnv, answer, json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { csvText } from "./csv-text.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const BUCKET_SECONDS = { hour: HOUR_SECONDS, day: DAY_SECONDS };
const USUAL_DAYS = 30;
const LONGEST_DAYS = 400;
const LONGEST_HOURLY_DAYS = 31;
const HOURLY_DAYS = 3; // up to here hours are shown unless days are asked for
const MOST_GROUPS = 50;
const DRAWN_GROUPS = 7; // as many lines as a chart can tell apart, and `other`
const MOST_EXPORTED = 100_000;

const usage = createRoute({
  operationId: "getUsage",
  ...needs("run", "see"),
  method: "get",
  path: "/v1/usage",
  summary: "Tokens and cost over time, by agent, model or user",
  request: { query: UsageQuery },
  responses: { 200: json(Usage, "Usage.") },
});
const tools = createRoute({
  operationId: "getToolUsage",
  ...needs("run", "see"),
  method: "get",
  path: "/v1/usage/tools",
  summary: "Calls, failures and times of tools: the slowest or the most failing first",
  request: { query: ToolUsageQuery },
  responses: { 200: json(ToolUsageList, "Tools.") },
});
const exported = createRoute({
  operationId: "exportUsage",
  ...needs("run", "see"),
  method: "get",
  path: "/v1/usage/export",
  summary: "Usage as CSV: a row for each hour or day, agent, model and user",
  request: { query: UsagePeriodQuery },
  responses: { 200: { description: "CSV.", content: { "text/csv": { schema: z.string() } } } },
});

export interface UsageRouteParts {
  readonly usage: UsageStore;
  readonly agents: Pick<AgentStore, "names">;
}

export function usageRoutes({ usage: store, agents }: UsageRouteParts) {
  const routes = newRoutes("usage");
  routes.openapi(usage, async (c) => {
    const { group_by, bucket: asked, ...query } = c.req.valid("query");
    const period = periodOf(c, query);
    if (!period.ok) return problem(c, period.failure);
    const bucket = asked ?? (daysIn(period.value) <= HOURLY_DAYS ? "hour" : "day");
    if (bucket === "hour" && daysIn(period.value) > LONGEST_HOURLY_DAYS)
      return problem(c, tooLong(`${LONGEST_HOURLY_DAYS} days by the hour`));
    const groups = await store.groups(period.value, group_by, MOST_GROUPS);
    const keys = groups.slice(0, DRAWN_GROUPS).map(({ key }) => key);
    const [total, points, names] = await Promise.all([
      store.total(period.value),
      store.points(period.value, group_by, { bucketSeconds: BUCKET_SECONDS[bucket], keys }),
      group_by === "agent" ? agents.names(groups.map(({ key }) => key)) : new Map<string, string>(),
    ]);
    return c.json(
      {
        from: period.value.from.toISOString(),
        to: period.value.to.toISOString(),
        bucket,
        group_by,
        total: sumsDto(total),
        groups: groups.map((group) => ({
          key: group.key,
          name: names.get(group.key) ?? (group_by === "agent" ? "Deleted agent" : group.key),
          ...sumsDto(group),
        })),
        points: points.map((point) => ({ at: point.at.toISOString(), key: point.key, ...sumsDto(point) })),
      },
      200,
    );
  });
  routes.openapi(tools, async (c) => {
    const { group_by, sort, limit, ...query } = c.req.valid("query");
    const period = periodOf(c, query);
    if (!period.ok) return problem(c, period.failure);
    const all = (await store.tools(period.value, group_by)).toSorted(ORDERS[sort]);
    return c.json({ items: all.slice(0, limit).map(toolDto) }, 200);
  });
  routes.openapi(exported, async (c) => {
    const period = periodOf(c, c.req.valid("query"));
    if (!period.ok) return problem(c, period.failure);
    const bucket = daysIn(period.value) <= LONGEST_HOURLY_DAYS ? "hour" : "day";
    const rows = await store.rows(period.value, BUCKET_SECONDS[bucket], MOST_EXPORTED + 1);
    if (rows.length > MOST_EXPORTED) return problem(c, tooLong(`${MOST_EXPORTED} rows`));
    const names = await agents.names([...new Set(rows.map(({ agentId }) => agentId))]);
    const lines = rows.map(({ at, agentId, model, user, ...sums }) => [
      at.toISOString(),
      agentId,
      names.get(agentId) ?? "",
      model,
      user,
      ...Object.values(sumsDto(sums)),
    ]);
    const head = [bucket, "agent_id", "agent", "model", "user", ...Object.keys(sumsDto(NO_SUMS))];
    return answer(
      c.body(csvText([head, ...lines]), 200, {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="capstan-usage.csv"',
      }),
    );
  });
  return routes;
}

const tooLong = (most: string) =>
  fail("input_invalid", { where: `query.from: the period is longer than ${most}` }).failure;

function periodOf(
  c: Context<AppEnv>,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Result<UsagePeriod> {
  const end = to === undefined ? new Date() : new Date(to);
  const start =
    from === undefined ? new Date(end.getTime() - USUAL_DAYS * DAY_SECONDS * 1000) : new Date(from);
  if (start >= end) return fail("input_invalid", { where: "query.from: must be before `to`" });
  const period = { from: hourOf(start), to: end, user: ownerFilter(c.get("caller")) };
  if (daysIn(period) > LONGEST_DAYS + 1) return { ok: false, failure: tooLong(`${LONGEST_DAYS} days`) };
  return ok(period);
}

/** Sums are kept by the hour: a period begins with a whole one. */
const hourOf = (date: Date): Date =>
  new Date(Math.floor(date.getTime() / (HOUR_SECONDS * 1000)) * HOUR_SECONDS * 1000);

const daysIn = ({ from, to }: UsagePeriod): number => (to.getTime() - from.getTime()) / (DAY_SECONDS * 1000);

const NO_SUMS: UsageSumsRecord = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpricedCalls: 0,
};

const sumsDto = (sums: UsageSumsRecord): UsageSums => ({
  calls: sums.calls,
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  cached_input_tokens: sums.cachedInputTokens,
  reasoning_tokens: sums.reasoningTokens,
  cost_usd: roundedUsd(sums.costUsd),
  unpriced_calls: sums.unpricedCalls,
});

type Order = (a: ToolUsage, b: ToolUsage) => number;
const ORDERS: Record<z.output<typeof ToolUsageQuery>["sort"], Order> = {
  slowest: (a, b) => b.p95Ms - a.p95Ms || b.calls - a.calls,
  failing: (a, b) => b.failures / b.calls - a.failures / a.calls || b.failures - a.failures,
  calls: (a, b) => b.calls - a.calls,
};

const toolDto = ({ capabilityId, totalMs, maxMs, p50Ms, p95Ms, ...rest }: ToolUsage) => ({
  capability_id: capabilityId,
  ...rest,
  total_ms: totalMs,
  max_ms: maxMs,
  p50_ms: p50Ms,
  p95_ms: p95Ms,
});
