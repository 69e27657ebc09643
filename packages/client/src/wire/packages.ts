/** Packages, their services and the triggers these send. */
import type { PermissionDiff } from "@capstan/core";
import type { JsonObject } from "./page.ts";

export interface PackageReview {
  name: string;
  version: string;
  type?: string;
  description?: string;
  command?: string;
  required_scopes?: string[];
  actions?: { name: string; description?: string; required_scopes?: string[]; requires_approval?: boolean }[];
  diff?: PermissionDiff | null;
  warnings?: string[];
  [more: string]: unknown;
}

export interface PackageInstall {
  source: string;
  yes: boolean;
  grant?: string[];
}

export interface InstalledPackage {
  name: string;
  version: string;
  type?: string;
  description?: string;
  required_scopes?: string[];
  source?: string;
  installed_at?: string;
  [more: string]: unknown;
}

export interface ServiceInfo {
  name: string;
  status: string;
  healthy?: boolean | null;
  restarts?: number;
  started_at?: string | null;
  [more: string]: unknown;
}

export interface TriggerInfo {
  id: string;
  capability?: string;
  user: string;
  type: string;
  status: "pending" | "processing" | "done" | "failed" | "deduped" | "dropped";
  attempts: number;
  reason?: string | null;
  session_id?: string | null;
  payload?: JsonObject;
  created_at: string;
  [more: string]: unknown;
}
