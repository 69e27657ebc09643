import type { Entry, RunView } from "../../conversation/entries.ts";

interface RunStatusProps {
  run: RunView | undefined;
  agentName: string;
  entries: readonly Entry[];
  stopping: boolean;
}

/** One line under the conversation during a run; also announced by screen readers, instead of every word. */
export function RunStatus({ run, agentName, entries, stopping }: RunStatusProps) {
  const text = stopping && run ? "Stopping…" : statusText(run, agentName, entries);
  return (
    <div role="status" className="min-h-6 pb-2 text-xs text-ink-faint">
      {text && (
        <span className="inline-flex items-center gap-2">
          {run?.status === "running" && (
            <span className="size-2 animate-pulse rounded-full bg-accent" aria-hidden />
          )}
          {text}
        </span>
      )}
    </div>
  );
}

function statusText(run: RunView | undefined, agentName: string, entries: readonly Entry[]): string {
  if (!run) return "";
  if (run.status === "waiting") {
    const forClient = entries.some((entry) => entry.kind === "tool" && entry.forClient && !entry.result);
    return forClient ? "Waiting for a client to run a tool" : "Waiting for your approval";
  }
  const last = entries.at(-1);
  if (last?.kind === "tool" && !last.result) return `Running ${last.name}`;
  if (last?.kind === "reasoning" && !last.done) return `${agentName} is thinking`;
  if (last?.kind === "text" && !last.done) return `${agentName} is writing`;
  return `${agentName} is working`;
}
