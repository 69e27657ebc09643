/** Summaries of long conversations, and messages that survive them word for word. */
import { z } from "zod";
import { Json } from "./page.ts";
import { MessageUsage } from "./runs.ts";

export const SessionSummary = z
  .object({
    id: z.string(),
    session_id: z.string(),
    messages: z.int().meta({ description: "How many messages it stands for, from the first on." }),
    to_position: z.int().meta({ description: "Of the last one." }),
    to_message_id: z.string(),
    text: z.string(),
    kept: z
      .object({
        decisions: z.array(z.string()),
        files: z.array(z.string()),
        lists: z.array(z.object({ tool: z.string(), input: Json })),
      })
      .meta({ description: "What survives word for word, in this summary and later ones." }),
    labels: z.array(z.string()).meta({ description: "What the conversation had read by then." }),
    run_id: z.string().nullable().meta({ description: "The run that needed it." }),
    created_by: z
      .string()
      .meta({ description: "Who asked for it; empty when the conversation outgrew its model." }),
    usage: MessageUsage.optional(),
    created_at: z.string(),
  })
  .meta({ id: "SessionSummary" });
export type SessionSummary = z.infer<typeof SessionSummary>;
export const SessionSummaries = z.object({ items: z.array(SessionSummary) });

export const MessagePin = z.strictObject({ pinned: z.boolean() }).meta({ id: "MessagePin" });
export type MessagePin = z.infer<typeof MessagePin>;
