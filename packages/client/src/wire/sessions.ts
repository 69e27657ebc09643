/** Sessions, their messages, files and events. */

import type { RunEvent } from "@capstan/core";
import { type DataLabel, normalisePath } from "@capstan/core/internal";
import { z } from "zod";
import { ModelName } from "./agents.ts";
import { Json, JsonObject, numberCursor, PageQuery, pageOf, queryFlag, queryNumber } from "./page.ts";
import { FollowsWire } from "./revisions.ts";
import { MessageUsage, RunUsageWire } from "./runs.ts";

const Program = z.string().regex(/^[a-z][a-z0-9-]{0,49}$/, "must be native or the name of a coding agent");

/** The program, and the model in it, that runs a session instead of its agent's. */
export const ContinueIn = z
  .strictObject({
    harness: Program,
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: "One of `/v1/models?agent=<harness>`; the program's default when absent." }),
  })
  .meta({ id: "ContinueIn" });
export type ContinueIn = z.infer<typeof ContinueIn>;

/** A name alone is the program with its default model. */
export const ContinueInInput = z.union([
  Program.transform((harness): ContinueIn => ({ harness })).pipe(ContinueIn),
  ContinueIn,
]);
export type ContinueInInput = z.input<typeof ContinueInInput>;

const SeenLabel = z.strictObject({ tool: z.string(), run_id: z.string().optional(), at: z.string() });

export const Session = z
  .object({
    id: z.string(),
    agent_id: z.string().nullable(),
    owner: z.string(),
    title: z.string(),
    status: z.string(),
    state: Json,
    metadata: JsonObject,
    forked_from: z.string().nullable(),
    fork_position: z
      .int()
      .nullable()
      .meta({ description: "How many messages it has in common with the session it was forked from." }),
    conversation_id: z
      .string()
      .nullable()
      .meta({ description: "The same in all forks of one conversation; null before the first fork." }),
    allowed_tools: z
      .array(z.string())
      .meta({ description: "Tools that run here without asking again, as `capability/tool`." }),
    labels: z
      .strictObject({ untrusted: SeenLabel.optional(), private: SeenLabel.optional() } satisfies Record<
        DataLabel,
        z.ZodType
      >)
      .meta({
        description:
          "What the conversation has read, and which tool brought it in first: `untrusted`, `private`. A label stays.",
      }),
    continue_in: ContinueIn.nullable().meta({
      description: "The program that runs it instead of its agent's; null: the agent's own.",
    }),
    follows: FollowsWire.nullable().meta({
      description: "The revision of its agent that it uses; null: whichever is live.",
    }),
    comparison_id: z.string().nullable().meta({ description: "Of a branch: the comparison it belongs to." }),
    pinned: z.boolean(),
    archived: z.boolean().meta({ description: "Hidden from lists; everything stays readable." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

export const SessionCreate = z
  .strictObject({
    id: z
      .uuid()
      .optional()
      .meta({ description: "Chosen by the client: repeating an id returns the same session." }),
    agent_id: z.uuid().optional(),
    title: z.string().max(500).optional(),
    metadata: JsonObject.optional(),
    state: JsonObject.optional(),
    follows: FollowsWire.optional().meta({
      description: "A revision or label of its agent; only for people who may change the agent.",
    }),
  })
  .meta({ id: "SessionCreate" });
export type SessionCreate = z.input<typeof SessionCreate>;

/** Fields that the server sets; a client may send them back unchanged. */
const keptFields = Session.omit({
  agent_id: true,
  title: true,
  metadata: true,
  pinned: true,
  archived: true,
  continue_in: true,
});
export const SESSION_KEPT = Object.keys(keptFields.shape) as readonly (keyof typeof keptFields.shape)[];

/** RFC 7396: `metadata` is merged; null removes an entry of it, the title or the agent. */
export const SessionPatch = z
  .strictObject({
    ...keptFields.partial().shape,
    title: z.string().max(500).nullable().optional(),
    agent_id: z.uuid().nullable().optional(),
    metadata: JsonObject.optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    continue_in: ContinueInInput.nullable().optional().meta({
      description: "Messages from now on are answered by this program; null: by the agent's own again.",
    }),
  })
  .meta({ id: "SessionPatch" });
export type SessionPatch = z.input<typeof SessionPatch>;

export const CompatibilityQuery = z.strictObject({
  in: Program.meta({ description: "The program to continue in." }),
  model: z.string().min(1).max(200).optional(),
});

const CompatibilityLine = z.object({ what: z.string(), detail: z.string() });

/** What another program would and would not receive if the session continued there. */
export const Compatibility = z
  .object({
    from: ContinueIn,
    to: ContinueIn,
    comes_along: z.array(CompatibilityLine),
    left_behind: z.array(CompatibilityLine),
    refusal: z
      .object({ code: z.string(), message: z.string(), nextStep: z.string() })
      .nullable()
      .meta({ description: "Why it cannot continue there; null when it can." }),
  })
  .meta({ id: "Compatibility" });
export type Compatibility = z.infer<typeof Compatibility>;

/** By the last run. */
const SESSION_STATUSES = ["idle", "running", "waiting", "failed"] as const;
export const SessionQuery = PageQuery.extend({
  agent_id: z.uuid().optional(),
  status: z.enum(SESSION_STATUSES).optional(),
  archived: queryFlag().optional(),
  pinned: queryFlag().optional(),
  q: z.string().max(200).optional().meta({ description: "Text in the title." }),
  thread_id: z.string().max(500).optional().meta({ description: "An AG-UI client's own thread id." }),
});
export type SessionQuery = z.input<typeof SessionQuery>;
export const SessionPage = pageOf(Session);

export const SessionFile = z
  .object({
    path: z.string(),
    name: z.string(),
    is_directory: z.boolean(),
    is_readonly: z.boolean(),
    size_bytes: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "SessionFile" });
export type SessionFile = z.infer<typeof SessionFile>;

export const SessionListing = z
  .object({ path: z.string(), entries: z.array(SessionFile), count: z.int() })
  .meta({ id: "SessionFiles" });
export type SessionListing = z.infer<typeof SessionListing>;

export const FileWriteQuery = z.strictObject({ readonly: queryFlag().optional() });
export const FileDeleteQuery = z.strictObject({ recursive: queryFlag().optional() });
export const FilesDeleted = z.object({ path: z.string(), deleted: z.int() });

const textPart = { type: z.literal("text"), text: z.string().max(1_000_000) };
const filePart = {
  type: z.enum(["image", "file"]),
  mime_type: z.string().regex(/^[\w.+-]+[/][\w.+*-]+$/, "must have the form type/subtype"),
  data: z.base64().optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  path: z
    .string()
    .max(1024)
    .refine((path) => normalisePath(path).ok, "must be a path of the session, without ..")
    .optional(),
  name: z.string().max(255).optional(),
};
export const MessagePart = z.discriminatedUnion("type", [z.strictObject(textPart), z.strictObject(filePart)]);
export type MessagePart = z.infer<typeof MessagePart>;

export const ReasoningEffort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

export const MessageCreate = z
  .strictObject({
    content: z.union([z.string().min(1).max(1_000_000), z.array(MessagePart).min(1).max(50)]),
    id: z.string().min(1).max(200).optional(),
    output_schema: JsonObject.optional(),
    webhook: z.strictObject({ url: z.url({ protocol: /^https?$/ }) }).optional(),
    model: ModelName.optional(),
    reasoning: ReasoningEffort.optional(),
  })
  .meta({ id: "NewMessage" });
export type MessageCreate = z.input<typeof MessageCreate>;

export const MessageAccepted = z
  .object({ message_id: z.string(), run_id: z.string(), queued: z.boolean() })
  .meta({ id: "MessageAccepted" });
export type MessageAccepted = z.infer<typeof MessageAccepted>;

export const StoredPart = z.discriminatedUnion("type", [
  z.object(textPart),
  z.object(filePart),
  z.object({ type: z.literal("reasoning"), text: z.string() }),
  z.object({
    type: z.literal("tool-call"),
    tool_call_id: z.string(),
    tool_name: z.string(),
    input: Json,
  }),
  z.object({
    type: z.literal("tool-result"),
    tool_call_id: z.string(),
    tool_name: z.string(),
    output: Json,
    is_error: z.boolean(),
    edited_input: Json.optional().meta({ description: "Arguments edited by a person." }),
  }),
]);
export type StoredPart = z.infer<typeof StoredPart>;

export const Message = z
  .object({
    id: z.string(),
    position: z.int(),
    run_id: z.string().nullable(),
    role: z.enum(["user", "assistant", "tool", "system"]),
    content: z.array(StoredPart),
    usage: MessageUsage.optional(),
    feedback: z.object({ value: z.enum(["up", "down"]), words: z.string().optional() }).optional(),
    queued: z.boolean().optional().meta({ description: "Queued behind the active run." }),
    pinned: z.boolean().optional().meta({ description: "Summaries keep it word for word." }),
    created_at: z.string(),
  })
  .meta({ id: "Message" });
export type Message = z.infer<typeof Message>;

export const MessageQuery = z.strictObject({
  limit: queryNumber(z.int().min(1).max(500)).default(100),
  cursor: numberCursor(),
  pinned: queryFlag().optional().meta({ description: "Only messages that are pinned, or are not." }),
});
export const MessagePage = z.object({ items: z.array(Message), next_cursor: z.int().optional() });

export const FeedbackCreate = z.strictObject({
  value: z.enum(["up", "down"]),
  words: z.string().max(4000).default(""),
});
export const FeedbackStored = z.object({ stored: z.literal(true) });

export const ToolResultCreate = z.strictObject({
  tool_call_id: z.string().max(500),
  output: Json.optional(),
  is_error: z.boolean().optional(),
});
export type ToolResultCreate = z.input<typeof ToolResultCreate>;
export const ToolResultsCreate = z.strictObject({ results: z.array(ToolResultCreate).min(1).max(100) });
export const ToolResultsAccepted = z.object({ accepted: z.int() });

export const SessionFork = z
  .strictObject({
    message_id: z.string().max(200).optional().meta({ description: "The last message of the copy." }),
    before: z
      .boolean()
      .optional()
      .meta({ description: "Leave this message out as well, to say something else in its place." }),
  })
  .refine(({ message_id, before }) => !before || message_id !== undefined, {
    path: ["message_id"],
    message: "is needed with `before`",
  });
export type SessionFork = z.input<typeof SessionFork>;

export const AllowedToolsQuery = z.strictObject({
  tool: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "As `capability/tool`; all of them when absent." }),
});

/** Where a conversation went different ways. */
export const BranchPoint = z
  .object({
    position: z.int().meta({ description: "Of the first message that differs." }),
    session_ids: z
      .array(z.string())
      .meta({ description: "One session for each way, the oldest first; this session is one of them." }),
  })
  .meta({ id: "BranchPoint" });
export type BranchPoint = z.infer<typeof BranchPoint>;
export const BranchPoints = z.object({ items: z.array(BranchPoint) });

export const EventQuery = z.strictObject({
  after: queryNumber(z.int().min(0)).optional(),
  run: z.string().max(200).optional(),
  format: z.enum(["json"]).optional(),
  limit: queryNumber(z.int().min(1).max(1000)).optional(),
});
/** One AG-UI event of a session; `seq` is its number there, increasing. */
export const StoredEvent = z
  .object({
    seq: z.int(),
    run_id: z.string().nullable(),
    event: z.custom<RunEvent>().meta({ type: "object" }),
  })
  .meta({ id: "SessionEvent" });
export type StoredEvent = z.infer<typeof StoredEvent>;
export const EventPage = z.object({ items: z.array(StoredEvent), next: z.int().nullable().optional() });

/** Cancelling by an AG-UI client's own thread id; its names are AG-UI's. */
export const CancelThread = z.strictObject({ threadId: z.string().min(1).max(500) });
export const CancelledThread = z.strictObject({ runId: z.string() });

const MOST_BRANCHES = 6; // each is a program of its own on the server's machine

export const ComparisonCreate = z
  .strictObject({
    content: z.string().min(1).max(1_000_000),
    in: z
      .array(ContinueInInput)
      .min(2)
      .max(MOST_BRANCHES)
      .meta({ description: "Programs, or models of them: each answers in a branch with its own files." }),
  })
  .meta({ id: "ComparisonCreate" });
export type ComparisonCreate = z.input<typeof ComparisonCreate>;

export const FileChange = z
  .object({
    path: z.string(),
    change: z.enum(["added", "changed", "removed"]),
    diff: z.string().nullable().meta({ description: "Unified; null where a side is no text or too long." }),
  })
  .meta({ id: "FileChange" });
export type FileChange = z.infer<typeof FileChange>;

export const ComparisonBranch = z
  .object({
    session_id: z.string(),
    continue_in: ContinueIn,
    status: z.string(),
    answer: z.string().meta({ description: "What it said last." }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    seconds: z.number(),
    usage: RunUsageWire,
    changes: z.array(FileChange),
  })
  .meta({ id: "ComparisonBranch" });
export type ComparisonBranch = z.infer<typeof ComparisonBranch>;

export const Comparison = z
  .object({ id: z.string(), session_id: z.string(), branches: z.array(ComparisonBranch) })
  .meta({ id: "Comparison" });
export type Comparison = z.infer<typeof Comparison>;

export const ComparisonKeep = z.strictObject({ session_id: z.uuid() });
