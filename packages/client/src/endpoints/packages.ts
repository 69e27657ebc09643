/** /v1/packages, /v1/services and /v1/triggers. */
import { ok, type Result } from "@capstan/core";
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type {
  CommandOutput,
  InstalledPackage,
  PackageInstall,
  PackageQuery,
  PackageReview,
  PackageSource,
  PackageWrap,
  ServiceInfo,
  UninstalledPackage,
  WaitingPackage,
  WrapProposal,
} from "../wire/packages.ts";
import type { Items, Page } from "../wire/page.ts";
import type {
  Schedule,
  ScheduleCreate,
  ScheduleFired,
  SchedulePatch,
  ScheduleQuery,
  TriggerInfo,
  TriggerQuery,
} from "../wire/triggers.ts";
import { type Forced, forced } from "./agents.ts";

const part = encodeURIComponent;

export const packageEndpoints = ({ json }: Connection) => ({
  /** `waiting`: in the drop folder, not installed; with every page. */
  ...pagedList<InstalledPackage, PackageQuery, { total: number; waiting: WaitingPackage[] }>(
    { json },
    "/v1/packages",
  ),
  /** What a package would add and be allowed to do; nothing is installed. */
  review: (source: PackageSource, signal?: AbortSignal) =>
    json<PackageReview>("POST", "/v1/packages/review", { json: source, signal }),
  /** Proposes a package for a program that was not made for Capstan; its `--help` runs isolated, nothing is installed. */
  wrap: (wrap: PackageWrap) => json<WrapProposal>("POST", "/v1/packages/wrap", { json: wrap }),
  install: (install: PackageInstall, options: Forced = {}, signal?: AbortSignal) =>
    json<InstalledPackage>("POST", "/v1/packages", { json: install, query: forced(options), signal }),
  /** Everything a failed command printed, by the id in the failure's details. */
  output: (id: string, signal?: AbortSignal) =>
    json<CommandOutput>("GET", `/v1/outputs/${part(id)}`, { signal }),
  uninstall: (name: string, options: Forced = {}) =>
    json<UninstalledPackage>("DELETE", `/v1/packages/${part(name)}`, { query: forced(options) }),
});

export const serviceEndpoints = ({ json, send }: Connection) => ({
  list: (signal?: AbortSignal) => json<Items<ServiceInfo>>("GET", "/v1/services", { signal }),
  /** By its own or its package's name; or from a folder on the server's machine, named by its compose file. */
  start: (name: string, folder?: string) =>
    json<ServiceInfo>("POST", `/v1/services/${part(name)}/start`, { json: folder ? { folder } : {} }),
  stop: (name: string) => json<ServiceInfo>("POST", `/v1/services/${part(name)}/stop`, { json: {} }),
  async logs(name: string, signal?: AbortSignal): Promise<Result<string>> {
    const sent = await send("GET", `/v1/services/${part(name)}/logs`, { signal });
    return sent.ok ? ok(await sent.value.text()) : sent;
  },
});

export const triggerEndpoints = ({ json }: Connection) => ({
  list: (query: TriggerQuery = {}, signal?: AbortSignal) =>
    json<Page<TriggerInfo> & { total: number }>("GET", "/v1/triggers", { query, signal }),
  retry: (id: string) => json<TriggerInfo>("POST", `/v1/triggers/${part(id)}/retry`, { json: {} }),
  drop: (id: string) => json<TriggerInfo>("POST", `/v1/triggers/${part(id)}/drop`, { json: {} }),
});

export const scheduleEndpoints = ({ json }: Connection) => ({
  ...pagedList<Schedule, ScheduleQuery>({ json }, "/v1/schedules"),
  put: (schedule: ScheduleCreate) => json<Schedule>("POST", "/v1/schedules", { json: schedule }),
  /** Pauses or resumes it. */
  update: (id: string, patch: SchedulePatch) =>
    json<Schedule>("PATCH", `/v1/schedules/${part(id)}`, { json: patch }),
  /** Runs it once, now; its plan stays. */
  run: (id: string) => json<ScheduleFired>("POST", `/v1/schedules/${part(id)}/run`, { json: {} }),
  remove: (id: string) => json<void>("DELETE", `/v1/schedules/${part(id)}`),
});
