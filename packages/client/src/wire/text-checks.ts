/** Checks on what a model says, before it is stored and sent. */
import { TEXT_EFFECTS, TEXT_KINDS } from "@capstan/core/internal";
import { z } from "zod";
import { countedPageOf, PageQuery, queryText } from "./page.ts";
import { readBack } from "./read-back.ts";

export const TextFind = z
  .union([
    z.strictObject({
      pattern: z.string().min(1).max(1_000).meta({ description: "In RE2's syntax; never across lines." }),
    }),
    z.strictObject({
      words: z
        .array(z.string().trim().min(1).max(200))
        .min(1)
        .max(500)
        .meta({ description: "Whole words, in any letter case." }),
    }),
    z.strictObject({ kind: z.enum(TEXT_KINDS) }),
    z.strictObject({
      model: z
        .string()
        .min(1)
        .max(200)
        .meta({ description: "Reads the whole answer, which is not streamed." }),
      prompt: z.string().trim().min(1).max(4_000).meta({ description: "What it looks for." }),
      timeout_seconds: z
        .int()
        .min(1)
        .max(60)
        .optional()
        .meta({ description: "Without an answer by then the text is blocked. Default: 20." }),
    }),
  ])
  .meta({ id: "TextFind" });

const fields = {
  name: z.string().trim().min(1).max(200),
  agent_id: z.uuid().nullable().meta({ description: "The one agent it is for; null is for every agent." }),
  find: TextFind,
  then: z.enum(TEXT_EFFECTS).meta({
    description: "`mask`: replaced. `block`: the answer ends. `ask`: held until a person has read it.",
  }),
  words: z.string().max(500).nullable().meta({
    description: "Replacement for masked text (default `[removed]`), or the reason shown to the user.",
  }),
  expires_at: z.iso.datetime({ offset: true }).nullable(),
};

const kept = {
  id: z.uuid(),
  sentence: z.string().meta({ description: "The check in words." }),
  created_by: z.string(),
  created_at: z.iso.datetime(),
};

export const TextCheckCreate = z
  .strictObject({
    ...readBack(kept),
    ...fields,
    agent_id: fields.agent_id.optional(),
    words: fields.words.optional(),
    expires_at: fields.expires_at.optional(),
  })
  .meta({ id: "TextCheckCreate" });
export type TextCheckCreate = z.input<typeof TextCheckCreate>;

export const TextCheck = z
  .object({
    id: kept.id,
    ...fields,
    sentence: kept.sentence,
    created_by: kept.created_by,
    created_at: kept.created_at,
  })
  .meta({ id: "TextCheck" });
export type TextCheck = z.infer<typeof TextCheck>;

export const TextCheckQuery = PageQuery.extend({
  agent_id: z.uuid().optional().meta({ description: "Checks for this agent, and those for every agent." }),
  then: fields.then.optional(),
  q: queryText("the name or what the check says"),
});
export type TextCheckQuery = z.input<typeof TextCheckQuery>;
export const TextCheckList = countedPageOf(TextCheck).meta({ id: "TextCheckList" });

export const TextTrial = z
  .strictObject({
    text: z.string().max(100_000),
    agent_id: z.uuid().optional(),
    checks: z
      .array(TextCheckCreate)
      .max(100)
      .optional()
      .meta({ description: "Checks to try instead of the current ones." }),
  })
  .meta({ id: "TextTrial" });
export type TextTrial = z.input<typeof TextTrial>;

export const TextTrialResult = z
  .object({
    decision: z.enum(["pass", ...TEXT_EFFECTS]),
    check: z.string().nullable().meta({ description: "The name of the check that decided." }),
    text: z.string().nullable().meta({ description: "What would be sent; null when it is blocked." }),
  })
  .meta({ id: "TextTrialResult" });
export type TextTrialResult = z.infer<typeof TextTrialResult>;
