/** Facts that outlive a session. */
import { DATA_LABELS, MEMORY_SCOPES } from "@capstan/core/internal";
import { z } from "zod";
import { PageQuery, pageOf } from "./page.ts";
import { readBack } from "./read-back.ts";

const Scope = z.enum(MEMORY_SCOPES);
const MemoryText = z.string().trim().min(1).max(2_000);
const Labels = z.array(z.enum(DATA_LABELS)).max(DATA_LABELS.length);

export const Memory = z
  .object({
    id: z.string(),
    scope: Scope,
    subject: z
      .string()
      .meta({ description: "The user's e-mail address or the agent's id; empty for the organisation." }),
    text: z.string(),
    labels: z.array(z.string()).meta({ description: "What the conversation that it came from had read." }),
    created_by: z.string(),
    source: z
      .object({
        agent_id: z.string().nullable(),
        session_id: z.string().nullable(),
        run_id: z.string().nullable(),
        call_id: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "Null when a person wrote it." }),
    edited_by: z.string().nullable(),
    score: z
      .number()
      .optional()
      .meta({ description: "Of a search: similarity, and the share of the words." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Memory" });
export type Memory = z.infer<typeof Memory>;

export const MemoryQuery = PageQuery.extend({
  q: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: "Search by words and meaning, the best first." }),
  scope: Scope.optional(),
  agent_id: z.string().max(200).optional().meta({ description: "Facts of this agent." }),
  user: z
    .string()
    .max(320)
    .optional()
    .meta({ description: "Facts of this user; another's for admins only." }),
});
export type MemoryQuery = z.input<typeof MemoryQuery>;
export const MemoryPage = pageOf(Memory);

export const MemoryCreate = z
  .strictObject({
    text: MemoryText,
    scope: Scope.default("user"),
    agent_id: z.uuid().optional().meta({ description: "Needed with the scope agent." }),
  })
  .refine(({ scope, agent_id }) => (scope === "agent") === (agent_id !== undefined), {
    path: ["agent_id"],
    message: "is only allowed with the scope agent",
  })
  .meta({ id: "MemoryCreate" });
export type MemoryCreate = z.input<typeof MemoryCreate>;

export const MemoryPatch = z
  .strictObject({
    ...readBack(Memory.omit({ text: true, labels: true }).shape),
    text: MemoryText.optional(),
    labels: Labels.optional().meta({ description: "An empty list: a person has read it and trusts it." }),
  })
  .meta({ id: "MemoryPatch" });
export type MemoryPatch = z.input<typeof MemoryPatch>;
