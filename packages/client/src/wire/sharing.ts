/** Who an agent is shared with, and read-only links to sessions. */
import { AGENT_ACCESS, AGENT_RIGHTS } from "@capstan/core/internal";
import { z } from "zod";
import { listOf } from "./page.ts";

const MOST_SHARES = 200;
const MOST_HOURS = 24 * 366;

const AgentShareWire = z.strictObject({
  with: z
    .string()
    .max(400)
    .regex(
      /^(user:[^\s@]+@[^\s@]+|group:[^\s=]{1,200}=\S[^\n]*)$/,
      "must be user:<address> or group:<claim>=<value>",
    )
    .meta({ description: "`user:<address>`, or `group:<claim>=<value>` of the OpenID provider." }),
  rights: z
    .array(z.enum(AGENT_RIGHTS))
    .min(1)
    .max(AGENT_RIGHTS.length)
    .refine((rights) => new Set(rights).size === rights.length, "names a right twice")
    .meta({ description: "None includes another." }),
});

export const AgentSharingWire = z
  .strictObject({
    access: z.enum(AGENT_ACCESS).meta({
      description:
        "`private`: its owner and admins. `shared`: also whom `shares` names. `all`: everybody uses it; `shares` gives more.",
    }),
    shares: z.array(AgentShareWire).max(MOST_SHARES).default([]),
  })
  .refine(({ access, shares }) => access !== "private" || shares.length === 0, {
    message: "a private agent cannot have shares; use shared",
    path: ["shares"],
  })
  .refine(({ shares }) => new Set(shares.map((each) => each.with)).size === shares.length, {
    message: "lists the same person or group twice",
    path: ["shares"],
  })
  .meta({ id: "AgentSharing" });
export type AgentSharingWire = z.input<typeof AgentSharingWire>;

export const SessionLinkCreate = z
  .strictObject({
    hours: z
      .int()
      .min(1)
      .max(MOST_HOURS)
      .default(24 * 7)
      .meta({ description: "Until it ends." }),
    files: z.boolean().default(false).meta({ description: "Whether it shows the session's files, too." }),
  })
  .meta({ id: "SessionLinkCreate" });
export type SessionLinkCreate = z.input<typeof SessionLinkCreate>;

export const SessionLinkInfo = z
  .object({
    id: z.uuid(),
    files: z.boolean(),
    status: z.enum(["active", "ended", "revoked"]),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "SessionLink" });
export type SessionLinkInfo = z.infer<typeof SessionLinkInfo>;
export const SessionLinkList = listOf(SessionLinkInfo).meta({ id: "SessionLinkList" });

export const SessionLinkCreated = SessionLinkInfo.extend({
  url: z.string().meta({ description: "Shown once; whoever has it can read." }),
}).meta({ id: "SessionLinkCreated" });
export type SessionLinkCreated = z.infer<typeof SessionLinkCreated>;

export const SessionLinkId = z.strictObject({ id: z.string(), link_id: z.string() });

export const SharedSession = z
  .object({
    title: z.string(),
    agent: z.string().nullable(),
    expires_at: z.iso.datetime(),
    messages: z.array(
      z.object({ role: z.enum(["user", "assistant"]), text: z.string(), created_at: z.iso.datetime() }),
    ),
    files: z
      .array(z.object({ path: z.string(), size: z.int() }))
      .nullable()
      .meta({ description: "Null: the link shows none." }),
    has_more: z.boolean().meta({ description: "Whether the conversation is longer than what is shown." }),
  })
  .meta({ id: "SharedSession" });
export type SharedSession = z.infer<typeof SharedSession>;

/** In a header, so that it does not appear in logs of addresses. */
export const SharedHeader = z.object({ "capstan-link": z.string().max(100) });
export const SharedFileQuery = z.strictObject({ path: z.string().min(1).max(1000) });
