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
