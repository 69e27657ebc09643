import Unplug from "lucide-react/icons/unplug";
import { useSyncExternalStore } from "react";
import { Button } from "../kit/button.tsx";
import { askNow, isReachable, watchReachability } from "../server/reachability.ts";

/** Says that the server does not answer, for as long as it does not. */
export function ReachBanner() {
  const reachable = useSyncExternalStore(watchReachability, isReachable);
  return (
    <div role="status" aria-live="polite">
      {!reachable && (
        <div className="flex flex-wrap items-center justify-center gap-3 bg-warn-soft px-4 py-2 text-sm text-warn">
          <Unplug className="size-4" aria-hidden />
          <span>
            <strong className="font-semibold">The server does not answer.</strong> Start it with{" "}
            <code>npm start</code>; this page goes on by itself.
          </span>
          <Button size="sm" onClick={() => void askNow()}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}
