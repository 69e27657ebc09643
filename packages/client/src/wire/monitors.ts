/** Monitors: a share of an agent's live runs is scored in the background, and drift between revisions raises an alert. */
import { TEXT_KINDS } from "@capstan/core/internal";
import { z } from "zod";
import { PageQuery, pageOf, queryNumber, queryText, WireFailure } from "./page.ts";
import { ScorerSpec } from "./scorers.ts";

const settings = {
  name: z.string().trim().min(1).max(200),
  share: z.number().positive().max(100).meta({ description: "Percent of the agent's runs." }),
  budget_usd: z
    .number()
    .positive()
    .max(1e9)
    .nullable()
    .meta({ description: "What judges may cost a day, in UTC; further runs are skipped. Null: no limit." }),
  every_runs: z
    .int()
    .min(5)
    .max(10_000)
    .meta({ description: "Drift is looked for after each so many scored runs of a revision." }),
  drop: z.number().min(0).max(1).meta({ description: "A smaller drop of the mean raises no alert." }),
  webhook: z
    .strictObject({ url: z.url({ protocol: /^https?$/ }).max(2_000) })
    .nullable()
    .meta({ description: "Told of each alert, signed as the webhooks of runs are." }),
  status: z.enum(["running", "paused"]),
};

const MonitorCreate = z
  .strictObject({
    name: settings.name,
    agent_id: z.uuid(),
    scorers: z
      .array(ScorerSpec)
      .min(1)
      .max(10)
      .meta({ description: "Without people, and without what a dataset's item would expect." }),
    share: settings.share.default(10),
    budget_usd: settings.budget_usd.default(1),
    scrub: z
      .array(z.enum(TEXT_KINDS))
      .max(10)
      .default([])
      .meta({ description: "Taken out before a judge reads a text; keys and card numbers always are." }),
    every_runs: settings.every_runs.default(20),
    drop: settings.drop.default(0.05),
    webhook: settings.webhook.optional(),
  })
  .meta({ id: "MonitorCreate" });
export type MonitorCreate = z.input<typeof MonitorCreate>;

const MonitorSettings = z.strictObject(settings);
const MonitorPatch = MonitorSettings.partial().meta({ id: "MonitorPatch" });
export type MonitorPatch = z.input<typeof MonitorPatch>;

const STATUSES = ["queued", "running", "done", "failed", "skipped", "cancelled"] as const;
const RunCounts = z.object(
  Object.fromEntries(STATUSES.map((name) => [name, z.int()])) as Record<(typeof STATUSES)[number], z.ZodInt>,
);

const Monitor = z
  .object({
    id: z.uuid(),
    ...settings,
    agent_id: z.uuid(),
    scorers: z.array(ScorerSpec),
    scrub: z.array(z.enum(TEXT_KINDS)),
    everybody: z
      .boolean()
      .meta({ description: "An admin made it, so it scores runs of every user; otherwise its maker's." }),
    runs: RunCounts.meta({ description: "Chosen runs by how far they are; `skipped`: over the budget." }),
    spent_today_usd: z.number(),
    open_alerts: z.int(),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Monitor" });
export type Monitor = z.infer<typeof Monitor>;
const MonitorPage = pageOf(Monitor).meta({ id: "MonitorPage" });

const MonitorReport = Monitor.extend({
  revisions: z
    .array(
      z.object({
        revision: z.int(),
        runs: z.int(),
        scorers: z.array(
          z.object({
            scorer: z.string(),
            mean: z.number(),
            low: z.number(),
            high: z.number(),
            items: z.int().meta({ description: "Runs with a score." }),
          }),
        ),
      }),
    )
    .meta({ description: "The ten newest, with at most 1,000 runs each; means with a 95 % interval." }),
}).meta({ id: "MonitorReport" });
export type MonitorReport = z.infer<typeof MonitorReport>;

const MonitorScore = z
  .object({
    run_id: z.uuid(),
    session_id: z.uuid(),
    revision: z.int().nullable(),
    status: z.enum(STATUSES),
    scores: z.array(
      z.object({
        scorer: z.string(),
        score: z.number().nullable(),
        passed: z.boolean().nullable(),
        why: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    failure: WireFailure.nullable(),
    tokens: z.number(),
    cost_usd: z.number(),
    scored_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "MonitorScore" });
export type MonitorScore = z.infer<typeof MonitorScore>;
const MonitorScorePage = pageOf(MonitorScore).meta({ id: "MonitorScorePage" });
const MonitorQuery = PageQuery.extend({
  agent_id: z.uuid().optional(),
  status: settings.status.optional(),
  q: queryText("the name"),
});
export type MonitorQuery = z.input<typeof MonitorQuery>;
const MonitorScoreQuery = PageQuery.extend({ revision: queryNumber(z.int().min(1)).optional() });
export type MonitorScoreQuery = z.input<typeof MonitorScoreQuery>;

const Side = z.object({ mean: z.number(), runs: z.int() });

const MonitorAlert = z
  .object({
    id: z.uuid(),
    monitor_id: z.uuid(),
    scorer: z.string(),
    revision: z.int(),
    against: z.int().meta({ description: "The last revision before it that was scored often enough." }),
    before: Side,
    after: Side,
    p: z.number().meta({ description: "How likely such a drop is by chance, looked at one-sided." }),
    level: z.number().meta({
      description: "What `p` had to be below: all looks together raise a false alert in 5 of 100 revisions.",
    }),
    delivery: z
      .enum(["none", "due", "delivered", "given_up"])
      .meta({ description: "How far its webhook is." }),
    delivery_error: z.string().nullable(),
    acknowledged_by: z.string().nullable(),
    acknowledged_at: z.iso.datetime().nullable(),
    at: z.iso.datetime(),
  })
  .meta({ id: "MonitorAlert" });
export type MonitorAlert = z.infer<typeof MonitorAlert>;
const MonitorAlertPage = pageOf(MonitorAlert).meta({ id: "MonitorAlertPage" });

const AlertParams = z.object({ id: z.string(), alert_id: z.string() });

export const monitorWire = {
  Monitor,
  MonitorPage,
  MonitorQuery,
  MonitorCreate,
  MonitorPatch,
  MonitorSettings,
  MonitorReport,
  MonitorScorePage,
  MonitorScoreQuery,
  MonitorAlert,
  MonitorAlertPage,
  AlertParams,
};
