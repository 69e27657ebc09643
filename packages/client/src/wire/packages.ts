/** Packages, their services and the triggers these send. */
import type { PermissionDiff } from "@capstan/core/internal";
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
  /** Everything that would be installed with it, through others too, each by its hash. */
  resolved_dependencies: { name: string; version: string; hash: string }[];
  /** Of that list; absent when it needs nothing. */
  dependencies_sha256?: string;
  /** What could not be isolated on the server's system. */
  not_isolated: string[];
  update?: { from_version: string; same_content: boolean; permissions?: PermissionDiff };
}

export interface PackageSource {
  /** A path on the server's machine, an npm name, a command line or an address. */
  source: string;
  kind?: "wheel" | "npm" | "mcp" | "skill" | "openapi";
  /** The archive itself in base64, when the client has it. */
  bytes?: string;
  /** Yes to running it once, isolated, so that it can say what it adds. */
  run_to_describe?: boolean;
}

export interface PackageInstall extends PackageSource {
  /** The review was answered with yes. */
  yes: boolean;
  /** The hash that was reviewed; other bytes are refused. */
  sha256?: string;
  /** The hash of the list of dependencies that was reviewed; needed beside `sha256` when there are any. */
  dependencies_sha256?: string;
  allow_scripts?: boolean;
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
  /** Why it does not work here, when it does not. */
  problem?: { message: string; nextStep: string };
}

/** An archive in the drop folder that nobody has reviewed yet. */
export interface WaitingPackage {
  path: string;
  review?: PackageReview;
  failure?: { code: string; message: string; nextStep: string };
}

export interface UninstalledPackage {
  name: string;
  /** Data of users that was left where it is. */
  kept: string[];
  used_by: { id: string; name: string }[];
}

export interface ServiceInfo {
  name: string;
  folder: string;
  url: string;
  user?: string;
  state: "starting" | "running" | "unhealthy" | "waiting" | "stopped";
  pid?: number;
  restarts: number;
  since: string;
  last_exit?: string;
}

export interface TriggerInfo {
  id: string;
  capability: string;
  status: "pending" | "processing" | "done" | "failed" | "deduped" | "dropped" | "invalid";
  attempts: number;
  user?: string;
  type?: string;
  created_at?: string;
  not_before?: string;
  reason?: string;
  session_id?: string;
  channel?: string;
  delivered?: boolean;
}

export interface Schedule {
  id: string;
  capability: string;
  user: string;
  cron: string;
  timezone: string;
  type: string;
  payload: JsonObject;
  enabled: boolean;
  [more: string]: unknown;
}

export type ScheduleCreate = Pick<Schedule, "capability" | "cron"> &
  Partial<Omit<Schedule, "capability" | "cron">>;
