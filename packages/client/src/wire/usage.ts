/** Usage: tokens and cost of model calls over time, and success rates of tools. */
import { z } from "zod";
import { itemsOf, queryNumber } from "./page.ts";

export const USAGE_GROUPS = ["agent", "model", "user"] as const;
export type UsageGroupBy = (typeof USAGE_GROUPS)[number];

const moment = () => z.iso.datetime({ offset: true });
const period = {
  from: moment().optional().meta({ description: "Thirty days before `to` when absent." }),
  to: moment().optional().meta({ description: "Now when absent." }),
};

export const UsagePeriodQuery = z.strictObject(period);
export const UsageQuery = z.strictObject({
  ...period,
  group_by: z.enum(USAGE_GROUPS).default("model"),
  bucket: z
    .enum(["hour", "day"])
    .optional()
    .meta({ description: "Hours for up to three days and days for more, when absent. Days are UTC." }),
});
export type UsageQuery = z.input<typeof UsageQuery>;

export const UsageSums = z.object({
  calls: z.int().meta({ description: "Model calls." }),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int().meta({ description: "Part of `input_tokens`." }),
  reasoning_tokens: z.int().meta({ description: "Part of `output_tokens`." }),
  cost_usd: z.number(),
  unpriced_calls: z.int().meta({ description: "Calls of models without a known price: not in `cost_usd`." }),
});
export type UsageSums = z.infer<typeof UsageSums>;

export const UsageGroup = UsageSums.extend({
  key: z.string(),
  name: z.string().meta({ description: "An agent's name; else the key." }),
});
export type UsageGroup = z.infer<typeof UsageGroup>;

export const UsagePoint = UsageSums.extend({
  at: z.string(),
  key: z.string().meta({ description: "One of the first groups, or `other`." }),
});
export type UsagePoint = z.infer<typeof UsagePoint>;

export const Usage = z
  .object({
    from: z.string(),
    to: z.string(),
    bucket: z.enum(["hour", "day"]),
    group_by: z.enum(USAGE_GROUPS),
    total: UsageSums,
    groups: z.array(UsageGroup).meta({ description: "The dearest first, at most 50." }),
    points: z.array(UsagePoint),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof Usage>;

export const TOOL_USAGE_SORTS = ["slowest", "failing", "calls"] as const;

export const ToolUsageQuery = z.strictObject({
  ...period,
  group_by: z.enum(["tool", "capability"]).default("tool"),
  sort: z.enum(TOOL_USAGE_SORTS).default("slowest"),
  limit: queryNumber(z.int().min(1).max(200)).default(50),
});
export type ToolUsageQuery = z.input<typeof ToolUsageQuery>;

export const ToolUsage = z
  .object({
    capability_id: z.string(),
    tool: z.string().optional(),
    calls: z.int(),
    failures: z.int(),
    total_ms: z.int(),
    max_ms: z.int(),
    p50_ms: z.int(),
    p95_ms: z.int(),
  })
  .meta({ id: "ToolUsage" });
export type ToolUsage = z.infer<typeof ToolUsage>;
export const ToolUsageList = itemsOf(ToolUsage);
