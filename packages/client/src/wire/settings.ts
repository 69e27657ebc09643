/** The server itself: status, providers, keys, users, the audit log. */
import type { JsonObject } from "./page.ts";

export interface ServerStatus {
  version: string;
  url: string;
  data: string;
  model: { name: string; label?: string; demo: boolean };
  counts: { running: number; pending_approvals: number; sessions: number; agents: number };
  uptime_seconds: number;
}

export interface ProviderInfo {
  provider: string;
  configured: boolean;
  base_url?: string | null;
  models?: unknown[];
  [more: string]: unknown;
}

export interface ApiKey {
  id: string;
  name?: string;
  owner?: string;
  rights?: string[];
  created_at?: string;
  last_used_at?: string | null;
  [more: string]: unknown;
}

export interface User {
  email: string;
  scopes: string[];
  preferences: JsonObject;
}

export interface AuditEntry {
  id: number;
  actor: string;
  action: string;
  subject: string;
  details: JsonObject;
  created_at: string;
}
