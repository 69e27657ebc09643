/** Agents on the wire: snake_case, `capabilities` as strings, their options beside them. */
import type { CapabilityRef, RunLimits } from "@capstan/core";
import type { ApprovalExpiry } from "@capstan/core/internal";
import { isVersionPin } from "@capstan/core/internal";
import type { AgentInput, AgentRecord } from "@capstan/runtime";
import { z } from "@hono/zod-openapi";

const CapabilityOptions = z.object({
  config: z.record(z.string(), z.unknown()).optional(),
  prefix: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,32}$/)
    .optional(),
  version: z
    .string()
    .max(50)
    .refine(isVersionPin, "must be a version such as 1.2.3, ^1.2.0 or 1.x")
    .optional(),
});
const CapabilityEntry = z.union([z.string().max(200), CapabilityOptions.extend({ id: z.string().max(200) })]);
const Policy = z.enum(["auto", "approve", "client", "deny"]);
const Limits = z.object({
  max_steps: z.int().min(1).max(1000).optional(),
  max_seconds: z.number().positive().max(86_400).optional(),
  max_tokens: z.int().min(1).optional(),
  max_cost_usd: z.number().positive().optional(),
});
const Expiry = z.discriminatedUnion("policy", [
  z.object({ policy: z.literal("wait") }),
  z.object({ policy: z.literal("expire"), after_seconds: z.number().positive() }),
  z.object({ policy: z.literal("escalate"), after_seconds: z.number().positive(), to: z.email() }),
]);

const fields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(4000),
  system_prompt: z.string().max(200_000),
  model: z
    .string()
    .regex(/^[\w.-]+\/.{1,200}$/, "must read provider/model")
    .nullable(),
  harness: z.string().regex(/^[a-z][a-z0-9-]{0,49}$/),
  capabilities: z.array(CapabilityEntry).max(500),
  granted_scopes: z.array(z.string().min(1).max(200)).max(500),
  tool_policies: z.record(z.string(), Policy),
  limits: Limits,
  approval_expiry: Expiry,
  may_request_scopes: z.boolean(),
  allow_native_tools: z.boolean(),
  provider: z.string().max(200).nullable(),
  documentation_url: z.url().max(2000).nullable(),
  metadata: z.record(z.string(), z.unknown()),
};

export const AgentPatch = z.object(fields).partial().openapi("AgentPatch");
export const AgentBody = AgentPatch.extend({ name: fields.name }).openapi("AgentCreate");
export const AgentDto = z
  .object({
    ...fields,
    id: z.string(),
    version: z.int(),
    status: z.enum(["active", "archived"]),
    capabilities: z.array(z.string()),
    capability_options: z.record(z.string(), CapabilityOptions),
    owner: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Agent");

type Patch = z.output<typeof AgentPatch>;

const EMPTY: Omit<AgentInput, "name"> = {
  description: "",
  systemPrompt: "",
  harness: "native",
  capabilities: [],
  grantedScopes: [],
  toolPolicies: {},
  limits: {},
  approvalExpiry: { policy: "wait" },
  mayRequestScopes: false,
  allowNativeTools: false,
  metadata: {},
};

export const agentInput = (body: z.output<typeof AgentBody>): AgentInput =>
  patchedInput({ ...EMPTY, name: body.name }, body);

/** The agent with the named fields changed; `null` takes an optional field away. */
export function patchedInput(before: AgentInput, patch: Patch): AgentInput {
  const { model, provider, documentationUrl, ...rest } = { ...before, ...renamed(patch) };
  return {
    ...rest,
    ...(model && { model }),
    ...(provider && { provider }),
    ...(documentationUrl && { documentationUrl }),
  };
}

/** The patch in our own words, with only what it names. */
function renamed(patch: Patch) {
  const all = {
    name: patch.name,
    description: patch.description,
    systemPrompt: patch.system_prompt,
    model: patch.model,
    harness: patch.harness,
    capabilities: patch.capabilities?.map(capabilityRef),
    grantedScopes: patch.granted_scopes,
    toolPolicies: patch.tool_policies,
    limits: patch.limits && limitsIn(patch.limits),
    approvalExpiry: patch.approval_expiry && expiryIn(patch.approval_expiry),
    mayRequestScopes: patch.may_request_scopes,
    allowNativeTools: patch.allow_native_tools,
    provider: patch.provider,
    documentationUrl: patch.documentation_url,
    metadata: patch.metadata,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<
    Omit<AgentInput, "model" | "provider" | "documentationUrl">
  > & { model?: string | null; provider?: string | null; documentationUrl?: string | null };
}

export function agentDto(agent: AgentRecord): z.input<typeof AgentDto> {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    version: agent.version,
    status: agent.status,
    system_prompt: agent.systemPrompt,
    model: agent.model ?? null,
    harness: agent.harness,
    capabilities: agent.capabilities.map(({ id }) => id),
    capability_options: Object.fromEntries(
      agent.capabilities.filter(hasOptions).map(({ id, ...options }) => [id, options as object]),
    ),
    granted_scopes: [...agent.grantedScopes],
    tool_policies: { ...agent.toolPolicies },
    limits: limitsOut(agent.limits),
    approval_expiry: expiryOut(agent.approvalExpiry),
    may_request_scopes: agent.mayRequestScopes,
    allow_native_tools: agent.allowNativeTools,
    provider: agent.provider ?? null,
    documentation_url: agent.documentationUrl ?? null,
    metadata: { ...agent.metadata },
    owner: agent.owner,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}

function capabilityRef(entry: z.output<typeof CapabilityEntry>): CapabilityRef {
  if (typeof entry === "string") return { id: entry };
  const { id, config, prefix, version } = entry;
  return { id, ...(config && { config }), ...(prefix && { prefix }), ...(version && { version }) };
}

const hasOptions = (ref: CapabilityRef): boolean => Object.keys(ref).length > 1;

function limitsIn(limits: z.output<typeof Limits>): RunLimits {
  return {
    ...(limits.max_steps !== undefined && { maxSteps: limits.max_steps }),
    ...(limits.max_seconds !== undefined && { maxSeconds: limits.max_seconds }),
    ...(limits.max_tokens !== undefined && { maxTokens: limits.max_tokens }),
    ...(limits.max_cost_usd !== undefined && { maxCostUsd: limits.max_cost_usd }),
  };
}

function limitsOut(limits: RunLimits): z.output<typeof Limits> {
  return {
    ...(limits.maxSteps !== undefined && { max_steps: limits.maxSteps }),
    ...(limits.maxSeconds !== undefined && { max_seconds: limits.maxSeconds }),
    ...(limits.maxTokens !== undefined && { max_tokens: limits.maxTokens }),
    ...(limits.maxCostUsd !== undefined && { max_cost_usd: limits.maxCostUsd }),
  };
}

function expiryIn(expiry: z.output<typeof Expiry>): ApprovalExpiry {
  if (expiry.policy === "wait") return expiry;
  const afterSeconds = expiry.after_seconds;
  return expiry.policy === "expire"
    ? { policy: "expire", afterSeconds }
    : { policy: "escalate", afterSeconds, to: expiry.to };
}

function expiryOut(expiry: ApprovalExpiry): z.output<typeof Expiry> {
  if (expiry.policy === "wait") return expiry;
  const after_seconds = expiry.afterSeconds;
  return expiry.policy === "expire"
    ? { policy: "expire", after_seconds }
    : { policy: "escalate", after_seconds, to: expiry.to };
}
