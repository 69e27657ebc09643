/** Sessions found by what was said in them. */
import { z } from "zod";
import { listOf } from "./page.ts";

export const FoundSession = z
  .object({
    id: z.string(),
    title: z.string(),
    agent_id: z.string().nullable(),
    status: z.string(),
    updated_at: z.string(),
    archived: z.boolean(),
    excerpt: z.string().meta({ description: "Where the words stand; each between « and »." }),
  })
  .meta({ id: "FoundSession" });
export type FoundSession = z.infer<typeof FoundSession>;

export const FoundSessions = listOf(FoundSession);

export const SessionSearchQuery = z.strictObject({
  q: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "Words that all occur; the last one may be half typed." }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
