/** An agent: fields a client can set (`AgentFields`), fields the server adds, and its composed form. */
import { AGENT_DEFAULTS, isSemver, isVersionPin, THINKING_EFFORT_LEVELS } from "@capstan/core/internal";
import { z } from "zod";
import { ApprovalPolicyName, FLOW_SHAPE, JsonObject, NamedAgent, PageQuery, pageOf } from "./page.ts";
import { FollowsWire } from "./revisions.ts";

const capabilityOptions = {
  config: JsonObject.optional(),
  prefix: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,32}$/, "must be 1 to 32 letters, digits, underscores or dashes")
    .optional(),
  version: z
    .string()
    .max(50)
    .refine(isVersionPin, "must be a version such as 1.2.3, ^1.2.0 or 1.x")
    .optional(),
};
export const CapabilityOptions = z.strictObject(capabilityOptions);
export type CapabilityOptions = z.input<typeof CapabilityOptions>;

export const CapabilityEntry = z.union([
  z.string().min(1).max(200),
  z.strictObject({ id: z.string().min(1).max(200), ...capabilityOptions }),
]);
export type CapabilityEntry = z.input<typeof CapabilityEntry>;

export const AgentLimits = z.strictObject({
  max_steps: z.int().min(1).max(1000).optional(),
  max_seconds: z.number().positive().max(86_400).optional(),
  max_tokens: z.int().min(1).optional(),
  max_cost_usd: z.number().positive().optional(),
});
export type AgentLimits = z.input<typeof AgentLimits>;

export const CompactionWire = z
  .strictObject({
    enabled: z.boolean().default(AGENT_DEFAULTS.compaction.enabled),
    at: z.number().min(0.2).max(0.95).default(AGENT_DEFAULTS.compaction.at),
    keep: z.number().min(0.05).max(0.7).default(AGENT_DEFAULTS.compaction.keep),
  })
  .refine(({ at, keep }) => keep < at, "keep must be smaller than at");

export const ApprovalExpiryWire = z.discriminatedUnion("policy", [
  z.strictObject({ policy: z.literal("wait") }),
  z.strictObject({ policy: z.literal("expire"), after_seconds: z.number().positive() }),
  z.strictObject({ policy: z.literal("escalate"), after_seconds: z.number().positive(), to: z.email() }),
]);
export type ApprovalExpiryWire = z.infer<typeof ApprovalExpiryWire>;

export const ModelName = z.string().regex(/^[\w.-]+[/].{1,200}$/, "must have the form provider/model");
/** A harness has its own models, under its own names. */
const AgentModel = z
  .string()
  .regex(/^[\w.-]+([/:@].{1,200})?$/, "must have the form provider/model, or be a model of the harness");

/** Why an agent was changed, in its author's words. */
export const Why = z.string().trim().max(2_000);
const SaveAs = z.enum(["live", "draft"]);

/** To add a field to an agent: a row here, its default in core's `AGENT_DEFAULTS`, and the code that uses it. */
export const AgentFields = z.strictObject({
  name: z.string().trim().min(1).max(200),
  description: z.string().max(4000),
  system_prompt: z.string().max(200_000),
  model: AgentModel.nullable().meta({
    description:
      "`provider/model`, or one of `/v1/models?agent=<harness>`. Null: the default of the server or the program.",
  }),
  fallback_models: z.array(ModelName).max(5).meta({
    description:
      "Asked in this order when the provider of the model before is down, over its quota or too slow. For the native loop.",
  }),
  thinking_effort: z.enum(THINKING_EFFORT_LEVELS).nullable().meta({
    description:
      "Default thinking effort, which a message can override; refused where the harness or the model does not support it.",
  }),
  thinking_budget: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .meta({ description: "Thinking budget in tokens, for harness models that take a number." }),
  harness: z.string().regex(/^[a-z][a-z0-9-]{0,49}$/, "must be native or the name of a coding agent"),
  capabilities: z.array(CapabilityEntry).max(500),
  granted_scopes: z.array(z.string().min(1).max(200)).max(500),
  tool_policies: z.record(z.string(), ApprovalPolicyName),
  limits: AgentLimits,
  compaction: CompactionWire.meta({
    description:
      "When a long conversation is summarised: `at` is the share of the model's room that it may fill, `keep` the share of it that stays word for word.",
  }),
  approval_expiry: ApprovalExpiryWire,
  may_request_scopes: z.boolean(),
  on_disconnect: z.enum(["continue", "cancel"]),
  allow_native_tools: z.boolean(),
  folder: z.string().min(1).max(1000).nullable().meta({
    description:
      "A git repository of the server's machine, within CAPSTAN_CODING_AGENT_FOLDERS: the harness works on a branch in a worktree of it, and a person applies or discards the change. Null: the session's files.",
  }),
  provider: z.string().max(200).nullable(),
  documentation_url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable(),
  release: z.string().max(50).refine(isSemver, "must be a semantic version such as 1.2.3").nullable().meta({
    description:
      "The semantic version of the agent from this change on; later changes count on from it. Null: counted from the first.",
  }),
  saves_as: SaveAs.meta({
    description: "Whether a change goes live, or is saved as a draft to be promoted.",
  }),
  triggers_follow: FollowsWire.nullable().meta({
    description:
      "The revision or label that sessions of triggers use, and so what their channels deliver. Null: as other new sessions.",
  }),
  metadata: JsonObject,
});
export type AgentFields = z.infer<typeof AgentFields>;

/** Fields the server adds and a client cannot set. */
const kept = {
  id: z.string(),
  version: z.int(),
  status: z.enum(["active", "archived"]),
  owner: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
};
type Kept = keyof typeof kept;
export const AGENT_KEPT = Object.keys(kept) as readonly Kept[];

/** Sent back with an agent that was read: ignored when creating, compared when updating. */
const readOnly = Object.fromEntries(
  Object.entries(kept).map(([field, schema]) => [
    field,
    schema.optional().meta({ readOnly: true, description: "Set by the server." }),
  ]),
) as { [Field in Kept]: z.ZodOptional<(typeof kept)[Field]> };

export const Agent = z.object({ ...kept, ...AgentFields.shape }).meta({ id: "Agent" });
export type Agent = z.infer<typeof Agent>;

export const AgentCreate = z
  .strictObject({ ...readOnly, ...AgentFields.partial().shape, name: AgentFields.shape.name })
  .meta({ id: "AgentCreate" });
export type AgentCreate = z.input<typeof AgentCreate>;

/** RFC 7396: maps are merged; null removes an entry or resets a field to its default. */
export const AgentPatch = z
  .strictObject({
    ...readOnly,
    ...AgentFields.partial().shape,
    why: Why.optional().meta({ description: "Why it is changed; kept with the revision." }),
    save_as: SaveAs.optional().meta({
      description:
        "A draft is a revision that nothing uses until it is promoted. Default: the agent's `saves_as`.",
    }),
    tool_policies: z.record(z.string(), ApprovalPolicyName.nullable()).optional(),
    limits: z
      .strictObject({
        max_steps: AgentLimits.shape.max_steps.nullable(),
        max_seconds: AgentLimits.shape.max_seconds.nullable(),
        max_tokens: AgentLimits.shape.max_tokens.nullable(),
        max_cost_usd: AgentLimits.shape.max_cost_usd.nullable(),
      })
      .optional(),
  })
  .meta({ id: "AgentPatch" });
export type AgentPatch = z.input<typeof AgentPatch>;

export const AgentQuery = PageQuery.extend({
  q: z.string().max(200).optional().meta({ description: "Text in the name or description." }),
  status: kept.status.optional(),
  capability: z.string().max(200).optional().meta({ description: "Agents that list this capability." }),
});
export type AgentQuery = z.input<typeof AgentQuery>;
export const AgentPage = pageOf(Agent).extend({ total: z.int() });

export const AgentDeleteQuery = z.strictObject({
  force: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "Delete it although other agents delegate to it, and list them." }),
});
export const AgentDeleted = z
  .object({ id: z.string(), broken: z.array(NamedAgent) })
  .meta({ id: "AgentDeleted", description: "The agents that delegated to it and no longer compose." });

export const PreviewQuery = z.strictObject({ check: z.enum(["save"]).optional() });

export const TokenPrice = z.object({ prompt: z.int(), tools: z.int(), total: z.int() });
export type TokenPrice = z.infer<typeof TokenPrice>;

const PreviewConnection = z.object({
  tool: z.string(),
  provider: z.string(),
  scopes: z.array(z.string()).meta({ description: "What the tool needs." }),
  account: z.string().nullable(),
  has: z.array(z.string()).meta({ description: "What the account really has." }),
  missing: z.array(z.string()),
  ready: z.boolean(),
  detail: z.string(),
});

export const AgentPreview = z
  .object({
    system_prompt: z.string(),
    tools: z.array(
      z.object({
        name: z.string(),
        capability_id: z.string(),
        description: z.string(),
        policy: ApprovalPolicyName,
        required_scopes: z.array(z.string()),
        ...FLOW_SHAPE,
        input_schema: JsonObject,
      }),
    ),
    hidden_tools: z.array(
      z.object({
        name: z.string(),
        capability_id: z.string(),
        reason: z.enum(["scope", "status", "policy", "unavailable"]),
        detail: z.string(),
        missing_scopes: z.array(z.string()),
      }),
    ),
    capabilities: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        version: z.string(),
        position: z.int(),
        required_by: z.string().optional(),
        excluded: z.boolean(),
        hooks: z.array(z.string()),
        policies: z.record(z.string(), z.string()),
        tokens: TokenPrice,
      }),
    ),
    connections: z
      .array(PreviewConnection)
      .meta({ description: "Accounts of the user that tools need, and what is missing." }),
    scope_sources: z.object({ agent: z.array(z.string()), user: z.array(z.string()) }).meta({
      description: "What the agent may, and what the user was granted; `scopes` is what both have.",
    }),
    warnings: z.array(z.string()),
    tokens: TokenPrice,
    scopes: z.array(z.string()),
    model: z.string().nullable(),
    harness: z.string(),
  })
  .meta({ id: "AgentPreview" });
export type AgentPreview = z.infer<typeof AgentPreview>;

export const AgentToken = z
  .object({
    id: z.string(),
    name: z.string(),
    agent_id: z.string(),
    user: z.string(),
    prefix: z.string(),
    session_id: z.string().nullable(),
    follows: FollowsWire.nullable(),
    max_calls: z.int().nullable(),
    calls: z.int(),
    expires_at: z.string().nullable(),
    created_by: z.string(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: "AgentToken" });
export type AgentToken = z.infer<typeof AgentToken>;

const LONGEST_TOKEN_SECONDS = 10 * 365 * 86_400;
export const AgentTokenCreate = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    expires_in_seconds: z.number().positive().max(LONGEST_TOKEN_SECONDS).optional(),
    max_calls: z.int().min(1).optional(),
    session_id: z
      .uuid()
      .optional()
      .meta({ description: "The session its calls work in; by default its own." }),
    follows: FollowsWire.optional(),
  })
  .meta({ id: "AgentTokenCreate" });
export type AgentTokenCreate = z.input<typeof AgentTokenCreate>;
export const NewAgentToken = z
  .object({ ...AgentToken.shape, token: z.string() })
  .meta({ id: "NewAgentToken" });
