/** Runs a recorded run again as it was, without effects outside, and opens the comparison. */
import { useLocation } from "wouter";
import { Button } from "../../kit/button.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

export function ReplayRun({ runId }: { runId: string }) {
  const [, go] = useLocation();
  const start = useChange(async () => {
    const made = await api.replays.create({ runs: [runId], with: {} });
    if (made.ok) go(`/experiments/replays/${made.value.id}`);
    return made;
  }, ["replays"]);
  return (
    <>
      <Button size="sm" busy={start.isPending} doing="Starting…" onClick={() => start.mutate(undefined)}>
        Replay
      </Button>
      <ChangeFailure error={start.error} />
    </>
  );
}
