/** The conversation, of which only what is on screen exists; it stays at its end while one reads there. */
import { useVirtualizer } from "@tanstack/react-virtual";
import ArrowDown from "lucide-react/icons/arrow-down";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { currentRun } from "../../conversation/conversation.ts";
import { type Entry, keyOf } from "../../conversation/entries.ts";
import { Button } from "../../kit/button.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { Loading } from "../../kit/states.tsx";
import { EntryView } from "./entry-view.tsx";
import { QueuedMessages } from "./queued-messages.tsx";
import { RunStatus } from "./run-status.tsx";
import type { LiveSession } from "./use-session-feed.ts";

const NEAR_END_PX = 120;

interface ChatLogProps {
  feed: LiveSession;
  agentName: string;
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

function Log({ feed: { view, queued }, agentName, children }: ChatLogProps) {
  const frame = useRef<HTMLElement>(null);
  const { rows, atEnd, toEnd } = useLog(frame, view.entries);
  return (
    <div className="relative min-h-0 flex-1">
      <ScrollRegion ref={frame} label="Conversation" className="h-full [overflow-anchor:none]">
        <div className="mx-auto max-w-3xl px-4 pt-4 md:px-6">
          <ol className="relative w-full" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ key, index, start }) => {
              const entry = view.entries[index];
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
          <RunStatus run={currentRun(view)} agentName={agentName} entries={view.entries} />
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

function useLog(frame: React.RefObject<HTMLElement | null>, entries: readonly Entry[]) {
  const [atEnd, setAtEnd] = useState(true);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 90,
    getItemKey: (index) => {
      const entry = entries[index];
      return entry ? keyOf(entry) : index;
    },
    overscan: 6,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR_END_PX,
  });
  const toEnd = () => {
    const element = frame.current;
    element?.scrollTo({ top: element.scrollHeight });
  };
  useStayAtEnd(frame, setAtEnd);
  return { rows, atEnd, toEnd };
}

/** What grows below the last entry (a status, the queue) or inside it is followed too, unless one has scrolled up. */
function useStayAtEnd(frame: React.RefObject<HTMLElement | null>, report: (atEnd: boolean) => void): void {
  useEffect(() => {
    const element = frame.current;
    if (!element?.firstElementChild) return;
    let stays = true;
    const isNear = () => element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    const scrolled = () => {
      stays = isNear();
      report(stays);
    };
    const grown = new ResizeObserver(() => {
      if (stays) element.scrollTop = element.scrollHeight;
      else report(isNear());
    });
    grown.observe(element.firstElementChild);
    grown.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      element.removeEventListener("scroll", scrolled);
    };
  }, [frame, report]);
}
