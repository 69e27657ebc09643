/** Routing: the seed's documents in their own camelCase, ours in snake_case. */
import type { JsonObject } from "./page.ts";

export interface TaskRequest {
  task: string;
  context?: JsonObject;
  dryRun?: boolean;
  topK?: number;
  agentId?: string;
  timeoutMs?: number;
}

export interface MatchedCapability {
  capability: { id: string; name: string; route: string; method: string };
  score: number;
  reasons: string[];
}

export interface PlanStep {
  step: number;
  capabilityId: string;
  route: string;
  method: string;
  goal: string;
  payload: JsonObject;
  /** Required input the task does not give; such a step is not called. */
  missing?: string[];
}

export interface ExecutedStep {
  step: number;
  capabilityId: string;
  ok: boolean;
  status?: number;
  route?: string;
  method?: string;
  data?: unknown;
  error?: unknown;
}

export interface TaskAnswer {
  intent: { label: string; confidence: number; normalizedTask: string };
  matchedCapabilities: MatchedCapability[];
  plan: PlanStep[];
  execution: { dryRun: boolean; steps: ExecutedStep[] };
  status: "ok" | "partial" | "degraded" | "no-match" | "error";
  diagnostics: { degraded: boolean; notes: string[]; failures: unknown[] };
}

export interface RouteRequest {
  task: string;
  agent_id?: string;
  top_k?: number;
}

export interface RouteMatch {
  id: string;
  name: string;
  route?: string;
  method?: string;
  score: number;
  reasons: string[];
}

export interface RouteAnswer {
  intent: TaskAnswer["intent"];
  matches: RouteMatch[];
  rejected: { id: string; score: number; why: string }[];
  plan: PlanStep[];
  status: TaskAnswer["status"];
  /** The capability whose `chatPatterns` the text matches: a chat gives such a message to the router. */
  chat?: { capability_id: string; pattern: string } | null;
}

export interface TelemetrySummary {
  total: number;
  successful: number;
  successRate: number;
  fallbackUsed: number;
  fallbackRate: number;
  avgLatencyMs: number;
  byCapability: Record<string, { count: number; errors: number; avgLatencyMs: number }>;
  latestTimestamp?: string | null;
}

export interface TelemetryRecord {
  ts: string;
  capabilityId: string;
  step: number;
  latencyMs: number;
  failureClass: "success" | "http_error" | "runtime_error" | "dry_run";
  fallbackUsed: boolean;
  status?: number;
}

export interface TelemetryAnswer {
  summary: TelemetrySummary;
  records: TelemetryRecord[];
}

export interface TelemetryBucket {
  ts: string;
  total: number;
  successful: number;
  fallback: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
}
