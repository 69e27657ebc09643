/** Desktop notifications, on request: an approval waits, or a run failed, while this page is in the background. */
import { useEffect, useRef, useSyncExternalStore } from "react";
import { usePendingApprovals } from "../server/use-status.ts";

const PLACE = "capstan.notify";
const listeners = new Set<() => void>();

export type NotificationState = "on" | "off" | "blocked" | "missing";

export function notificationState(): NotificationState {
  if (!("Notification" in window)) return "missing";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && localStorage.getItem(PLACE) === "on" ? "on" : "off";
}

export async function setNotifications(on: boolean): Promise<void> {
  if (on && Notification.permission === "default") await Notification.requestPermission();
  localStorage.setItem(PLACE, on ? "on" : "off");
  for (const listener of listeners) listener();
}

export const useNotificationState = (): NotificationState =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, notificationState);

/** Notifies about each approval once, except those that were pending when the page was opened. */
export function useApprovalNotifications(open: (href: string) => void): void {
  const { data } = usePendingApprovals();
  const known = useRef<Set<string>>(undefined);
  useEffect(() => {
    if (!data) return;
    const news = data.items.filter(({ id }) => known.current !== undefined && !known.current.has(id));
    known.current = new Set(data.items.map(({ id }) => id));
    if (notificationState() !== "on" || !document.hidden) return;
    for (const { id, agent_name, tool, session_id } of news) {
      const shown = new Notification("Approval needed", {
        body: `${agent_name ?? "An agent"} wants to run ${tool}`,
        tag: id,
      });
      shown.onclick = () => {
        window.focus();
        open(session_id ? `/chat/${session_id}` : "/approvals");
      };
    }
  }, [data, open]);
}
