import { useEffect, useState, useSyncExternalStore } from "react";
import { EMPTY_FEED, type FeedSnapshot, SessionFeed } from "./session-feed.ts";

const silent = () => () => {};

export interface LiveSession extends FeedSnapshot {
  /** Reads the messages again, after one was sent. */
  readonly refresh: () => Promise<void>;
}

/** A session as it is now, followed for as long as the component is on screen. */
export function useSessionFeed(sessionId: string): LiveSession {
  const [feed, setFeed] = useState<SessionFeed>();
  useEffect(() => {
    const opened = new SessionFeed(sessionId);
    setFeed(opened);
    return () => {
      opened.close();
      setFeed(undefined);
    };
  }, [sessionId]);
  const snapshot = useSyncExternalStore(feed?.subscribe ?? silent, () => feed?.snapshot ?? EMPTY_FEED);
  return { ...snapshot, refresh: async () => feed?.readMessages() };
}
