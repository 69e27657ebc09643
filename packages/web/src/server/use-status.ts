import { api } from "./api.ts";
import { useRead } from "./queries.ts";

const EVERY_MS = 5_000;

/** The server's own facts: version, model, how much runs and waits. */
export const useStatus = () =>
  useRead(["status"], (signal) => api.server.status(signal), { everyMs: EVERY_MS });

export const usePendingApprovals = () =>
  useRead(["approvals", "pending"], (signal) => api.approvals.list({ status: "pending" }, signal), {
    everyMs: EVERY_MS,
  });

const ALERTS_EVERY_MS = 30_000;

/** Alerts of monitors that nobody has acknowledged. */
export const useOpenAlerts = (): number => {
  const query = useRead(["monitors", "open"], (signal) => api.monitors.list({ limit: 200 }, signal), {
    everyMs: ALERTS_EVERY_MS,
  });
  return (query.data?.items ?? []).reduce((sum, { open_alerts }) => sum + open_alerts, 0);
};
