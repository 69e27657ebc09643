/** What several screens read. */
import { ok } from "@capstan/core";
import { api } from "./api.ts";
import { useRead } from "./queries.ts";

export const useAgents = () => useRead(["agents"], (signal) => api.agents.list({ limit: 200 }, signal));

export const useAgent = (id: string | undefined) =>
  useRead(["agents", id], (signal) => api.agents.get(id ?? "", signal), { enabled: id !== undefined });

export const useCapabilities = () => useRead(["capabilities"], (signal) => everyCapability(signal));

export const useCapability = (id: string | undefined) =>
  useRead(["capabilities", id], (signal) => api.capabilities.get(id ?? "", signal), {
    enabled: id !== undefined,
  });

export const useCapabilityVersions = (id: string) =>
  useRead(["capabilities", id, "versions"], (signal) => api.capabilities.versions(id, signal));

export const useSessions = (everyMs?: number) =>
  useRead(["sessions"], (signal) => api.sessions.list({ limit: 50 }, signal), { everyMs });

export const useSession = (id: string | undefined) =>
  useRead(["sessions", id], (signal) => api.sessions.get(id ?? "", signal), { enabled: id !== undefined });

async function everyCapability(signal: AbortSignal) {
  const all = await api.capabilities.all({}, signal);
  return all.ok ? ok({ items: all.value, total: all.value.length }) : all;
}
