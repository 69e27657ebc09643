/** Monitors: live runs that are scored in the background, and alerts of drift. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type {
  Monitor,
  MonitorAlert,
  MonitorCreate,
  MonitorPatch,
  MonitorQuery,
  MonitorReport,
  MonitorScore,
  MonitorScoreQuery,
} from "../wire/monitors.ts";
import type { Page, PageQuery } from "../wire/page.ts";

const at = (id: string) => `/v1/monitors/${encodeURIComponent(id)}`;

export const monitorEndpoints = ({ json }: Connection) => ({
  ...pagedList<Monitor, MonitorQuery, object>({ json }, "/v1/monitors"),
  create: (monitor: MonitorCreate) => json<Monitor>("POST", "/v1/monitors", { json: monitor }),
  /** With the mean scores of each revision. */
  get: (id: string, signal?: AbortSignal) => json<MonitorReport>("GET", at(id), { signal }),
  change: (id: string, patch: MonitorPatch) => json<Monitor>("PATCH", at(id), { json: patch }),
  remove: (id: string) => json<void>("DELETE", at(id)),
  /** Runs that were chosen, the newest first. */
  scores: (id: string, query: MonitorScoreQuery = {}, signal?: AbortSignal) =>
    json<Page<MonitorScore>>("GET", `${at(id)}/scores`, { query: { ...query }, signal }),
  alerts: (id: string, query: PageQuery = {}, signal?: AbortSignal) =>
    json<Page<MonitorAlert>>("GET", `${at(id)}/alerts`, { query: { ...query }, signal }),
  acknowledge: (id: string, alertId: string) =>
    json<MonitorAlert>("POST", `${at(id)}/alerts/${encodeURIComponent(alertId)}/acknowledge`),
});
