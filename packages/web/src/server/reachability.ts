/** Whether the server answers. While it does not, it is polled, and the page recovers by itself. */

const RETRY_MS = 1_500;

type Listener = () => void;
const listeners = new Set<Listener>();
const recoveries = new Set<Listener>();
let reachable = true;

export const isReachable = (): boolean => reachable;

export function watchReachability(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called each time the server is back. */
export function onRecovery(listener: Listener): () => void {
  recoveries.add(listener);
  return () => recoveries.delete(listener);
}

export function reportReached(): void {
  if (reachable) return;
  reachable = true;
  for (const listener of [...listeners, ...recoveries]) listener();
}

export function reportUnreachable(): void {
  if (!reachable) return;
  reachable = false;
  for (const listener of listeners) listener();
  void askUntilReached();
}

export function askNow(): Promise<void> {
  return fetch("/health", { cache: "no-store" }).then(reportReached, () => {});
}

async function askUntilReached(): Promise<void> {
  while (!reachable) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    await askNow();
  }
}
