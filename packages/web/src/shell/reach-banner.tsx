import Unplug from "lucide-react/icons/unplug";
import { useSyncExternalStore } from "react";
import { Button } from "../kit/button.tsx";
import { askNow, isReachable, watchReachability } from "../server/reachability.ts";

/** Shown while the server does not answer. */
export function ReachBanner() {
  const reachable = useSyncExternalStore(watchReachability, isReachable);
  return (
    <div role="status" aria-live="polite">
      {!reachable && (
        <div className="flex flex-wrap items-center justify-center gap-3 bg-warn-soft px-4 py-2 text-sm text-warn">
          <Unplug className="size-4" aria-hidden />
          <span>
            <strong className="font-semibold">Server offline.</strong> Reconnecting…
          </span>
          <Button size="sm" onClick={() => void askNow()}>
            Retry now
          </Button>
        </div>
      )}
    </div>
  );
}
