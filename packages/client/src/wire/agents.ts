/** Agents and capabilities as the server sends them: snake_case, field for field. */
import type { ApprovalPolicyName, JsonObject } from "./page.ts";

export interface CapabilitySummary {
  id: string;
  name: string;
  description: string;
  status: "available" | "coming_soon" | "deprecated";
  icon?: string;
  category?: string;
  version: string;
  source: string;
  risk: "low" | "medium" | "high";
}

export interface ToolDetail {
  name: string;
  description: string;
  policy: ApprovalPolicyName;
  input_schema: JsonObject;
  output_schema?: JsonObject;
  required_scopes: string[];
  requires_context: boolean;
  timeout_ms: number;
  idempotent: boolean;
  unavailable?: string;
}

export interface RoutingWire {
  triggers?: string[];
  tags?: string[];
  domain?: string;
  actions?: string[];
  route?: string;
  method?: string;
  chatPatterns?: string[];
}

export interface CapabilityDetail extends CapabilitySummary {
  system_prompt?: string;
  tools: ToolDetail[];
  dependencies: string[];
  required_scopes: string[];
  config_schema?: JsonObject;
  policies: Record<string, string>;
  hooks: string[];
  routing: RoutingWire;
  documentation?: { usage?: string; examples?: string[] };
  used_by: { id: string; name: string }[];
}

export interface CapabilityOptions {
  config?: JsonObject;
  prefix?: string;
  version?: string;
}

export type CapabilityEntry = string | ({ id: string } & CapabilityOptions);

export interface AgentLimits {
  max_steps?: number;
  max_seconds?: number;
  max_tokens?: number;
  max_cost_usd?: number;
}

export type ApprovalExpiryWire =
  | { policy: "wait" }
  | { policy: "expire"; after_seconds: number }
  | { policy: "escalate"; after_seconds: number; to: string };

interface AgentFields {
  name: string;
  description: string;
  system_prompt: string;
  model: string | null;
  harness: string;
  granted_scopes: string[];
  tool_policies: Record<string, ApprovalPolicyName>;
  limits: AgentLimits;
  approval_expiry: ApprovalExpiryWire;
  may_request_scopes: boolean;
  allow_native_tools: boolean;
  provider: string | null;
  documentation_url: string | null;
  metadata: JsonObject;
}

export interface Agent extends AgentFields {
  id: string;
  version: number;
  status: "active" | "archived";
  capabilities: string[];
  capability_options: Record<string, CapabilityOptions>;
  owner: string;
  created_at: string;
  updated_at: string;
}

export type AgentPatch = Partial<AgentFields> & { capabilities?: CapabilityEntry[] };
export type AgentCreate = AgentPatch & { name: string };

export interface TokenPrice {
  prompt: number;
  tools: number;
  total: number;
}

export interface AgentPreview {
  system_prompt: string;
  tools: {
    name: string;
    capability_id: string;
    description: string;
    policy: ApprovalPolicyName;
    required_scopes: string[];
    input_schema: JsonObject;
  }[];
  hidden_tools: {
    name: string;
    capability_id: string;
    reason: "scope" | "status" | "policy" | "unavailable";
    detail: string;
    missing_scopes: string[];
  }[];
  capabilities: {
    id: string;
    name: string;
    version: string;
    position: number;
    required_by?: string;
    excluded: boolean;
    hooks: string[];
    policies: Record<string, string>;
    tokens: TokenPrice;
  }[];
  warnings: string[];
  tokens: TokenPrice;
  scopes: string[];
  model: string | null;
  harness: string;
}

export interface ToolRun {
  input: JsonObject;
  session_id?: string;
  agent_id?: string;
  config?: JsonObject;
}

export type ToolAnswer = { output: unknown; duration_ms: number } | { approval_id: string };
