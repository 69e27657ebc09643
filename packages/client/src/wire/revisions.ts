/** The history of an agent: revisions, labels, and how two of them differ. */
import { REVISION_LABELS } from "@capstan/core/internal";
import { z } from "zod";
import { countedPageOf, Json, textPageQuery } from "./page.ts";

export const RevisionLabelName = z.enum(REVISION_LABELS);

/** What a session or token uses of its agent. */
export const FollowsWire = z
  .union([z.strictObject({ revision: z.int().min(1) }), z.strictObject({ label: RevisionLabelName })])
  .meta({ id: "Follows" });
export type FollowsWire = z.infer<typeof FollowsWire>;

const RevisionNumber = z.int().min(1).meta({ description: "Counts from 1, per agent." });

export const RevisionSummary = z
  .object({
    number: RevisionNumber,
    by: z.string(),
    at: z.iso.datetime(),
    why: z.string(),
    label: RevisionLabelName.optional(),
  })
  .meta({ id: "RevisionSummary" });
export type RevisionSummary = z.infer<typeof RevisionSummary>;
export const RevisionList = countedPageOf(RevisionSummary).meta({ id: "RevisionList" });
export const RevisionListQuery = textPageQuery("who saved it, or why");

const Pin = z.object({ id: z.string(), version: z.string(), sha256: z.string().optional() });
const Tokens = z.object({ prompt: z.int(), tools: z.int(), total: z.int() });

export const RevisionDiff = z
  .object({
    against: z.int().meta({ description: "The revision it is compared with; 0 when it is the first." }),
    fields: z.array(z.object({ field: z.string(), before: Json.optional(), after: Json.optional() })),
    prompt: z
      .array(z.object({ op: z.enum(["same", "removed", "added"]), text: z.string() }))
      .meta({ description: "Line by line; empty when the prompt is the same." }),
    pins: z.array(z.object({ id: z.string(), before: Pin.nullable(), after: Pin.nullable() })),
    rights: z.object({
      gained: z.array(z.string()).meta({ description: "What this revision may do that the other may not." }),
      lost: z.array(z.string()),
    }),
    tokens: z.object({ before: z.int().nullable(), after: z.int().nullable() }),
  })
  .meta({ id: "RevisionDiff" });
export type RevisionDiff = z.infer<typeof RevisionDiff>;

export const Revision = RevisionSummary.extend({
  agent: z
    .record(z.string(), z.unknown())
    .meta({ description: "The agent's fields as they were; secrets are not shown." }),
  capabilities: z
    .array(Pin)
    .nullable()
    .meta({ description: "What it was composed of; null when it was saved before that was kept." }),
  tokens: Tokens.nullable(),
  diff: RevisionDiff,
}).meta({ id: "Revision" });
export type Revision = z.infer<typeof Revision>;

export const RevisionQuery = z.strictObject({
  against: z
    .string()
    .regex(/^\d{1,9}$/, "must be the number of a revision")
    .optional()
    .meta({ description: "Compare with this revision. Default: the one before." }),
});

const Yes = z.boolean().optional().meta({
  description: "Yes to rights that grow; without it, a change that adds rights is refused and names them.",
});

export const RevisionRestore = z
  .strictObject({ why: z.string().trim().max(2_000).optional(), yes: Yes })
  .meta({ id: "RevisionRestore" });
export type RevisionRestore = z.input<typeof RevisionRestore>;

export const LabelChange = z
  .strictObject({
    label: RevisionLabelName,
    revision: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "The revision it names from now on; null removes `draft` or `canary`." }),
    share: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: "Of `canary`: percent of new sessions that follow it. Default 10." }),
    why: z.string().trim().max(2_000).optional(),
    yes: Yes,
  })
  .meta({ id: "LabelChange" });
export type LabelChange = z.input<typeof LabelChange>;

export const AgentLabel = z
  .object({
    label: RevisionLabelName,
    revision: z.int(),
    share: z.int().meta({ description: "Percent of new sessions." }),
    figures: z.object({
      sessions: z.int(),
      runs: z.int(),
      done: z.int(),
      failed: z.int(),
      thumbs_up: z.int(),
      thumbs_down: z.int(),
      cost_usd: z.number(),
      mean_ms: z.number().nullable(),
    }),
  })
  .meta({ id: "AgentLabel" });
export type AgentLabel = z.infer<typeof AgentLabel>;
export const AgentLabels = z.object({ items: z.array(AgentLabel) }).meta({ id: "AgentLabels" });
