import type { Message } from "@capstan/client";
import Clock from "lucide-react/icons/clock";
import type { RunView } from "../../conversation/entries.ts";
import { userMessage } from "../../conversation/stored-messages.ts";

/** Messages queued behind the active run, in order. */
export function QueuedMessages({
  messages,
  runs,
}: {
  messages: readonly Message[];
  runs: readonly RunView[];
}) {
  const started = new Set(runs.map(({ id }) => id));
  const waiting = messages.filter(({ run_id }) => run_id === null || !started.has(run_id));
  if (waiting.length === 0) return null;
  return (
    <section aria-label="Queued messages" className="flex flex-col items-end gap-2 pb-4">
      {waiting.map((message) => (
        <p
          key={message.id}
          className="flex max-w-[85%] items-center gap-2 rounded-2xl border border-dashed border-line-strong px-4 py-2 text-ink-soft"
        >
          <Clock className="size-3.5 shrink-0" aria-label="Queued" />
          {userMessage(message).text}
        </p>
      ))}
    </section>
  );
}
