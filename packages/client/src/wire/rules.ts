/** Rules: which calls are allowed, require approval, or are denied. */
import {
  CALL_PATHS,
  type CallPath,
  COUNT_EACH,
  COUNT_PERIODS,
  DATA_LABELS,
  RULE_DAYS,
  RULE_DECISIONS,
  RULE_EFFECTS,
  RULE_OPERATORS,
} from "@capstan/core/internal";
import { z } from "zod";
import { ApprovalExpiryWire } from "./agents.ts";
import { countedPageOf, Json, PageQuery, queryText, UserAddress } from "./page.ts";
import { readBack } from "./read-back.ts";

const Text = z.string().min(1).max(500);

const Path = z.enum(CALL_PATHS as [CallPath, ...CallPath[]]);
const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 08:30");
const ClockOrMidnight = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "must be a time such as 08:30");

const Names = z.union([Text, z.array(Text).min(1).max(500)]);
const count = {
  calls: z.int().min(1).max(1_000).meta({ description: "So many calls; for more use a budget of calls." }),
  per: z.enum(COUNT_PERIODS).meta({ description: "The last minute, hour, day, week or 30 days." }),
  each: z
    .enum(COUNT_EACH)
    .optional()
    .meta({ description: "Each user, agent or session is counted alone. Default: all together." }),
};

export const RuleCondition = z
  .union([
    z.strictObject({
      arg: Text.meta({ description: "A field of the tool's input; `a.b` for a nested one." }),
      op: z.enum(RULE_OPERATORS),
      value: z
        .union([
          z.string().max(2_000),
          z.number(),
          z.boolean(),
          z.array(z.union([z.string().max(2_000), z.number()])).max(500),
        ])
        .optional(),
    }),
    z.strictObject({
      seen: z.enum(DATA_LABELS).meta({ description: "What the conversation has read so far." }),
    }),
    z.strictObject({ user: Names }),
    z.strictObject({
      group: Names.meta({
        description: "A group of the user at their OpenID provider: a value of `groups`, or `claim=value`.",
      }),
    }),
    z.strictObject({ not_group: Names }),
    z.strictObject({
      connection: Names.meta({ description: "The tool uses the user's account at this provider." }),
    }),
    z.strictObject({ scope: Names.meta({ description: "The tool requires this scope." }) }),
    z.strictObject({
      often: z.strictObject({ op: z.enum(["above", "at_most"]), ...count }).meta({
        description:
          "How many calls this rule was for, with this one: its tools and other conditions, calls that were made.",
      }),
    }),
    z.strictObject({
      path: z.union([Path, z.array(Path).min(1).max(CALL_PATHS.length)]).meta({
        description: "How the call reaches the gate: by the agent's loop, REST, MCP, a task, ...",
      }),
    }),
    z.strictObject({
      time: z
        .strictObject({
          from: Clock,
          to: ClockOrMidnight,
          days: z
            .array(z.enum(RULE_DAYS))
            .min(1)
            .max(7)
            .optional()
            .meta({ description: "The days on which it begins." }),
          zone: z.string().min(1).max(100).optional().meta({ description: "An IANA zone. Default: UTC." }),
        })
        .meta({ description: "A part of the day; one that ends before it starts goes over midnight." }),
    }),
    z.strictObject({
      expr: Text.meta({
        description:
          "A CEL expression over `args`, `user`, `groups`, `agent`, `tool`, `capability`, `risk`, `scopes`, `connections`, `path`, `seen`, `now`.",
      }),
    }),
  ])
  .meta({ id: "RuleCondition" });

const Effect = z.enum(RULE_EFFECTS).meta({
  description:
    "Deny beats ask, ask beats allow. Allow lifts a question, never a denial. Limit denies or asks above a number of calls.",
});
const Decision = z.enum(RULE_DECISIONS);

const limitFields = {
  ...count,
  over: z.enum(["deny", "ask"]).optional().meta({ description: "What happens above it. Default: deny." }),
};
const askFields = {
  whom: z
    .union([z.email('must be an e-mail address or "admin"'), z.literal("admin")])
    .optional()
    .meta({ description: "Who answers instead of the user; `admin`: any admin." }),
  expiry: ApprovalExpiryWire.optional().meta({
    description: "What happens without an answer. Default: as the agent says.",
  }),
};

const fields = {
  name: z.string().trim().min(1).max(200),
  agent_id: z.uuid().nullable().meta({ description: "The one agent it is for; null is for every agent." }),
  user: UserAddress.nullable().meta({
    description: "The user whose own rule it is: applies only to their calls, never `allow`; null: everyone.",
  }),
  tools: z.array(Text).min(1).max(200).meta({
    description:
      "Tool names, `prefix*`, `*`, `capability:<id>`, `scope:<scope>`, `connection:<provider>`, `risk:<read|write|irreversible>`, `reads:<untrusted|private|public>`, `writes:<external|internal|irreversible>`, `uses:secrets` or `reaches:any_address`.",
  }),
  when: z.array(RuleCondition).max(50).meta({ description: "All must hold; none means always." }),
  then: Effect,
  limit: z.strictObject(limitFields).nullable().meta({ description: 'Only with `then: "limit"`.' }),
  ask: z.strictObject(askFields).nullable().meta({ description: "Only with a rule that asks." }),
  words: z
    .string()
    .max(1_000)
    .nullable()
    .meta({ description: "Said to who is asked, or to the model that is refused." }),
  expires_at: z.iso.datetime({ offset: true }).nullable(),
};

const kept = {
  id: z.uuid(),
  sentence: z.string().meta({ description: "The rule in words, made from its fields." }),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const RuleCreate = z
  .strictObject({
    ...readBack(kept),
    ...fields,
    agent_id: fields.agent_id.optional(),
    user: fields.user.optional(),
    limit: fields.limit.optional(),
    when: fields.when.default([]),
    ask: fields.ask.optional(),
    words: fields.words.optional(),
    expires_at: fields.expires_at.optional(),
  })
  .meta({ id: "RuleCreate" });
export type RuleCreate = z.input<typeof RuleCreate>;

/** RFC 7396: `limit` and `ask` are merged; null removes an entry or the whole. */
export const RulePatch = z
  .strictObject({
    ...readBack(kept),
    ...z.strictObject(fields).partial().shape,
    limit: z
      .strictObject({
        calls: limitFields.calls.optional(),
        per: limitFields.per.optional(),
        each: limitFields.each.nullable(),
        over: limitFields.over.nullable(),
      })
      .nullable()
      .optional(),
    ask: z
      .strictObject({ whom: askFields.whom.nullable(), expiry: askFields.expiry.nullable() })
      .nullable()
      .optional(),
  })
  .meta({ id: "RulePatch" });
export type RulePatch = z.input<typeof RulePatch>;

export const Rule = z
  .object({
    id: kept.id,
    ...fields,
    sentence: kept.sentence,
    created_by: kept.created_by,
    created_at: kept.created_at,
    updated_at: kept.updated_at,
  })
  .meta({ id: "Rule" });
export type Rule = z.infer<typeof Rule>;

export const RuleList = countedPageOf(Rule).meta({ id: "RuleList" });
export const RuleQuery = PageQuery.extend({
  agent_id: z.uuid().optional().meta({ description: "Rules for this agent, and those for every agent." }),
  then: Effect.optional(),
  q: queryText("the name or what the rule says"),
});
export type RuleQuery = z.input<typeof RuleQuery>;

export const RuleCheck = z
  .strictObject({
    agent_id: z.uuid(),
    tool: Text,
    input: z.record(z.string(), z.unknown()).default({}),
    session_id: z.uuid().optional().meta({ description: "As if it were made in this session." }),
    path: Path.optional().meta({ description: "As if it came this way. Default: the agent's loop." }),
    seen: z
      .array(z.enum(DATA_LABELS))
      .max(DATA_LABELS.length)
      .optional()
      .meta({ description: "As if the conversation had read this." }),
  })
  .meta({ id: "RuleCheck" });
export type RuleCheck = z.input<typeof RuleCheck>;

export const RuleCheckResult = z
  .object({
    decision: Decision,
    rule_id: z
      .uuid()
      .nullable()
      .meta({ description: "The rule that decided; null when the tool's own policy did." }),
    why: z.string(),
  })
  .meta({ id: "RuleCheckResult" });
export type RuleCheckResult = z.infer<typeof RuleCheckResult>;

export const RuleSimulate = z
  .strictObject({
    rules: z
      .array(RuleCreate)
      .max(1_000)
      .meta({ description: "The whole set to try instead of the saved one." }),
    since: z.iso.datetime({ offset: true }).optional().meta({ description: "Default: 30 days ago." }),
  })
  .meta({ id: "RuleSimulate" });
export type RuleSimulate = z.input<typeof RuleSimulate>;

const SimulatedCall = z
  .object({
    call_id: z.string(),
    run_id: z.uuid(),
    session_id: z.uuid(),
    agent_id: z.uuid(),
    tool: z.string(),
    input: Json,
    edited: z
      .boolean()
      .meta({ description: "The call as a person edited and approved it, with their arguments." }),
    at: z.iso.datetime(),
    before: RuleCheckResult,
    after: RuleCheckResult,
  })
  .meta({ id: "SimulatedCall" });

export const RuleSimulation = z
  .object({
    calls: z.int().meta({ description: "How many recorded calls were tried." }),
    truncated: z
      .boolean()
      .meta({ description: "There were more calls than are tried at once; the newest were." }),
    newly_allowed: z.array(SimulatedCall),
    newly_asked: z.array(SimulatedCall),
    newly_denied: z.array(SimulatedCall),
  })
  .meta({ id: "RuleSimulation" });
export type RuleSimulation = z.infer<typeof RuleSimulation>;

export const RuleProposal = z
  .object({
    rule: RuleCreate,
    sentence: z.string(),
    open: z.array(z.string()).meta({ description: "Arguments that the rule leaves open." }),
    covers: z
      .array(SimulatedCall)
      .meta({ description: "Calls of the last 30 days that would no longer be asked for." }),
  })
  .meta({ id: "RuleProposal" });
export type RuleProposal = z.infer<typeof RuleProposal>;

const PastDecision = RuleCheckResult.extend({
  rule_name: z.string().nullable(),
  sentence: z.string().nullable().meta({ description: "The rule as it was then." }),
  approved: z.boolean().meta({ description: "A person had approved the call." }),
  outcome: z.enum(["done", "failed", "refused", "waiting", "client"]),
  at: z.iso.datetime(),
}).meta({ id: "PastDecision" });

export const CallExplanation = z
  .object({
    call_id: z.string(),
    run_id: z.string().nullable(),
    session_id: z.string().nullable(),
    agent_id: z.string(),
    user: z.string(),
    path: z
      .string()
      .nullable()
      .meta({ description: "How it reached the gate; null if that was not recorded." }),
    tool: z.string(),
    input: Json.nullable().meta({
      description: "Null where arguments are not stored: outside conversations and questions.",
    }),
    edited_input: Json.nullable().meta({ description: "What a person put in place of the arguments." }),
    at: z.iso.datetime(),
    decisions: z
      .array(PastDecision)
      .meta({ description: "As it was decided, oldest first: asked, approved, made again after a crash." }),
    now: RuleCheckResult.nullable().meta({
      description: "What the current rules say; null without arguments.",
    }),
    note: z.string().nullable().meta({ description: "What cannot be said, and why." }),
  })
  .meta({
    id: "CallExplanation",
    description: "A past call: how it was decided, and what the current rules say.",
  });
export type CallExplanation = z.infer<typeof CallExplanation>;
