/**
 * Asks before leaving a screen with unsaved changes, by a link, a key, the palette or the browser's Back. All
 * navigation inside the studio goes through the router's location hook, which is this one.
 */
import { useEffect, useSyncExternalStore } from "react";
import { useBrowserLocation } from "wouter/use-browser-location";

type Navigate = ReturnType<typeof useBrowserLocation>[1];

/** Where someone wants to go while something is not saved. */
export interface Leaving {
  readonly to: string;
  readonly go: () => void;
}

let guarded: string | undefined;
let leaving: Leaving | undefined;
const listeners = new Set<() => void>();

function setLeaving(next: Leaving | undefined): void {
  leaving = next;
  for (const listener of listeners) listener();
}

const here = (): string => location.pathname + location.search + location.hash;

/** In the capture phase, so that the router does not follow a step back that is not taken. */
window.addEventListener(
  "popstate",
  (event) => {
    if (guarded === undefined || location.pathname === guarded) return;
    event.stopImmediatePropagation();
    const to = here();
    history.pushState(null, "", guarded);
    setLeaving({ to, go: () => history.pushState(null, "", to) });
  },
  { capture: true },
);

export const useGuardedLocation = (): [string, Navigate] => {
  const [place, navigate] = useBrowserLocation();
  const guardedNavigate: Navigate = (to, options) => {
    const target = new URL(String(to), location.href).pathname;
    if (guarded === undefined || target === guarded) return navigate(to, options);
    setLeaving({ to: String(to), go: () => navigate(to, options) });
  };
  return [place, guardedNavigate];
};

/** While `unsaved`, leaving this screen or the page asks first. */
export function useLeaveGuard(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    guarded = location.pathname;
    const closing = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", closing);
    return () => {
      guarded = undefined;
      window.removeEventListener("beforeunload", closing);
    };
  }, [unsaved]);
}

export const useLeaving = (): Leaving | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => leaving,
  );

export const stay = (): void => setLeaving(undefined);

export function leave({ go }: Leaving): void {
  guarded = undefined;
  setLeaving(undefined);
  go();
}
