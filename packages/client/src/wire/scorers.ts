/** Scorers: how good a run was, from 0 to 1. Declared ones, a model as judge, a person, or code of `capstan.config.ts`. */
import { CALL_ORDERS, TEXT_KINDS } from "@capstan/core/internal";
import { z } from "zod";
import { itemsOf, Json, JsonObject } from "./page.ts";

const common = {
  name: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "Under which its scores are shown. Default: its type." }),
  pass_at: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: "A score of at least this passes. Default: 1." }),
};
const Words = z.array(z.string().min(1).max(10_000)).max(100);

export const ScorerSpec = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("exact"),
      value: Json.optional().meta({ description: "Default: the item's `expected`." }),
      ignore_case: z.boolean().optional(),
      ...common,
    }),
    z.strictObject({
      type: z.literal("contains"),
      all: Words.optional().meta({ description: "Default: the item's `expected`." }),
      none: Words.optional(),
      ignore_case: z.boolean().optional(),
      ...common,
    }),
    z.strictObject({
      type: z.literal("json"),
      path: z.string().max(1_000).meta({ description: "`/total/0`, or `total[0].usd`." }),
      equals: Json.optional().meta({
        description: "Default: what `expected` has there; without either, it must be there.",
      }),
      ...common,
    }),
    z.strictObject({ type: z.literal("schema"), schema: JsonObject, ...common }),
    z.strictObject({
      type: z.literal("trajectory"),
      order: z.enum(CALL_ORDERS).meta({
        description:
          "`in_order` and `any_order`: these calls and no others. `at_least`: these, whatever else. `never`: none of these.",
      }),
      calls: z
        .array(
          z.strictObject({
            tool: z.string().min(1).max(200),
            input: Json.optional().meta({ description: "Only the named fields are compared." }),
          }),
        )
        .max(500),
      ...common,
    }),
    z.strictObject({ type: z.literal("cost"), most_usd: z.number().min(0), ...common }),
    z.strictObject({ type: z.literal("time"), most_ms: z.number().min(0), ...common }),
    z.strictObject({
      type: z.literal("refusal"),
      expected: z.boolean().optional().meta({ description: "Default: true. Knows English phrases." }),
      ...common,
    }),
    z.strictObject({
      type: z.literal("no_leak"),
      kinds: z.array(z.enum(TEXT_KINDS)).optional().meta({ description: "Default: all." }),
      words: Words.optional().meta({ description: "Also none of these." }),
      ...common,
    }),
    z.strictObject({
      type: z.literal("judge"),
      prompt: z.string().min(1).max(20_000).meta({ description: "What a good answer is." }),
      model: z
        .string()
        .regex(/^[\w.-]+[/].{1,200}$/, "must have the form provider/model")
        .optional()
        .meta({ description: "Default: the server's model." }),
      votes: z
        .int()
        .min(1)
        .max(9)
        .optional()
        .meta({ description: "How often it is asked; the mean counts." }),
      ...common,
    }),
    z.strictObject({ type: z.literal("human"), question: z.string().min(1).max(5_000), ...common }),
    z.strictObject({
      type: z.literal("code"),
      scorer: z.string().min(1).max(100).meta({ description: "Its name in `capstan.config.ts`." }),
      ...common,
    }),
  ])
  .meta({ id: "ScorerSpec" });
export type ScorerSpec = z.input<typeof ScorerSpec>;

export const ScorerList = itemsOf(z.object({ name: z.string(), description: z.string() })).meta({
  id: "ScorerList",
});
