/** Shared by the usage statements: hourly sums and calls not yet aggregated, as one table. */

/** What usage can be split by, and the column of each. */
export const USAGE_KEYS = { agent: "agent_id", model: "model", user: "user_email" } as const;
export type UsageKey = keyof typeof USAGE_KEYS;

/** `$1` from, `$2` to, `$3` one user or null. */
export const ALL_USAGE = `with all_usage as (
    select hour, agent_id, model, user_email, calls, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, cost_usd, unpriced_calls
    from usage_hours where hour >= $1 and hour < $2 and ($3::text is null or user_email = $3)
    union all
    select to_timestamp(floor(extract(epoch from at) / 3600) * 3600), agent_id, model, user_email, calls, input_tokens,
      output_tokens, cached_input_tokens, reasoning_tokens, coalesce(cost_usd, 0),
      case when cost_usd is null then calls else 0 end
    from usage_fresh where at >= $1 and at < $2 and ($3::text is null or user_email = $3))`;

const sum = (column: string, name: string) => `coalesce(sum(${column}), 0)::float8 as "${name}"`;

/** As doubles: drivers read sums of bigint as text. */
export const SUMS = [
  sum("calls", "calls"),
  sum("input_tokens", "inputTokens"),
  sum("output_tokens", "outputTokens"),
  sum("cached_input_tokens", "cachedInputTokens"),
  sum("reasoning_tokens", "reasoningTokens"),
  sum("cost_usd", "costUsd"),
  sum("unpriced_calls", "unpricedCalls"),
].join(", ");
