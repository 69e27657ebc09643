/** The conversation, of which only the visible part is rendered; it stays at its end while the reader is there. */
import { useVirtualizer } from "@tanstack/react-virtual";
import ArrowDown from "lucide-react/icons/arrow-down";
import { type ReactNode, useEffect, useRef } from "react";
import { currentRun } from "../../conversation/conversation.ts";
import { keyOf } from "../../conversation/entries.ts";
import { Button } from "../../kit/button.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { Loading } from "../../kit/states.tsx";
import { EntryView } from "./entry-view.tsx";
import { QueuedMessages } from "./queued-messages.tsx";
import { RunStatus } from "./run-status.tsx";
import { useStayAtEnd } from "./stay-at-end.ts";
import type { LiveSession } from "./use-session-feed.ts";

interface ChatLogProps {
  feed: LiveSession;
  agentName: string;
  /** Increases with every message and answer given on this page: what follows is scrolled into view. */
  acted: number;
  /** The run was told to stop. */
  stopping: boolean;
  /** What the page itself adds below the conversation. */
  children?: ReactNode;
}

export function ChatLog(props: ChatLogProps) {
  if (props.feed.loaded || props.feed.view.entries.length > 0) return <Log {...props} />;
  return (
    <div className="mx-auto w-full max-w-3xl flex-1 p-6">
      <Loading rows={5} label="Loading the conversation" />
    </div>
  );
}

function Log({ feed: { view, queued }, agentName, acted, stopping, children }: ChatLogProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { entries } = view;
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 90,
    getItemKey: (index) => {
      const entry = entries[index];
      return entry ? keyOf(entry) : index;
    },
    overscan: 6,
  });
  const { atEnd, toEnd } = useStayAtEnd(frame);
  useEffect(() => {
    if (acted > 0) toEnd();
  }, [acted, toEnd]);
  return (
    <div className="relative min-h-0 flex-1">
      <ScrollRegion ref={frame} label="Conversation" className="h-full [overflow-anchor:none]">
        <div className="mx-auto max-w-3xl px-4 pt-4 md:px-6">
          <ol className="relative w-full" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ key, index, start }) => {
              const entry = entries[index];
              return (
                <li
                  key={key}
                  data-index={index}
                  ref={rows.measureElement}
                  className="absolute top-0 left-0 w-full pb-4"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {entry && <EntryView entry={entry} />}
                </li>
              );
            })}
          </ol>
          <RunStatus run={currentRun(view)} agentName={agentName} entries={entries} stopping={stopping} />
          {children}
          <QueuedMessages messages={queued} runs={view.runs} />
        </div>
      </ScrollRegion>
      {!atEnd && (
        <Button
          size="sm"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-raised"
          onClick={toEnd}
        >
          <ArrowDown className="size-3.5" aria-hidden />
          Newest
        </Button>
      )}
    </div>
  );
}
