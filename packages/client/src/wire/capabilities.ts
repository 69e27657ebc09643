/** Capabilities, their tools, and direct tool calls. */
import { TEST_VERDICTS } from "@capstan/core/internal";
import { z } from "zod";
import {
  ApprovalPolicyName,
  BrokenAgents,
  FLOW_SHAPE,
  itemsOf,
  Json,
  JsonObject,
  NamedAgent,
  PageQuery,
  pageOf,
} from "./page.ts";

const Status = z.enum(["available", "coming_soon", "deprecated"]);

export const CapabilitySummary = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    status: Status,
    icon: z.string().optional(),
    category: z.string().optional(),
    version: z.string(),
    source: z.string(),
    risk: z.enum(["low", "medium", "high"]),
  })
  .meta({ id: "Capability" });
export type CapabilitySummary = z.infer<typeof CapabilitySummary>;

export const ToolDetail = z
  .object({
    name: z.string(),
    description: z.string(),
    policy: ApprovalPolicyName,
    input_schema: JsonObject,
    output_schema: JsonObject.optional(),
    required_scopes: z.array(z.string()),
    requires_context: z.boolean(),
    timeout_ms: z.int(),
    idempotent: z.boolean(),
    ...FLOW_SHAPE,
    unavailable: z.string().optional(),
  })
  .meta({ id: "Tool" });
export type ToolDetail = z.infer<typeof ToolDetail>;

/** Routing hints keep the seed's names. */
export const RoutingWire = z.looseObject({
  triggers: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  domain: z.string().optional(),
  actions: z.array(z.string()).optional(),
  route: z.string().optional(),
  method: z.string().optional(),
  chatPatterns: z.array(z.string()).optional(),
});
export type RoutingWire = z.infer<typeof RoutingWire>;

export const CapabilityDetail = z
  .object({
    ...CapabilitySummary.shape,
    system_prompt: z.string().optional(),
    tools: z.array(ToolDetail),
    dependencies: z.array(z.string()),
    required_scopes: z.array(z.string()),
    config_schema: JsonObject.optional(),
    policies: z.record(z.string(), z.string()),
    hooks: z.array(z.string()),
    routing: RoutingWire,
    documentation: z
      .object({ usage: z.string().optional(), examples: z.array(z.string()).optional() })
      .optional(),
    used_by: z.array(NamedAgent),
  })
  .meta({ id: "CapabilityDetail" });
export type CapabilityDetail = z.infer<typeof CapabilityDetail>;

export const CapabilityVersion = z
  .object({
    version: z.string(),
    registered: z.boolean().meta({ description: "Used by agents that pin no version." }),
    sha256: z.string().optional().meta({ description: "Of its content." }),
    by: z.string().optional(),
    at: z.iso.datetime().optional(),
    used_by: z.array(NamedAgent),
  })
  .meta({ id: "CapabilityVersion" });
export type CapabilityVersion = z.infer<typeof CapabilityVersion>;
export const CapabilityVersions = itemsOf(CapabilityVersion);

export const CapabilityQuery = PageQuery.extend({
  status: Status.optional(),
  category: z.string().max(200).optional(),
  source: z.string().max(200).optional(),
  q: z.string().max(200).optional().meta({ description: "Text in the id, name or description." }),
});
export type CapabilityFilter = z.input<typeof CapabilityQuery>;
export const CapabilityPage = pageOf(CapabilitySummary).extend({ total: z.int() });

export const CapabilityRegistered = CapabilityDetail.extend({
  broken: BrokenAgents.meta({ description: "Agents that this version breaks; only by force." }),
}).meta({ id: "CapabilityRegistered" });
export const CapabilityRemoved = z
  .object({ id: z.string(), broken: BrokenAgents })
  .meta({ id: "CapabilityRemoved" });

/** The format of docs/sources.md; validated by the loader, which reports every fault with its path. */
export const CapabilityDocument = JsonObject.meta({
  description: "A declarative capability; see docs/sources.md.",
});

export const ToolRun = z
  .strictObject({
    input: JsonObject.default({}).meta({ description: "Validated by the tool's own `input_schema`." }),
    session_id: z.string().optional(),
    agent_id: z.string().optional().meta({ description: "Call it with this agent's rights and policies." }),
    config: JsonObject.optional(),
  })
  .meta({ id: "ToolRun" });
export type ToolRun = z.input<typeof ToolRun>;

export const ToolResult = z.object({ output: Json, duration_ms: z.int() }).meta({ id: "ToolResult" });
export const ApprovalPending = z.object({ approval_id: z.string() }).meta({ id: "ApprovalPending" });
export type ToolAnswer = z.infer<typeof ToolResult> | z.infer<typeof ApprovalPending>;

export const CapabilityTestCreate = z
  .strictObject({
    limit: z.int().min(1).max(1000).default(200).meta({ description: "The newest recorded calls." }),
  })
  .meta({ id: "CapabilityTestCreate" });
export type CapabilityTestCreate = z.input<typeof CapabilityTestCreate>;

const TestedCall = z
  .object({
    run_id: z.uuid(),
    call_id: z.string(),
    tool: z.string(),
    verdict: z.enum(TEST_VERDICTS).meta({
      description:
        "`checked`: not called, its schemas accept it. `not_tested`: see `why`. All after it are breaking changes.",
    }),
    why: z.string(),
    live: z.boolean().meta({ description: "Whether the tool was really called." }),
    input: z
      .string()
      .nullable()
      .meta({ description: "As JSON, without secrets; only of a breaking change." }),
    before: z.string().nullable(),
    after: z.string().nullable(),
  })
  .meta({ id: "TestedCall" });

export const CapabilityTestReport = z
  .object({
    capability_id: z.string(),
    version: z.string(),
    verdict: z.enum(["same", "breaking", "incomplete", "untested"]).meta({
      description: "`incomplete`: time ran out. `untested`: no recorded call could be tested.",
    }),
    counts: z.object(
      Object.fromEntries(TEST_VERDICTS.map((verdict) => [verdict, z.int()])) as Record<
        (typeof TEST_VERDICTS)[number],
        z.ZodInt
      >,
    ),
    calls: z.array(TestedCall).meta({ description: "Newest run first." }),
  })
  .meta({ id: "CapabilityTestReport" });
export type CapabilityTestReport = z.infer<typeof CapabilityTestReport>;
