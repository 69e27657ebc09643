/** Coding agents and models: manifests keep the seed's camelCase. */
import type { AgentTransport, CodingAgentCapabilities, EffectiveCapabilities } from "@capstan/core/internal";
import { runOptionsSchema } from "@capstan/core/internal";
import { z } from "zod";
import { itemsOf, Json, JsonObject, listOf } from "./page.ts";

/** Declared in core, field by field, for authors of adapters. */
const Manifest = <Declared>() => z.custom<Declared>().meta({ type: "object" });

const ProbeFindings = z.object({
  differences: z.array(z.object({ field: z.string(), declared: z.boolean(), observed: z.boolean() })),
  inconclusive: z.array(z.object({ scenario: z.string(), why: z.string() })),
  features: z
    .array(
      z.object({
        transport: z.string(),
        feature: z.string(),
        outcome: z.enum(["works", "fails", "inconclusive", "not offered"]),
        why: z.string().optional(),
      }),
    )
    .optional()
    .meta({ description: "Results per transport." }),
});

export const CodingAgentInfo = z
  .object({
    name: z.string(),
    display_name: z.string(),
    installed: z.boolean(),
    version: z.string().nullable(),
    login: z
      .object({ found: z.boolean(), by: z.array(z.string()) })
      .meta({ description: "Names of credential files or variables, never their content." }),
    problem: z.string().nullable(),
    next_step: z.string().nullable(),
    declared: Manifest<CodingAgentCapabilities>(),
    probed: z
      .object({
        agent: z.string(),
        version: z.string(),
        date: z.string(),
        observed: z.record(z.string(), z.boolean().optional()),
        ...ProbeFindings.shape,
      })
      .nullable()
      .meta({ description: "What the last probe of the installed version found." }),
    transports: z
      .array(Manifest<AgentTransport>())
      .meta({ description: "The transports of the program, and how they differ." }),
    observed: z
      .record(z.string(), z.boolean().optional())
      .nullable()
      .meta({ description: "Findings of the last probe of this version only." }),
    effective: Manifest<EffectiveCapabilities>()
      .nullable()
      .meta({ description: "Effective capabilities: declared ones, overridden by what was observed." }),
    row: z
      .record(z.string(), z.string())
      .nullable()
      .optional()
      .meta({ description: "The row of the specification's matrix." }),
  })
  .meta({ id: "CodingAgent" });
export type CodingAgentInfo = z.infer<typeof CodingAgentInfo>;
export const CodingAgentList = listOf(CodingAgentInfo);

const Effort = z.enum(["low", "medium", "high", "max"]);
export const ModelInfo = z
  .object({
    agent: z.string(),
    modelId: z.string(),
    modelAlias: z.string().optional(),
    modelAliases: z.array(z.string()).optional(),
    displayName: z.string(),
    deprecated: z.boolean(),
    deprecatedSince: z.string().optional(),
    successorModelId: z.string().optional(),
    contextWindow: z.number(),
    maxOutputTokens: z.number(),
    maxThinkingTokens: z.number().optional(),
    inputPricePerMillion: z.number().optional(),
    outputPricePerMillion: z.number().optional(),
    thinkingPricePerMillion: z.number().optional(),
    cachedInputPricePerMillion: z.number().optional(),
    supportsThinking: z.boolean(),
    thinkingEffortLevels: z.array(Effort).optional(),
    supportsThinkingBudgetTokens: z.boolean().optional(),
    thinkingBudgetRange: z.array(z.number()).optional(),
    nativeEffort: z.record(z.string(), z.union([z.string(), z.number()]).optional()).optional(),
    supportsToolCalling: z.boolean(),
    supportsParallelToolCalls: z.boolean(),
    supportsToolCallStreaming: z.boolean(),
    supportsJsonMode: z.boolean(),
    supportsStructuredOutput: z.boolean(),
    supportsTextStreaming: z.boolean(),
    supportsThinkingStreaming: z.boolean(),
    supportsImageInput: z.boolean(),
    supportsImageOutput: z.boolean(),
    supportsFileInput: z.boolean(),
    provider: z.string().optional(),
    providerModelId: z.string().optional(),
    lastUpdated: z.string(),
    source: z.enum(["bundled", "remote"]),
    isDefault: z.boolean(),
  })
  .meta({ id: "Model" });
export type ModelInfo = z.infer<typeof ModelInfo>;
export const ModelQuery = z.strictObject({ agent: z.string().max(50).default("native") });
export const ModelList = listOf(ModelInfo).extend({ last_updated: z.string() });

export const StoredAgentSession = z
  .object({
    id: z.string(),
    cwd: z.string().optional(),
    title: z.string().optional(),
    model: z.string().optional(),
    updatedAt: z.string().optional(),
  })
  .meta({ id: "CodingAgentSession" });
export const StoredAgentSessions = itemsOf(StoredAgentSession);
export const StoredAgentMessages = itemsOf(
  z.object({ role: z.enum(["user", "assistant", "tool", "system"]), text: z.string() }),
);

export const StoredMessagesQuery = z.strictObject({
  system: z.enum(["true", "false"]).default("false").meta({ description: "Also instructions." }),
});

export const CodingAgentPlugin = z.strictObject({ plugin: z.string().min(1).max(200) });
export const CodingAgentPlugins = itemsOf(JsonObject);
export const CodingAgentPluginQuery = z.strictObject({
  query: z.string().max(200).optional().meta({ description: "Search for installable plugins." }),
});
export const PluginOutput = z.object({ output: z.string() });

/** The agent is in the path; environment and allowed folders are decided by the machine that runs it. */
const { agent: _agent, env: _env, ...runOptions } = runOptionsSchema.shape;
export const CodingAgentRun = z
  .strictObject({
    ...runOptions,
    outputSchema: JsonObject.optional(),
    thinkingOverride: JsonObject.optional(),
  })
  .meta({ id: "CodingAgentRun" });
export type CodingAgentRun = z.input<typeof CodingAgentRun>;

export const CodingAgentCommand = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("approve"), id: z.string(), input: Json.optional() }),
    z.strictObject({ type: z.literal("deny"), id: z.string(), reason: z.string().optional() }),
    z.strictObject({ type: z.literal("send"), text: z.string() }),
    z.strictObject({ type: z.literal("interrupt") }),
    z.strictObject({ type: z.literal("abort") }),
  ])
  .meta({ id: "CodingAgentCommand" });
export type CodingAgentCommand = z.input<typeof CodingAgentCommand>;
export const CommandDone = z.object({ done: z.literal(true) });

/** Events of the doctor while it checks one agent after the other. */
export const DoctorEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("checking"), agent: z.string(), name: z.string() }),
  z.object({
    type: z.literal("checked"),
    agent: z.string(),
    displayName: z.string(),
    installed: z.boolean(),
    version: z.string().optional(),
    problem: z.string().optional(),
    nextStep: z.string().optional(),
  }),
  z.object({ type: z.literal("probing"), agent: z.string() }),
  z.object({
    type: z.literal("probed"),
    agent: z.string(),
    report: ProbeFindings.nullable(),
  }),
  z.object({ type: z.literal("done") }),
]);
export type DoctorEvent = z.infer<typeof DoctorEvent>;
