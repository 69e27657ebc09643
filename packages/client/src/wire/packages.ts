/** Packages, their services and the triggers these send. */
import type { PermissionDiff } from "@capstan/core";
import type { JsonObject } from "./page.ts";

export interface PackageTool {
  name: string;
  description: string;
  scopes: string[];
}

/** What a package adds, as far as it can be known without running it. */
export interface PackageDescription {
  name: string;
  version: string;
  role: "cli" | "rt" | "other";
  capability?: string;
  summary?: string;
  tools: PackageTool[];
  scopes: string[];
  commands: string[];
  dependencies: string[];
  install_scripts: string[];
  skills: string[];
  service?: { container: string; port?: number; health_endpoint?: string };
  must_run_code: boolean;
}

export interface PackageReview extends PackageDescription {
  kind: string;
  origin: string;
  sha256: string;
  size_bytes: number;
  unpacked_bytes: number;
  files: number;
  /** What could not be isolated on the server's system. */
  not_isolated: string[];
  update?: { from_version: string; same_content: boolean; permissions?: PermissionDiff };
}

export interface PackageInstall {
  source: string;
  /** The review was answered with yes. */
  yes: boolean;
  /** Scopes granted to the calling user on the way. */
  grant?: string[];
}

export interface InstalledPackage {
  name: string;
  kind: string;
  version: string;
  sha256: string;
  size_bytes: number;
  origin: string;
  description: PackageDescription;
  installed_by: string;
  installed_at: string;
}

export interface ServiceInfo {
  name: string;
  status: string;
  healthy?: boolean | null;
  restarts?: number;
  started_at?: string | null;
  message?: string;
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
}
