/** Sessions found by full-text search. */
import { z } from "zod";
import { PageQuery, pageOf } from "./page.ts";

export const FoundSession = z
  .object({
    id: z.string(),
    title: z.string(),
    agent_id: z.string().nullable(),
    status: z.string(),
    updated_at: z.string(),
    archived: z.boolean(),
    excerpt: z.string().meta({ description: "Excerpt with the matching words between « and »." }),
  })
  .meta({ id: "FoundSession" });
export type FoundSession = z.infer<typeof FoundSession>;

export const FoundSessions = pageOf(FoundSession);

export const SessionSearchQuery = PageQuery.extend({
  q: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "Words that must all occur; the last one may be incomplete." }),
});
