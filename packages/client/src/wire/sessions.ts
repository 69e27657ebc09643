/** Sessions, messages, files, runs and approvals as the server sends them. */
import type { JsonObject } from "./page.ts";

export interface Session {
  id: string;
  agent_id: string | null;
  owner: string;
  title: string;
  status: string;
  state: unknown;
  metadata: JsonObject;
  forked_from: string | null;
  created_at: string;
  updated_at: string;
}

export interface SessionCreate {
  id?: string;
  agent_id?: string;
  title?: string;
  metadata?: JsonObject;
  state?: JsonObject;
}

export interface SessionFile {
  path: string;
  name: string;
  is_directory: boolean;
  is_readonly: boolean;
  size_bytes: number;
  created_at: string;
  updated_at: string;
}

export interface SessionListing {
  path: string;
  entries: SessionFile[];
  count: number;
}

export type MessagePart =
  | { type: "text"; text: string }
  | {
      type: "image" | "file";
      mime_type: string;
      data?: string;
      url?: string;
      path?: string;
      name?: string;
    };

export interface MessageCreate {
  content: string | MessagePart[];
  id?: string;
  output_schema?: JsonObject;
  webhook?: { url: string };
  model?: string;
  reasoning?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
}

export interface MessageAccepted {
  message_id: string;
  run_id: string;
  queued: boolean;
}

export type StoredPart =
  | MessagePart
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; tool_call_id: string; tool_name: string; input: unknown }
  | {
      type: "tool-result";
      tool_call_id: string;
      tool_name: string;
      output: unknown;
      is_error: boolean;
      /** The arguments a person put in place of the model's. */
      edited_input?: unknown;
    };

export interface Message {
  id: string;
  position: number;
  run_id: string | null;
  role: "user" | "assistant" | "tool" | "system";
  content: StoredPart[];
  usage?: RunUsageWire;
  feedback?: { value: "up" | "down"; words?: string };
  /** It waits behind the run that is on. */
  queued?: boolean;
  created_at: string;
}

export interface RunUsageWire {
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  reasoning_tokens?: number;
  cost_usd?: number | null;
  steps?: number;
  active_ms?: number;
}

export interface TraceSpan {
  kind: "model" | "gate" | "tool";
  name: string;
  started_at: string;
  duration_ms: number;
  [fact: string]: unknown;
}

export type RunStatus = "queued" | "running" | "waiting" | "done" | "failed" | "cancelled" | "limit";

export interface Run {
  id: string;
  session_id: string;
  agent_id: string | null;
  status: RunStatus;
  outcome: JsonObject | null;
  error: { code: string; message: string; nextStep: string } | null;
  usage: RunUsageWire;
  model: string | null;
  parent_run_id: string | null;
  started_at: string;
  ended_at: string | null;
  /** Only where one run is asked for. */
  trace?: TraceSpan[];
}

export interface Approval {
  id: string;
  kind: "tool" | "scope" | "package";
  status: "pending" | "approved" | "denied" | "expired" | "cancelled";
  session_id: string | null;
  run_id: string | null;
  agent_id: string;
  agent_name: string | null;
  tool: string;
  capability_id: string;
  input: unknown;
  input_schema: JsonObject | null;
  reason: string;
  requested_by: string;
  assignee: string;
  expiry: JsonObject;
  expires_at: string | null;
  created_at: string;
  answered_by: string | null;
  answered_at: string | null;
  answer: { words: string | null; edited_args: unknown } | null;
  result: unknown;
}

export interface ApprovalAnswer {
  decision: "approve" | "deny";
  words?: string;
  edited_args?: JsonObject;
}

export interface ToolResultCreate {
  tool_call_id: string;
  output: unknown;
  is_error?: boolean;
}
