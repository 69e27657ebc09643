/**
 * A session's live data for the page: its events, over any number of connections, and its messages.
 * Events are rendered once per frame, however many arrive.
 */
import type { Following, FollowState, Message, SessionEvent } from "@capstan/client";
import { Conversation } from "../../conversation/conversation.ts";
import type { ConversationView } from "../../conversation/entries.ts";
import { api } from "../../server/api.ts";
import { onRecovery } from "../../server/reachability.ts";

const HIDDEN_MS = 250; // a hidden page gets no frames
const PAGE = 500;

export interface FeedSnapshot {
  readonly view: ConversationView;
  readonly events: readonly SessionEvent[];
  readonly connection: FollowState;
  /** Messages queued behind the active run. */
  readonly queued: readonly Message[];
  /** The stored messages are there: an empty view is an empty session. */
  readonly loaded: boolean;
}

const NOTHING: FeedSnapshot = {
  view: new Conversation().view,
  events: [],
  connection: { phase: "connecting" },
  queued: [],
  loaded: false,
};

export class SessionFeed {
  readonly #sessionId: string;
  readonly #conversation = new Conversation();
  readonly #listeners = new Set<() => void>();
  readonly #events: SessionEvent[] = [];
  readonly #following: Following;
  readonly #stopWaking: () => void;
  readonly #closing = new AbortController();
  #fresh: SessionEvent[] = [];
  #frame: number | undefined;
  #snapshot: FeedSnapshot = NOTHING;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
    this.#following = api.sessions.followEvents(sessionId, {
      onEvent: (event) => this.#take(event),
      onState: (connection) => this.#publish({ connection }),
    });
    this.#stopWaking = onRecovery(() => this.#following.wake());
    void this.readMessages();
  }

  get snapshot(): FeedSnapshot {
    return this.#snapshot;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  close(): void {
    this.#closing.abort();
    this.#following.close();
    this.#stopWaking();
  }

  /** Reads all stored messages: the words people said, and those that are queued. */
  async readMessages(): Promise<void> {
    const all: Message[] = [];
    for (let cursor: number | undefined, more = true; more; ) {
      const page = await api.sessions.messages(
        this.#sessionId,
        { limit: PAGE, ...(cursor !== undefined && { cursor }) },
        this.#closing.signal,
      );
      if (!page.ok) return;
      all.push(...page.value.items);
      cursor = page.value.next_cursor;
      more = cursor !== undefined;
    }
    this.#conversation.learn(all.filter(({ queued }) => !queued));
    this.#publish({ queued: all.filter(({ queued }) => queued), loaded: true });
  }

  #take(event: SessionEvent): void {
    this.#fresh.push(event);
    this.#frame ??= document.hidden
      ? window.setTimeout(() => this.#show(), HIDDEN_MS)
      : requestAnimationFrame(() => this.#show());
  }

  #show(): void {
    this.#frame = undefined;
    const fresh = this.#fresh;
    this.#fresh = [];
    this.#events.push(...fresh);
    this.#conversation.apply(fresh);
    this.#publish({});
    const { entries } = this.#conversation.view;
    // A run started with a message that this page has not read: someone else's, or a queued one.
    if (entries.some((entry) => entry.kind === "user" && !entry.message)) void this.readMessages();
  }

  #publish(change: Partial<Omit<FeedSnapshot, "view" | "events">>): void {
    if (this.#closing.signal.aborted) return;
    this.#snapshot = {
      ...this.#snapshot,
      ...change,
      view: this.#conversation.view,
      events: this.#events,
    };
    for (const listener of this.#listeners) listener();
  }
}

export const EMPTY_FEED = NOTHING;
