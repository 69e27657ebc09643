/** Where a conversation was summarised: what its model reads in place of the messages above, opened on demand. */
import type { JsonValue } from "@capstan/core";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Loaded } from "../../kit/states.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { useRoom } from "./room-context.ts";

export const SUMMARY_ACTIVITY = "SUMMARY";

export function SummaryView({ content }: { content: JsonValue }) {
  const [open, setOpen] = useState(false);
  const { summary_id, messages } = content as { summary_id?: string; messages?: number };
  return (
    <details
      className="group/summary rounded-lg border border-line px-3 py-2"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex items-center justify-between rounded-sm text-xs font-medium text-ink-soft">
        Summarised {messages} messages
        <ChevronRight className="size-4 group-open/summary:rotate-90" aria-hidden />
      </summary>
      {open && <SummaryText id={summary_id ?? ""} />}
    </details>
  );
}

function SummaryText({ id }: { id: string }) {
  const { sessionId = "" } = useRoom();
  const query = useRead(["sessions", sessionId, "summaries"], (signal) =>
    api.sessions.summaries(sessionId, signal),
  );
  return (
    <Loaded query={query} what="The summary" rows={3}>
      {({ items }) => {
        const summary = items.find((each) => each.id === id);
        if (!summary) return <p className="mt-2 text-sm text-ink-faint">It was removed by a rewind.</p>;
        const { text, kept, labels } = summary;
        const lists = kept.lists.map(({ tool, input }) => `${tool}: ${JSON.stringify(input)}`);
        return (
          <div className="mt-2 flex flex-col gap-3 text-sm">
            <p className="text-ink-faint">
              The original messages are still above, and the agent can look them up. From here on the model
              sees this summary instead.
            </p>
            <Markdown text={text} writing={false} />
            <KeptLines title="Decisions" lines={kept.decisions} />
            <KeptLines title="Files" lines={kept.files} />
            <KeptLines title="Lists" lines={lists} />
            {labels.length > 0 && (
              <p className="flex gap-1">
                {labels.map((label) => (
                  <Badge key={label} tone="warn">
                    {label}
                  </Badge>
                ))}
              </p>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function KeptLines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h4 className="text-xs font-medium text-ink-soft">{title}, word for word</h4>
      <ul className="list-disc pl-5">
        {lines.map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
    </section>
  );
}
