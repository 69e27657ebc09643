/**
 * Tokens and cost by agent, model and user; calls, failures and times by tool. The COMMIT statement stores each model call
 * with its message in `usage_fresh`, exactly once; a timer moves these rows into hours. Reading adds both.
 */
import type { Database } from "../db/database.ts";
import { type BucketCount, percentile } from "./latency-buckets.ts";
import { ALL_USAGE, SUMS, USAGE_KEYS, type UsageKey } from "./usage-statements.ts";

export interface UsagePeriod {
  readonly from: Date;
  readonly to: Date;
  /** Only what this user used; everyone's when absent. */
  readonly user?: string | undefined;
}

export interface UsageSums {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
  readonly costUsd: number;
  readonly unpricedCalls: number;
}

export interface UsageGroup extends UsageSums {
  readonly key: string;
}

export interface UsagePoint extends UsageGroup {
  readonly at: Date;
}

export interface UsageRow extends UsageSums {
  readonly at: Date;
  readonly agentId: string;
  readonly model: string;
  readonly user: string;
}

export interface ToolUsage {
  readonly capabilityId: string;
  /** Absent where a row stands for a whole capability. */
  readonly tool?: string;
  readonly calls: number;
  readonly failures: number;
  readonly totalMs: number;
  readonly maxMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface UsageStore {
  total(period: UsagePeriod): Promise<UsageSums>;
  /** Highest cost first, then most tokens. */
  groups(period: UsagePeriod, by: UsageKey, limit: number): Promise<UsageGroup[]>;
  /** Over time; keys that are not named are summed as `other`. */
  points(
    period: UsagePeriod,
    by: UsageKey,
    options: { readonly bucketSeconds: number; readonly keys: readonly string[] },
  ): Promise<UsagePoint[]>;
  /** The finest resolution, oldest first, for an export. */
  rows(period: UsagePeriod, bucketSeconds: number, limit: number): Promise<UsageRow[]>;
  tools(period: UsagePeriod, by: "tool" | "capability"): Promise<ToolUsage[]>;
  /** Moves rows of calls into their hours; returns how many. */
  roll(): Promise<number>;
  start(onError: (error: unknown) => void): void;
  close(): void;
}

const ROLL_MS = 10_000; // what is not moved yet is read as well: this only keeps the table of single calls short
const ROLL_ROWS = 5_000;

export function usageStore({ pool, reader }: Pick<Database, "pool" | "reader">): UsageStore {
  let timer: NodeJS.Timeout | undefined;
  const range = ({ from, to, user }: UsagePeriod) => [from, to, user ?? null];
  const roll = async (): Promise<number> => {
    let moved = 0;
    for (let rows = ROLL_ROWS; rows === ROLL_ROWS; moved += rows)
      rows = (await pool.query<{ n: number }>(ROLL, [ROLL_ROWS])).rows[0]?.n ?? 0;
    return moved;
  };
  return {
    async total(period) {
      const { rows } = await reader.query<UsageSums>(
        `${ALL_USAGE} select ${SUMS} from all_usage`,
        range(period),
      );
      return rows[0] ?? NOTHING;
    },
    async groups(period, by, limit) {
      const { rows } = await reader.query<UsageGroup>(
        `${ALL_USAGE} select ${USAGE_KEYS[by]} as key, ${SUMS} from all_usage group by 1
         order by sum(cost_usd) desc, sum(input_tokens + output_tokens) desc, 1 limit $4`,
        [...range(period), limit],
      );
      return rows;
    },
    async points(period, by, { bucketSeconds, keys }) {
      const { rows } = await reader.query<UsagePoint>(
        `${ALL_USAGE} select to_timestamp(floor(extract(epoch from hour) / $4::int) * $4::int) as at,
           case when ${USAGE_KEYS[by]} = any($5::text[]) then ${USAGE_KEYS[by]} else 'other' end as key, ${SUMS}
         from all_usage group by 1, 2 order by 1, 2`,
        [...range(period), bucketSeconds, keys],
      );
      return rows;
    },
    async rows(period, bucketSeconds, limit) {
      const { rows } = await reader.query<UsageRow>(
        `${ALL_USAGE} select to_timestamp(floor(extract(epoch from hour) / $4::int) * $4::int) as at,
           agent_id as "agentId", model, user_email as "user", ${SUMS}
         from all_usage group by 1, 2, 3, 4 order by 1, 2, 3, 4 limit $5`,
        [...range(period), bucketSeconds, limit],
      );
      return rows;
    },
    async tools(period, by) {
      const { rows } = await reader.query<ToolBucket>(TOOLS[by], range(period));
      const groups = Map.groupBy(rows, ({ capabilityId, tool }) => `${capabilityId}\n${tool}`);
      return [...groups.values()].map(toolUsage);
    },
    roll,
    start(onError) {
      timer = setInterval(() => void roll().catch(onError), ROLL_MS);
      timer.unref();
    },
    close: () => clearInterval(timer),
  };
}

const NOTHING: UsageSums = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpricedCalls: 0,
};

/** Taken and added by one statement: a crash in between changes nothing. Sorted, so that two processes lock in one order. */
/** Two processes at once: the second waits, and finds the rows gone. */
const ROLL = `with taken as (delete from usage_fresh where ctid = any(array(
    select ctid from usage_fresh limit $1)) returning *),
  added as (insert into usage_hours (hour, agent_id, model, user_email, calls, input_tokens, output_tokens,
      cached_input_tokens, reasoning_tokens, cost_usd, unpriced_calls)
    select to_timestamp(floor(extract(epoch from at) / 3600) * 3600), agent_id, model, user_email, sum(calls),
      sum(input_tokens), sum(output_tokens), sum(cached_input_tokens), sum(reasoning_tokens),
      coalesce(sum(cost_usd), 0), coalesce(sum(calls) filter (where cost_usd is null), 0)
    from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (hour, agent_id, model, user_email) do update set
      calls = usage_hours.calls + excluded.calls,
      input_tokens = usage_hours.input_tokens + excluded.input_tokens,
      output_tokens = usage_hours.output_tokens + excluded.output_tokens,
      cached_input_tokens = usage_hours.cached_input_tokens + excluded.cached_input_tokens,
      reasoning_tokens = usage_hours.reasoning_tokens + excluded.reasoning_tokens,
      cost_usd = usage_hours.cost_usd + excluded.cost_usd,
      unpriced_calls = usage_hours.unpriced_calls + excluded.unpriced_calls)
  select count(*)::int as n from taken`;

interface ToolBucket extends BucketCount {
  readonly capabilityId: string;
  readonly tool: string | null;
  readonly failures: number;
  readonly totalMs: number;
  readonly maxMs: number;
}

const toolBuckets = (tool: string) => `select capability_id as "capabilityId", ${tool} as tool,
    latency_bucket as bucket, sum(calls)::float8 as calls, sum(failures)::float8 as failures,
    sum(total_ms)::float8 as "totalMs", max(max_ms)::int as "maxMs"
  from tool_hours where hour >= $1 and hour < $2 and ($3::text is null or user_email = $3) group by 1, 2, 3`;
const TOOLS = { tool: toolBuckets("tool"), capability: toolBuckets("null::text") };

function toolUsage(buckets: readonly ToolBucket[]): ToolUsage {
  const sum = (read: (bucket: ToolBucket) => number) =>
    buckets.reduce((total, bucket) => total + read(bucket), 0);
  const { capabilityId = "", tool = null } = buckets[0] ?? {};
  const maxMs = Math.max(...buckets.map((bucket) => bucket.maxMs));
  return {
    capabilityId,
    ...(tool !== null && { tool }),
    calls: sum(({ calls }) => calls),
    failures: sum(({ failures }) => failures),
    totalMs: sum(({ totalMs }) => totalMs),
    maxMs,
    p50Ms: percentile(buckets, 0.5, maxMs),
    p95Ms: percentile(buckets, 0.95, maxMs),
  };
}
