/** Experiments: a version of a dataset, tried with variants of an agent and scored. Nothing with side effects runs. */
import { REVISION_LABELS, VERDICTS } from "@capstan/core/internal";
import { z } from "zod";
import { CapabilityEntry } from "./agents.ts";
import { DatasetItemCreate } from "./datasets.ts";
import { Json, PageQuery, pageOf, queryNumber, queryText, WireFailure } from "./page.ts";
import { ReplayComparison, SideMessage } from "./replays.ts";
import { RuleCreate } from "./rules.ts";
import { ScorerSpec } from "./scorers.ts";

const change = {
  name: z.string().min(1).max(100).optional().meta({ description: "Default: what is changed." }),
  revision: z
    .union([z.int().min(1), z.enum(REVISION_LABELS)])
    .optional()
    .meta({
      description: "A number, or a label, which stands for its revision of this moment. Default: live.",
    }),
  model: z
    .string()
    .regex(/^(recorded|[\w.-]+[/].{1,200})$/, "must have the form provider/model, or be recorded")
    .optional()
    .meta({ description: "`recorded`: the recorded answers again, free of charge, until a result differs." }),
  system_prompt: z.string().max(200_000).optional(),
};

export const VariantCreate = z
  .strictObject({
    ...change,
    capabilities: z.array(CapabilityEntry).max(100).optional(),
    rules: z.array(RuleCreate).max(1_000).optional(),
  })
  .meta({ id: "VariantCreate", description: "What is changed; empty: the live revision." });
export type VariantCreate = z.input<typeof VariantCreate>;

export const ExperimentCreate = z
  .strictObject({
    name: z.string().max(200).default(""),
    dataset_id: z.uuid(),
    version: z.int().min(1).optional().meta({ description: "Default: the newest. It stays this one." }),
    agent_id: z.uuid(),
    variants: z
      .array(VariantCreate)
      .min(1)
      .max(20)
      .default([{}])
      .meta({ description: "The others are compared with the first." }),
    scorers: z.array(ScorerSpec).max(30).default([]),
    repeats: z.int().min(1).max(50).default(1),
    live_reads: z.boolean().default(false),
    concurrency: z.int().min(1).max(50).default(4),
    budget_usd: z.number().positive().optional(),
  })
  .meta({ id: "ExperimentCreate" });
export type ExperimentCreate = z.input<typeof ExperimentCreate>;

const Interval = { mean: z.number(), low: z.number(), high: z.number(), items: z.int() };
const named = { scorer: z.string(), variant: z.int() };

const ExperimentFigures = z
  .object({
    variants: z.array(
      z.object({
        variant: z.int(),
        scorers: z.array(
          z.object({
            scorer: z.string(),
            ...Interval,
            passed: z.int().meta({ description: "Items that passed in every repeat." }),
          }),
        ),
        tokens: z.number(),
        cost_usd: z.number(),
        model_ms: z.number(),
        cells: z.int(),
      }),
    ),
    pairs: z
      .array(
        z.object({
          ...named,
          difference: z.number(),
          low: z.number(),
          high: z.number(),
          items: z.int(),
          p: z.number().meta({ description: "Of a sign-flip test on the items." }),
          p_adjusted: z.number().meta({ description: "Corrected for the number of comparisons (Holm)." }),
          verdict: z.enum(["better", "worse", "no_difference_found"]),
        }),
      )
      .meta({ description: "Each variant against the first." }),
    regressions: z
      .array(
        z.object({
          item_id: z.string(),
          ...named,
          before: z.number(),
          after: z.number(),
          why: z.string().nullable(),
          before_cells: z.array(z.uuid()),
          after_cells: z.array(z.uuid()),
        }),
      )
      .meta({ description: "Items that score lower than with the first variant, the largest drop first." }),
    flaky: z
      .array(z.object({ item_id: z.string(), ...named, passed: z.int(), of: z.int() }))
      .meta({ description: "Items that pass in some repeats only." }),
    calibration: z
      .array(
        z.object({
          judge: z.string(),
          human: z.string(),
          share: z.number(),
          kappa: z.number(),
          items: z.int(),
        }),
      )
      .meta({ description: "How often a judge agrees with people, and beyond chance (Cohen's kappa)." }),
    disagreements: z
      .array(z.object({ cell_id: z.uuid(), item_id: z.string(), ...named, scores: z.array(z.number()) }))
      .meta({ description: "Cells that people scored differently." }),
  })
  .meta({ id: "ExperimentFigures" });

const STATUSES = ["queued", "running", "done", "failed", "skipped", "cancelled"] as const;
const counts = z.object({
  total: z.int(),
  ...(Object.fromEntries(STATUSES.map((name) => [name, z.int()])) as Record<
    (typeof STATUSES)[number],
    z.ZodInt
  >),
});

export const Experiment = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(["running", "done", "cancelled"]),
    dataset_id: z.uuid(),
    dataset_name: z.string(),
    version: z.int(),
    agent_id: z.string(),
    variants: z.array(
      z.object({
        ...change,
        name: z.string(),
        revision: z.int().nullable(),
        capabilities: z.array(z.object({ id: z.string(), version: z.string().optional() })).optional(),
        rules: z.int().optional(),
      }),
    ),
    scorers: z.array(ScorerSpec),
    repeats: z.int(),
    live_reads: z.boolean(),
    concurrency: z.int(),
    budget_usd: z.number().nullable(),
    progress: counts,
    tokens: z.number(),
    cost_usd: z.number().meta({ description: "With what judges cost." }),
    judge_usd: z.number(),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Experiment" });
export type Experiment = z.infer<typeof Experiment>;
export const ExperimentPage = pageOf(Experiment).meta({ id: "ExperimentPage" });
export const ExperimentReport = Experiment.extend({ figures: ExperimentFigures }).meta({
  id: "ExperimentReport",
});
export type ExperimentReport = z.infer<typeof ExperimentReport>;
export const ExperimentQuery = PageQuery.extend({
  dataset_id: z.uuid().optional(),
  agent_id: z.uuid().optional(),
  status: Experiment.shape.status.optional(),
  q: queryText("the name"),
});
export type ExperimentQuery = z.input<typeof ExperimentQuery>;

export const CellQuery = PageQuery.extend({
  variant: queryNumber(z.int().min(0)).optional(),
  item_id: z.string().max(200).optional(),
  status: z.enum(STATUSES).optional(),
});
export type CellQuery = z.input<typeof CellQuery>;

const CellScore = z
  .object({
    scorer: z.string(),
    type: z.string(),
    score: z.number().nullable().meta({ description: "Null: not scored yet, or the scorer failed." }),
    passed: z.boolean().nullable(),
    why: z.string().nullable(),
    votes: z.array(z.number()),
    cost_usd: z.number(),
    error: z.string().nullable(),
    reviews: z.array(z.object({ by: z.string(), score: z.number(), note: z.string(), at: z.string() })),
  })
  .meta({ id: "CellScore" });

export const ExperimentCell = z
  .object({
    id: z.uuid(),
    item_id: z.string(),
    variant: z.int(),
    repeat: z.int(),
    status: z.enum(STATUSES),
    verdict: z.enum(VERDICTS).nullable().meta({ description: "Beside the recorded run." }),
    answer: z.string().nullable(),
    outcome: z.string().nullable(),
    diverged: z
      .object({ turn: z.int(), tool: z.string(), input: Json.nullable(), why: z.string() })
      .nullable(),
    scores: z.array(CellScore),
    run_id: z.uuid().nullable().meta({ description: "The recorded run that the item came from." }),
    failure: WireFailure.nullable(),
    tokens: z.number(),
    cost_usd: z.number(),
    model_ms: z.number(),
  })
  .meta({ id: "ExperimentCell" });
export type ExperimentCell = z.infer<typeof ExperimentCell>;
export const ExperimentCellPage = pageOf(ExperimentCell).meta({ id: "ExperimentCellPage" });

const { calls, gate } = ReplayComparison.shape;
export const ExperimentTrace = ExperimentCell.extend({
  item: DatasetItemCreate,
  calls,
  gate,
  messages: z.array(SideMessage).meta({ description: "What the variant said and called." }),
}).meta({ id: "ExperimentTrace" });
export type ExperimentTrace = z.infer<typeof ExperimentTrace>;

export const CellParams = z.object({ id: z.string(), cell_id: z.string() });

export const ReviewItem = ExperimentCell.extend({
  item: DatasetItemCreate,
  questions: z.array(z.object({ scorer: z.string(), question: z.string() })),
}).meta({ id: "ReviewItem" });
export type ReviewItem = z.infer<typeof ReviewItem>;
export const ReviewPage = pageOf(ReviewItem).meta({ id: "ReviewPage" });

export const ReviewCreate = z
  .strictObject({
    scorer: z.string().min(1).max(100),
    score: z.number().min(0).max(1),
    note: z.string().max(5_000).default(""),
  })
  .meta({ id: "ReviewCreate" });
export type ReviewCreate = z.input<typeof ReviewCreate>;
