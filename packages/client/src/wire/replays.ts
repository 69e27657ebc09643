/** Replays: recorded runs, run again with a change; nothing with side effects runs. */
import {
  CALL_CHANGES,
  GATE_ANSWERS,
  RESULT_SOURCES,
  REVISION_LABELS,
  VERDICTS,
} from "@capstan/core/internal";
import { z } from "zod";
import { CapabilityEntry } from "./agents.ts";
import { Json, JsonObject, PageQuery, pageOf, queryNumber, queryText, WireFailure } from "./page.ts";
import { RuleCreate } from "./rules.ts";

const MOST_RUNS = 1000;

export const RecordedRunQuery = z
  .strictObject({
    agent_id: z.uuid().optional(),
    revision: z.int().min(1).optional().meta({ description: "Runs of this revision of the agent." }),
    status: z.enum(["done", "failed"]).optional(),
    feedback: z
      .enum(["up", "down"])
      .optional()
      .meta({ description: "Runs with an answer that a person rated so." }),
    label: z
      .enum(REVISION_LABELS)
      .optional()
      .meta({ description: "Runs of the revision that has this label of its agent now." }),
    tool: z.string().min(1).max(200).optional().meta({ description: "Runs that called this tool." }),
    since: z.iso.datetime({ offset: true }).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
    limit: z.int().min(1).max(MOST_RUNS).optional().meta({ description: "The newest; default: 1,000." }),
  })
  .meta({ id: "RecordedRunQuery" });
export type RecordedRunQuery = z.input<typeof RecordedRunQuery>;

const change = {
  revision: z
    .union([z.int().min(1), z.enum(REVISION_LABELS)])
    .optional()
    .meta({
      description:
        "Of the run's agent: a number, or a label, which stands for its revision of this moment. Default: the revision that the run had.",
    }),
  model: z
    .string()
    .regex(/^(recorded|[\w.-]+[/].{1,200})$/, "must have the form provider/model, or be recorded")
    .optional()
    .meta({
      description:
        "`provider/model`; or `recorded`, which gives the recorded answers again, free of charge, until a tool's result differs.",
    }),
  system_prompt: z.string().max(200_000).optional(),
};

export const ReplayWith = z
  .strictObject({
    ...change,
    capabilities: z.array(CapabilityEntry).max(100).optional().meta({
      description: "They take the place of the agent's own with the same id; others are added.",
    }),
    rules: z
      .array(RuleCreate)
      .max(1_000)
      .optional()
      .meta({ description: "The complete rule set to try instead of the current rules." }),
  })
  .meta({ id: "ReplayWith", description: "What is changed; empty: run again as it was." });
export type ReplayWith = z.input<typeof ReplayWith>;

const selection = {
  runs: z.array(z.uuid()).min(1).max(MOST_RUNS).optional(),
  sessions: z.array(z.uuid()).min(1).max(MOST_RUNS).optional(),
  query: RecordedRunQuery.optional(),
};
/** Exactly one of `runs`, `sessions` and `query`. */
export const isOneSelection = ({
  runs,
  sessions,
  query,
}: { [Key in keyof typeof selection]?: unknown }): boolean =>
  [runs, sessions, query].filter((each) => each !== undefined).length === 1;

export const ReplayCreate = z
  .strictObject({
    ...selection,
    with: ReplayWith,
    live_reads: z.boolean().default(false).meta({
      description: "Whether a tool that only reads may run when no result is recorded.",
    }),
    stand_ins: z
      .array(z.strictObject({ tool: z.string().min(1).max(200), output: Json }))
      .max(200)
      .default([])
      .meta({ description: "What answers a tool when no result is recorded." }),
    concurrency: z.int().min(1).max(50).default(4),
    budget_usd: z
      .number()
      .positive()
      .optional()
      .meta({ description: "No further run is started when this much is spent." }),
  })
  .refine(isOneSelection, "give one of runs, sessions and query")
  .meta({ id: "ReplayCreate" });
export type ReplayCreate = z.input<typeof ReplayCreate>;

const both = <Value extends z.ZodType>(value: Value) => z.object({ before: value, after: value });

const ReplayedCall = z
  .object({
    change: z.enum(CALL_CHANGES).meta({
      description: "`not_reached`: recorded after the place where the replay ended.",
    }),
    tool: z.string(),
    call_id: z.string().nullable().meta({ description: "Of the recorded call; null for a new one." }),
    turn: z.int().meta({ description: "Which answer of the model made it, from 0." }),
    before: Json.nullable(),
    after: Json.nullable(),
    source: z
      .enum(RESULT_SOURCES)
      .nullable()
      .meta({ description: "Where the replayed call's result came from." }),
  })
  .meta({ id: "ReplayedCall" });

const GateChange = z
  .object({
    tool: z.string(),
    input: Json,
    before: z.enum(GATE_ANSWERS).nullable().meta({ description: "Null for a new call." }),
    after: z.enum(GATE_ANSWERS),
    why: z.string(),
  })
  .meta({ id: "GateChange" });

export const ReplayComparison = z
  .object({
    run_id: z.uuid(),
    session_id: z.uuid(),
    status: z.enum(["queued", "running", "done", "failed", "skipped", "cancelled"]),
    verdict: z.enum(VERDICTS).nullable().meta({ description: "Null until it is done." }),
    calls: z.array(ReplayedCall),
    gate: z
      .array(GateChange)
      .meta({ description: "Calls that the gate newly allowed, asked about or denied." }),
    answer: both(z.string())
      .extend({
        same: z.boolean(),
        lines: z.array(z.object({ op: z.enum(["same", "removed", "added"]), text: z.string() })),
      })
      .nullable(),
    outcome: both(z.string()).nullable().meta({ description: "`done`, or the code of the failure." }),
    tokens: both(z.number()).nullable(),
    cost_usd: both(z.number()).nullable(),
    model_ms: both(z.number()).nullable().meta({ description: "Time of the model calls." }),
    diverged: z
      .object({ turn: z.int(), tool: z.string(), input: Json.nullable(), why: z.string() })
      .nullable()
      .meta({ description: "Where the replay ended because nothing answered a call." }),
    not_as_recorded: z
      .array(
        z.object({
          capability: z.string().nullable(),
          recorded: z.string().nullable().meta({ description: "Its version in the recorded run." }),
          used: z.string().nullable().meta({ description: "Its version in the replay." }),
          why: z.string(),
        }),
      )
      .meta({
        description:
          "What was otherwise in the replay although `with` does not ask for it, such as a version that is no longer kept.",
      }),
    failure: WireFailure.nullable().meta({ description: "Why this run was not replayed." }),
  })
  .meta({ id: "ReplayComparison" });
export type ReplayComparison = z.infer<typeof ReplayComparison>;

const counts = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodInt>);

export const Replay = z
  .object({
    id: z.uuid(),
    status: z.enum(["running", "done", "cancelled"]),
    with: z
      .strictObject({
        ...change,
        capabilities: z.array(z.object({ id: z.string(), version: z.string().optional() })).optional(),
        rules: z.int().optional().meta({ description: "How many rules were on trial." }),
      })
      .meta({ description: "What is changed; configs are not shown." }),
    live_reads: z.boolean(),
    concurrency: z.int(),
    budget_usd: z.number().nullable(),
    progress: counts(["total", "queued", "running", "done", "failed", "skipped", "cancelled"] as const),
    verdicts: counts(VERDICTS),
    tokens: z.number(),
    cost_usd: z.number(),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Replay" });
export type Replay = z.infer<typeof Replay>;

export const ReplayPage = pageOf(Replay).meta({ id: "ReplayPage" });
export const ReplayReport = Replay.extend({
  comparisons: z.array(ReplayComparison).meta({ description: "One per run, in the order of the runs." }),
  next_cursor: z.string().optional().meta({ description: "Pass back as `cursor` for more comparisons." }),
}).meta({ id: "ReplayReport" });
export type ReplayReport = z.infer<typeof ReplayReport>;

export const ReplayListQuery = PageQuery.extend({
  agent_id: z.uuid().optional().meta({ description: "Replays with a run of this agent." }),
  status: Replay.shape.status.optional(),
  q: queryText("the model or the system prompt that is tried"),
});
export type ReplayListQuery = z.input<typeof ReplayListQuery>;

export const ReplayQuery = PageQuery.extend({
  limit: queryNumber(z.int().min(1).max(1000)).default(200),
  verdict: z.enum(VERDICTS).optional(),
});
export type ReplayQuery = z.input<typeof ReplayQuery>;

export const ReplayRunParams = z.object({ id: z.string(), run_id: z.string() });

export const SideMessage = z
  .object({ id: z.string(), role: z.enum(["user", "assistant", "tool"]), content: z.array(JsonObject) })
  .meta({ id: "ReplayMessage" });

export const ReplayedRun = ReplayComparison.extend({
  before: z.array(SideMessage).meta({ description: "What the recorded run added to the conversation." }),
  after: z.array(SideMessage).meta({ description: "What the replay added to it." }),
}).meta({ id: "ReplayedRun" });
export type ReplayedRun = z.infer<typeof ReplayedRun>;
