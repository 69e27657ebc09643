/** The server itself: status, providers, keys, users, the audit log. */
import type { JsonObject } from "./page.ts";

export interface ServerStatus {
  version: string;
  url: string;
  data: string;
  model: { name: string; label?: string; demo: boolean };
  counts: { running: number; pending_approvals: number; sessions: number; agents: number };
  uptime_seconds: number;
  /** What the sandbox lacks on this system, and documents that cannot be used. */
  notes: string[];
}

export interface ProviderInfo {
  provider: string;
  configured: boolean;
  from?: "environment" | "settings" | "none";
  base_url?: string;
  models?: unknown[];
}

export type KeyRight = "read" | "run" | "admin";

export interface ApiKey {
  id: string;
  name: string;
  owner: string;
  /** The first characters, to tell keys apart. */
  prefix: string;
  rights: KeyRight[];
  per_minute: number;
  revoked: boolean;
  created_at: string;
}

export interface User {
  email: string;
  /** In force now, with what was granted. */
  scopes: string[];
  /** Those that were set. */
  own_scopes: string[];
  preferences: JsonObject;
}

/** A scope given beside a user's or an agent's own. */
export interface Grant {
  id: string;
  /** `user:<email>` or `agent:<id>`. */
  subject: string;
  scope: string;
  granted_by: string;
  reason: string;
  created_at: string;
  /** Null: until it is revoked. */
  expires_at: string | null;
}

export interface GrantCreate {
  subject: string;
  scope: string;
  reason?: string;
  hours?: number;
}

export interface AuditEntry {
  id: number;
  actor: string;
  action: string;
  subject: string;
  details: JsonObject;
  created_at: string;
}
